# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # A network from scratch
#
# *Chapters 5 and 6 of [the book](../docs/index.md), with its section numbers.*
#
# After this page you can
#
# * write a layer, its backward pass, and a test that finds mistakes in it;
# * derive the gradient of softmax with cross-entropy, and say why squared error starts slowly;
# * say what an encoder shows a network and what a convolution computes;
# * tell a network that has learned something from one that names the commonest move.
#
# A neural network is a function with many numbers in it, its *weights*. *Training* shows it inputs
# with the right answers, the *labels*, and changes each weight a little: *backpropagation* computes
# the direction of the change, and *gradient descent* makes the step.
#
# [The studio](../docs/studio.md#course-and-lectures) starts this chapter with
# *What a network predicts*.

# %%
import numpy as np

import dlgo
from dlgo.encoders import get_encoder
from engines.learning import from_scratch as nn
from engines.learning.from_scratch.losses import CrossEntropy, log_softmax
from experiments.chapters import ch05, ch06
from experiments.chapters.experiment import Claims
from experiments.course.showing import Source, draw_policy
from experiments.figures import drawing

# %% [markdown]
# ## One neuron
#
# A neuron multiplies its input by a weight, adds a *bias*, and applies an *activation function*,
# here the sigmoid:
#
# $$y = \sigma(w x + b), \quad \sigma(z) = \frac{1}{1 + e^{-z}}$$
#
# The *loss* says how wrong the answer is, for instance half the squared error
# $L = \frac{1}{2} (y - t)^2$ with the label $t$. Gradient descent changes the weight against the
# slope of the loss:
#
# $$w \leftarrow w - \eta \frac{dL}{dw}, \quad \frac{dL}{dw} = (y - t) \cdot y (1 - y) \cdot x$$
#
# $\eta$ is the *learning rate*. The three factors come from the chain rule: the loss, the sigmoid
# (its slope is $y (1 - y)$) and the product $w x$.
#
# By hand, with $x = 2$, $w = 1$, $b = 0$ and $t = 0$: $y = \sigma(2) = 0.881$ and
# $dL/dw = 0.881 \cdot 0.881 \cdot 0.119 \cdot 2 = 0.185$. With $\eta = 1$ the weight becomes 0.815,
# and the output falls to $\sigma(1.63) = 0.84$.
#
# ## Layers and backpropagation
#
# A *dense layer* computes many weighted sums at once: $Y = X W + b$. Each row of $X$ is one input.
# Backward, the layer receives $\delta = dL/dY$. By the chain rule,
#
# $$\frac{dL}{dW} = X^T \delta, \quad \frac{dL}{dX} = \delta W^T$$
#
# The layer stores the first and returns the second, which is the $\delta$ of the layer before it.
# That is backpropagation.
#
# By hand, with one input $x = (1, 2)$, the rows $(3, 0)$ and $(1, -1)$ of $W$, and
# $\delta = (0.5, -1)$: the gradient of $W$ has the rows $(0.5, -1)$ and $(1, -2)$. The layer
# returns $\delta W^T = (0.5 \cdot 3 - 1 \cdot 0, \; 0.5 \cdot 1 + 1 \cdot 1) = (1.5, 1.5)$.

# %%
Source(nn.Dense, nn.Sigmoid)

# %% [markdown]
# A network calls its layers from first to last, then backward from last to first, and makes a step.
# One step uses a *batch* of a few samples.

# %%
Source(nn.Network.forward, nn.Network.backward, nn.Network.step)

# %% [markdown]
# ## Check every gradient
#
# You can compute a derivative without calculus: change the weight a little.
#
# $$\frac{dL}{dw} \approx \frac{L(w + \epsilon) - L(w - \epsilon)}{2 \epsilon}$$
#
# For the neuron above with $\epsilon = 0.01$: $(0.38974 - 0.38604) / 0.02 = 0.185$, as before. This
# is too slow for training (two forward passes for each weight), but it finds mistakes:

# %%
ch05.gradients.show()

# %% [markdown]
# A network with a mistake may learn nearly as well as the right one. Here each network reads unseen
# digits after ten *epochs* (passes through all training samples). The thin lines are [95%
# intervals](02_rules.py).

# %%
ch05.mistakes.show()

# %% [markdown]
# **Try this.** Make a mistake of your own: derive a class from `nn.Dense` or `nn.Sigmoid`, put it
# into `ch05.sigmoids`, and call `gradient_error`. Does it find your mistake?
#
# ## Reading digits
#
# The network has 64 inputs (8x8 pixels), two layers of 32 neurons, and 10 outputs, one for each
# digit. It learns from 1,438 images; 359 others test it. A second network has two changes: *ReLUs*,
# an activation function that replaces negative numbers by 0, and a loss that the next section
# explains, cross-entropy.

# %%
images, classes, _, _ = ch05.digits()
with drawing(None, 8, 1, (1.3, 1.6)) as axes:
    for axis, image, digit in zip(axes, images, classes, strict=False):
        axis.imshow(image.reshape(8, 8), cmap="gray_r")
        axis.set(title=digit, xticks=(), yticks=())

# %%
ch05.reading.show()

# %% [markdown]
# Both networks end alike, but squared error with sigmoids starts slowly. The reason is the
# factor $y (1 - y)$: it is nearly 0 where the sigmoid is flat. The slope of a ReLU is 1 for all
# positive numbers. The size of the first weights matters, too. Very small weights pass on no
# differences, and very large ones put all sigmoids where they are flat. These are standard
# deviations of the first weights:

# %%
ch05.scales.show()

# %% [markdown]
# ## Softmax and cross-entropy
#
# A network that chooses among classes should give a probability for each one. *Softmax* turns any
# outputs $z$, called *logits*, into probabilities. *Cross-entropy* is the negative logarithm of the
# probability that the right class receives; $t$ is 1 for the right class and 0 for the others.
#
# $$p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}, \quad L = -\sum_i t_i \ln p_i$$
#
# The derivative needs two lines. Insert $p_i$, and use that the labels add up to 1:
#
# $$L = -\sum_i t_i z_i + \ln \sum_j e^{z_j}$$
#
# Differentiate by the logit $z_k$:
#
# $$\frac{dL}{dz_k} = -t_k + \frac{e^{z_k}}{\sum_j e^{z_j}} = p_k - t_k$$
#
# The gradient is *probabilities minus labels*. Training raises the logit of the right class and
# lowers all others. By hand, with logits $(2, 1, 0)$ and the second class right:
# $p = (0.665, 0.245, 0.090)$, the loss is $-\ln 0.245 = 1.41$, and the gradient is
# $(0.665, -0.755, 0.090)$.

# %%
Source(CrossEntropy, log_softmax)

# %%
logits, label = np.array([[2.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
loss = CrossEntropy()
step = 1e-5 * np.eye(3)
slopes = [(loss.value(logits + one, label) - loss.value(logits - one, label)) / 2e-5
          for one in step]  # finite differences, in the second row below
np.array([loss.delta(logits, label)[0], slopes]).round(4)

# %% [markdown]
# Compare an output that is surely wrong: $y = 0.999$ where the label is 0. Squared error behind a
# sigmoid gives $\delta = 0.999 \cdot 0.999 \cdot 0.001 = 0.001$, so the network hardly learns from
# its worst mistakes. Cross-entropy gives 0.999.
#
# ## Overfitting: known and unseen games
#
# Moves are classes, too: one for each point of the board, and one for the pass. Dense layers learn
# moves of Go on 5x5 from games of a tree search. The dotted line is a player that always names the
# commonest move.

# %%
ch05.go.show()

# %% [markdown]
# A part of what the network learns holds only for the games it has seen. This is *overfitting*. So
# always measure on other games.
#
# ## What a network sees
#
# An *encoder* turns a position into *planes*: grids of numbers, one grid for each question about
# the points. The simplest encoder has one plane: 1 for own stones, -1 for the opponent's.
# [Others](../docs/encoders.md) have more planes, for instance for liberties. This is the chapter's
# test position (figure 6.4):

# %%
state = ch06.probe()
state

# %% [markdown]
# ## Convolutions
#
# A dense layer does not know which points are neighbours, so it must learn a shape anew for each
# place. A *convolution* lays one small pattern, the *filter* $k$, on every point:
#
# $$y_{r,c} = \sum_{i=-1}^{1} \sum_{j=-1}^{1} k_{i,j} \, x_{r+i,c+j}$$
#
# The filter below has 1 in the middle and -1 at its four sides. It finds own stones with many
# opponents around, and empty points next to opponents. By hand, for an own stone with two
# opponents and no friend next to it: $1 \cdot 1 + (-1) \cdot (-1) + (-1) \cdot (-1) = 3$. On the
# board of Connect Four, 6x7, a dense layer with 42 outputs has $42 \cdot 42 = 1764$ weights; one
# filter of a convolution has 9.

# %%
plane = get_encoder("oneplane", state.game).encode(state)[:, :, 0]
pattern = np.array([[0, -1, 0], [-1, 1, -1], [0, -1, 0]])
padded = np.pad(plane, 1)
answer = np.array([[(padded[row:row + 3, col:col + 3] * pattern).sum() for col in range(9)]
                   for row in range(9)])
with drawing(None, 3, 1, (3.4, 3.6)) as axes:
    for axis, values, title in zip(axes, (plane, pattern, np.maximum(answer, 0)),
                                   ("the plane", "the filter", "after ReLU"), strict=True):
        axis.imshow(values, origin="lower", cmap="PuOr_r", vmin=-4, vmax=4)
        axis.set(title=title, xticks=(), yticks=())

# %% [markdown]
# **Try this.** Write a filter whose answer is large where two own stones stand side by side.
#
# ## Which loss, which layers?
#
# The same games of Connect Four, the same dense layers, the same number of steps:

# %%
ch06.losses.show()

# %% [markdown]
# Here ReLU helps more than the loss. Each sigmoid multiplies $\delta$ by its slope, at most 1/4, so
# two hidden layers of sigmoids divide it by at least 16.
#
# A network that predicts no more than "always the commonest column" has learned nothing about
# positions. Of the book's networks, trained with Keras, the first two have the book's loss and
# optimizer; the others use cross-entropy, ReLUs and Adam, an optimizer of [the next
# page](07_data.py). *Pooling* keeps the largest of four neighbouring numbers. *Dropout* sets random
# numbers to 0 during training, against overfitting. *Residual* networks add the input of two layers
# to their output.

# %%
ch06.layers.show()

# %% [markdown]
# Bars 1 and 2, both with the book's loss, are equal. They reach what you get by always naming the
# commonest column, so neither has learned anything yet. With cross-entropy, convolutions beat dense
# layers. Pooling, dropout and residual blocks show no gain in this short training.
#
# Predicting moves is not the aim; playing well is. Each point is one of these networks, which plays
# without any search.

# %%
ch06.playing.show()

# %% [markdown]
# This network of the package learned 9x9 Go from games of a search. Where would it play in the test
# position? (Black can capture two stones at C3, or save two at D3.)

# %%
decision = dlgo.engine("supervised", state.game).select_move(state)
with drawing(size=(5, 5.3)) as (axes,):
    draw_policy(axes, state, decision.policy, "what it predicts")

# %% [markdown]
# <!-- try: prediction -->
#
# **Try this.** Find a position of Connect Four where the choice of
# `dlgo.engine("supervised", "connect4")` loses at once. `mcts:sims=1000` can tell you.
#
# <!-- try: network-alone -->
#
# ## What the book says, and what we measured

# %%
Claims(
    ("Plain networks read digits with about 95% accuracy.", "5.1",
     f"Confirmed, on smaller digits: {ch05.reading['squared error, sigmoids, epoch 30']}."),
    ("More than 95% in less than 10 epochs.", "5.5.5",
     f"Nearly: {ch05.reading['squared error, sigmoids, epoch 10']} after 10, "
     f"{ch05.reading['squared error, sigmoids, epoch 5']} after 5; with cross-entropy and ReLUs "
     f"{ch05.reading['cross-entropy, ReLUs, epoch 2']} after 2."),
    ("Backpropagation computes the gradient.", "5.4.6",
     f"Confirmed: the relative error is {ch05.gradients['no mistake']}."),
    ("Draw the first weights from a normal distribution.", "appendix B",
     f"Depends on the size: a standard deviation of 1 reads {ch05.scales['1, as in the book']} "
     f"after 5 epochs, one of 5 {ch05.scales['5']}, one of 0.01 {ch05.scales['0.01']}."),
    ("A dense network predicts moves better than guessing.", "6.3.4",
     f"Not with the book's loss and optimizer: {ch06.layers['dense, squared error']}, and the "
     f"commonest column alone makes {ch06.losses['commonest column']}."),
    ("With convolutions the accuracy hardly changes.", "6.4.2",
     f"Confirmed for the same loss: {ch06.layers['convolutions, squared error']}. Neither has "
     "learned anything yet."),
    ("Cross-entropy and ReLU make the network learn.", "6.5",
     f"Confirmed: each helps alone ({ch06.losses['squared error, ReLUs']} with ReLUs, "
     f"{ch06.losses['cross-entropy, sigmoids']} with cross-entropy, "
     f"{ch06.losses['squared error, sigmoids']} with neither)."),
    ("Convolutions suit boards better than dense layers.", "6.4",
     f"Confirmed with cross-entropy: {ch06.layers['convolutions, cross-entropy']} against "
     f"{ch06.layers['dense, cross-entropy']}."),
    ("Pooling reduces the work and keeps most of the information.", "6.4.3",
     f"Depends on the training: {ch06.layers['  + max pooling']} after 6 epochs, "
     f"{ch06.layers['convolutions, cross-entropy']} without."),
    ("Dropout helps against overfitting.", "6.6",
     f"No difference shown in 6 epochs: {ch06.layers['  + dropout']} of unseen moves, "
     f"{ch06.layers['convolutions, cross-entropy']} without."),
    ("Good play does not need good prediction.", "6.3.4",
     f"Not supported: networks that predict {ch06.playing['dense, squared error: predicted']} and "
     f"{ch06.playing['convolutions, cross-entropy: predicted']} of the moves score "
     f"{ch06.playing['dense, squared error: score']} and "
     f"{ch06.playing['convolutions, cross-entropy: score']}."),
    ("In the test position the network gives the capture 5.2%.", "6.7",
     "Not supported: the capture is at index 20, and the printed answer gives it 0.1%. The 5.2% "
     "stand at index 21, where Black only saves two stones."),
)

# %% [markdown]
# ## Pitfalls
#
# * **The wrong delta.** A printed formula takes the gradient of the weights from the delta of
#   another layer. The loss may fall in spite of such a mistake. Check gradients.
# * **An accuracy without a reference.** 17% of seven columns looks like learning. Print what
#   the commonest move would give.
# * **Two changes at once.** The book changes loss, activation and optimizer together, and so does
#   our second figure. Only the first figure shows the loss alone.
# * **Accuracy on known samples.** Hold data back before you look at anything else. Hold back whole
#   games: see [Data and honest tests](07_data.py).
# * **A rare class.** A network that always says "not an 8" is right for 90% of the digits.
#
# ## Graded exercises
#
# `dense`, `encoder`: `dlgo class new dense` writes `dense.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* How many weights and biases has the network of the digits (64, 32, 32,
# 10)?
#
# <details markdown="1"><summary>Answer</summary>
#
# $64 \cdot 32 + 32 + 32 \cdot 32 + 32 + 32 \cdot 10 + 10 = 3466$.
#
# </details>
#
# **2.** *(easy, 5 minutes)* An untrained network gives all seven columns the same logit. What are
# the loss and its gradient by the logit of the right column?
#
# <details markdown="1"><summary>Answer</summary>
#
# $p = 1/7$, so the loss is $\ln 7 = 1.95$ and the gradient $1/7 - 1 = -0.86$. If the loss of
# your first batch is far from $\ln n$, look for a mistake.
#
# </details>
#
# **3.** *(medium, 15 minutes)* One output $y = \sigma(z)$ with the loss $L = -t \ln y - (1 - t)
# \ln (1 - y)$. Derive $dL/dz$.
#
# <details markdown="1"><summary>Answer</summary>
#
# $dL/dy = (y - t) / (y (1 - y))$ and $dy/dz = y (1 - y)$. The product is $y - t$: the slope of the
# sigmoid cancels, as it does for softmax.
#
# </details>
#
# **4.** *(medium, 15 minutes)* Train `ch05.relus(1)` on the first 100 digits only, for 30 epochs.
# How many of these does it read, and how many unseen ones?
#
# <details markdown="1"><summary>Answer</summary>
#
# All 100, and 86% of the unseen ones (batches of 10, rate 0.1). The difference is overfitting.
#
# </details>
#
# **5.** *(hard, 2 hours)* Write a convolution as a `Layer`, one filter of 3x3, with its backward
# pass. Put it between two dense layers and call `gradient_error`.
#
# <details markdown="1"><summary>Answer</summary>
#
# $dL/dk_{i,j} = \sum_{r,c} \delta_{r,c} \, x_{r+i,c+j}$, summed over the samples. $dL/dx$ is a
# convolution of $\delta$ with the filter turned by 180 degrees. The error is about $4 \cdot
# 10^{-6}$, as for dense layers.
#
# </details>
