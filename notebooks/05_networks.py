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
# * derive the gradients of a dense layer and of softmax with cross-entropy;
# * say what an encoder shows a network, and what convolutions and residual blocks compute;
# * tell a network that has learned something from one that always names the most common move.
#
# You need derivatives with the chain rule, products of matrices, and NumPy arrays. On all pages
# $\ln$ is the natural logarithm (`np.log`), $\log_{10}$ the one with base 10.
#
# A neural network is a function with many numbers in it, its
# [*weights*](../docs/glossary.md#weight). *Training* shows it inputs with the right answers, the
# *labels*, and changes each weight a little:
# [*backpropagation*](../docs/glossary.md#backpropagation) computes the direction of the change, and
# *gradient descent* makes the step. In [the studio](../docs/studio.md#course-and-lectures), open
# the course preset *What a network predicts*.

# %% tags=["hide-input"]
import numpy as np

import dlgo
from dlgo.encoders import get_encoder
from engines.learning import from_scratch as nn
from engines.learning.from_scratch.losses import CrossEntropy, log_softmax
from experiments.chapters import ch05, ch06
from experiments.chapters.experiment import Claims
from experiments.course import diagrams
from experiments.course.showing import Source, draw_policy
from experiments.figures import drawing

# %% [markdown]
# ## One neuron
#
# A neuron multiplies its input $x$ by a weight $w$ and adds a number $b$, its *bias*, which is
# learned like a weight. Then it applies an *activation function*, here the sigmoid $\sigma$:
#
# <!-- slide: One weight moves against the slope -->
#
# $$y = \sigma(w x + b), \quad \sigma(z) = \frac{1}{1 + e^{-z}}$$
#
# The [*loss*](../docs/glossary.md#loss) says how wrong the answer is, for instance half the squared
# error $L = \frac{1}{2} (y - t)^2$ with the label $t$. Gradient descent steps against its slope:
#
# $$w \leftarrow w - \eta \frac{dL}{dw}, \quad \frac{dL}{dw} = (y - t) \cdot y (1 - y) \cdot x$$
#
# <!-- /slide -->
#
# $\eta$ is the [*learning rate*](../docs/glossary.md#learning-rate). The three factors come from
# the chain rule: the loss, the sigmoid and the product $w x$. The slope of the sigmoid is
# $e^{-z} / (1 + e^{-z})^2$, which is $\sigma(z) (1 - \sigma(z)) = y (1 - y)$.
#
# By hand, with $x = 2$, $w = 1$, $b = 0$ and $t = 0$: $y = \sigma(2) = 0.881$ and
# $dL/dw = 0.881 \cdot 0.881 \cdot 0.119 \cdot 2 = 0.185$. With $\eta = 1$ the weight becomes 0.815.
# With the same $b$, the output falls to $\sigma(2 \cdot 0.815) = 0.84$.
#
# ## Layers and backpropagation
#
# A *dense layer* computes many weighted sums at once. For one sample with the inputs $x_i$:
#
# $$y_j = \sum_i x_i W_{ij} + b_j$$
#
# Let $\delta_j = dL/dy_j$ say how the loss depends on output $j$. The weight $W_{ij}$ changes only
# $y_j$, by $x_i$. The input $x_i$ changes every output, so its effects add up:
#
# <!-- slide: Backpropagation is two products of matrices -->
#
# $$\frac{dL}{dW_{ij}} = x_i \, \delta_j, \quad \frac{dL}{db_j} = \delta_j, \quad
# \frac{dL}{dx_i} = \sum_j \delta_j W_{ij}$$
#
# With a row of $X$ for each of $n$ samples $s$, the gradients add up:
#
# $$\frac{dL}{dW_{ij}} = \sum_s X_{si} \, \delta_{sj} = (X^T \delta)_{ij}$$
#
# $$\frac{dL}{dX_{si}} = \sum_j \delta_{sj} W_{ij} = (\delta W^T)_{si}$$
#
# <!-- /slide -->
#
# The transposes are sums over the first index of $X$ and over the second index of $W$. (If the loss
# is a mean over the samples, $\delta$ contains the division by $n$.) The layer stores the first
# gradient and returns the second: the $\delta$ of the layer before it. That is backpropagation.
#
# <!-- slide: Each gradient is an input times a delta -->

# %% tags=["hide-input"]
diagrams.dense_network()

# %% [markdown]
# <!-- /slide -->
#
# In the picture: one sample $x = (1, 2)$, the rows $(3, 0)$ and $(1, -1)$ of $W$, and
# $\delta = (0.5, -1)$. The gradient of $W$ has the rows $(0.5, -1)$ and $(1, -2)$. The layer
# returns $0.5 \cdot 3 - 1 \cdot 0 = 1.5$ and $0.5 \cdot 1 + 1 \cdot 1 = 1.5$. `forward` keeps what
# `backward` needs:
#
# <!-- slide: A layer: forward keeps, backward uses -->

# %%
Source(nn.Dense.forward, nn.Dense.backward)

# %% [markdown]
# <!-- /slide -->
#
# An activation is a layer, too, without weights. It multiplies $\delta$ by its slope:

# %%
Source(nn.Sigmoid)

# %% [markdown]
# A network is a list of layers. `forward` passes the inputs through all of them; the output of the
# last layer is the prediction. `backward` starts with the derivative of the loss by the outputs
# (`loss.delta`) and walks the list from the end: each layer turns the $\delta$ of its output into
# that of its input. `step` moves every weight against its gradient; `-=` changes the arrays that
# the layers hold.

# %%
Source(nn.Network.forward, nn.Network.backward, nn.Network.step)

# %% [markdown]
# One step uses a [*batch*](../docs/glossary.md#batch) of a few samples. One pass through all
# samples is an *epoch*: `Network.train` shuffles them and calls `step` for each batch.
#
# ## Check every gradient
#
# You can compute a derivative without calculus: change the weight a little.
#
# <!-- slide: A derivative without calculus -->
#
# $$\frac{dL}{dw} \approx \frac{L(w + h) - L(w - h)}{2 h}$$
#
# For the neuron above with $h = 0.01$: $(0.38974 - 0.38604) / 0.02 = 0.185$, as before. This is too
# slow for training (two forward passes for each weight), but it finds mistakes.
#
# <!-- /slide -->
#
# The error is relative to the larger of the two gradients:
#
# <!-- slide: Finite differences find mistakes -->

# %% tags=["hide-input"]
ch05.gradients.show()

# %% [markdown]
# <!-- /slide -->
#
# A network with a mistake may learn nearly as well as the right one. Here three networks read
# handwritten digits (next section) after ten epochs. The thin lines are [95%
# intervals](07_data.py).
#
# <!-- slide: A wrong gradient can read 95% -->

# %% tags=["hide-input"]
ch05.mistakes.show()

# %% [markdown]
# <!-- /slide -->
#
# **Try this.** Make a mistake of your own: derive a class from `nn.Dense` or `nn.Sigmoid`, put it
# into `ch05.sigmoids`, and call `gradient_error`.
#
# ## Reading digits
#
# The network has 64 inputs (8x8 pixels), two layers of 32 neurons, and an output for each digit. It
# learns from 1,438 images; 359 others test it.

# %% tags=["hide-input"]
images, classes, _, _ = ch05.digits()
with drawing(None, 8, 1, (1.3, 1.6)) as axes:
    for axis, image, digit in zip(axes, images, classes, strict=False):
        axis.imshow(image.reshape(8, 8), cmap="gray_r")
        axis.set(title=digit, xticks=(), yticks=())

# %% [markdown]
# A second network differs in three ways. Its activation is the *ReLU*, which replaces negative
# numbers by 0. Its loss is cross-entropy (below). Its learning rate is 0.1 instead of 3.0: the
# gradients of the two losses have different sizes. With the rates exchanged, the networks read 15%
# and 8% after five epochs.
#
# <!-- slide: Squared error with sigmoids starts slowly -->

# %% tags=["hide-input"]
ch05.reading.show()

# %% [markdown]
# <!-- /slide -->
#
# Which change makes the start fast? Change one thing at a time, give each network its own best
# rate, and test after two epochs:

# %% tags=["hide-input"]
ch05.changes.show()

# %% [markdown]
# Both changes help, the ReLU more. The reason is the factor $y (1 - y)$, the slope of the sigmoid:
# it is at most 1/4, and nearly 0 where the sigmoid is flat. The slope of a ReLU is 1 for all
# positive numbers; cross-entropy cancels the factor of the last layer (question 2).
#
# ## How large are the first weights?
#
# Let the first weights have the standard deviation $s$. From image to image, each of the $n$ terms
# of a sum then varies $s$ times as much as its input. Variances of independent terms add up,
# so the sum varies $s \sqrt n$ times as much. The activation multiplies this by its slope $a$. A
# ReLU passes only positive sums, so half of the variance.
#
# <!-- slide: First weights must keep the signal -->
#
# One layer changes the differences between images by a factor of about
#
# $$a \, s \sqrt n$$
#
# | | slope $a$ | $s = 1/\sqrt n$ | $s = 1$, $n = 32$ |
# |---|---|---|---|
# | sigmoid | at most 1/4 | 1/4 | at most 1.4 |
# | ReLU | half the sums pass: $\sqrt{1/2}$ | 0.7 | 4 |
#
# <!-- /slide -->
#
# Measured after each activation, before training (the ReLU network has none after its last layer):

# %% tags=["hide-input"]
lines = ["standard deviation, layer      1      2      3"]
for variant in ("squared error, sigmoids", "cross-entropy, ReLUs"):
    for name, scale in (("1 / sqrt(n)", None), ("1", 1.0)):
        spreads = ch05.spreads(ch05.reader(variant, scale=scale))
        lines.append(f"{variant.partition(', ')[2]:<9} s = {name:<11}"
                     + "".join(f"{spread:7.3f}" for spread in spreads))
print("\n".join(lines))

# %% [markdown]
# With $s = 1/\sqrt n$ each layer of sigmoids divides the differences by about 4. With the book's $s
# = 1$ most sums lie where the sigmoid is flatter, with a mean slope of 0.1. So about $0.1 \sqrt{32}
# = 0.6$ stays. ReLUs need the smaller weights, the default here; with $s = 1$ their numbers
# explode. After five epochs (sigmoids: squared error, rate 3; ReLUs: cross-entropy, rate 0.1):

# %% tags=["hide-input"]
ch05.scales.show()

# %% [markdown]
# With the best rate for each, sigmoids read 91% with $1/\sqrt n$ and 95% with $s = 1$ (means of
# three trainings).
#
# ## Softmax and cross-entropy
#
# A network that chooses among classes should give a probability for each one.
# [*Softmax*](../docs/glossary.md#softmax) turns any outputs $z$, called *logits*, into
# probabilities. [*Cross-entropy*](../docs/glossary.md#cross-entropy) is the negative logarithm of
# the probability that the right class receives; $t$ is 1 for the right class and 0 for the others.
#
# <!-- slide: The gradient is probabilities minus labels -->
#
# $$p_i = \frac{e^{z_i}}{\sum_j e^{z_j}}, \quad L = -\sum_i t_i \, \ln \, p_i$$
#
# Substitute $p_i$ and use that the labels sum to 1:
#
# $$L = -\sum_i t_i z_i + \ln \sum_j e^{z_j}$$
#
# Differentiate by the logit $z_k$:
#
# $$\frac{dL}{dz_k} = -t_k + \frac{e^{z_k}}{\sum_j e^{z_j}} = p_k - t_k$$
#
# <!-- /slide -->
#
# The gradient is *probabilities minus labels*. Training raises the logit of the right class and
# lowers all others. By hand, with logits $(2, 1, 0)$ and the second class right:
# $p = (0.665, 0.245, 0.090)$, the loss is $-\ln \, 0.245 = 1.41$, and the gradient is
# $(0.665, -0.755, 0.090)$. The code computes $\ln \, p$ at once, because $e^z$ can overflow:

# %%
Source(CrossEntropy.value, CrossEntropy.delta, log_softmax)

# %% [markdown]
# Finite differences (second row):

# %%
logits, label = np.array([[2.0, 1.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
loss = CrossEntropy()
step = 1e-5 * np.eye(3)
slopes = [(loss.value(logits + one, label) - loss.value(logits - one, label)) / 2e-5
          for one in step]
np.array([loss.delta(logits, label)[0], slopes]).round(4)

# %% [markdown]
# Compare an output that is surely wrong: $y = 0.999$ where the label is 0. Squared error behind a
# sigmoid gives $\delta = 0.999 \cdot 0.999 \cdot 0.001 = 0.001$, so the network hardly learns from
# its worst mistakes. Cross-entropy gives 0.999.
#
# ## Overfitting: known and unseen games
#
# Moves are classes, too: one for each point of the board, and one for the pass. Dense layers learn
# moves of Go on 5x5 from games of a tree search. The dotted line always names the most common move.
#
# <!-- slide: Test on games the network never saw -->

# %% tags=["hide-input"]
ch05.go.show()

# %% [markdown]
# <!-- /slide -->
#
# A part of what the network learns holds only for the games it has seen. This is
# [*overfitting*](../docs/glossary.md#overfitting). So measure on other games.
#
# ## What a network sees
#
# An [*encoder*](../docs/glossary.md#encoder) turns a position into *planes*: grids of numbers, one
# grid for each question about the points. The simplest encoder has one plane: 1 for own stones, -1
# for the opponent's. [Others](../docs/encoders.md) have more planes, for instance for liberties.
# This is the chapter's test position (figure 6.4):

# %% tags=["hide-input"]
state = ch06.probe()
state

# %% [markdown]
# ## Convolutions
#
# A dense layer does not know which points are neighbours, so it must learn a shape anew for each
# place. A *convolution* lays one small pattern, the *filter* $k$, on every point $(r, c)$:
#
# $$y_{r,c} = \sum_{i=-1}^{1} \sum_{j=-1}^{1} k_{i,j} \, x_{r+i,c+j}$$
#
# Outside the board, $x$ is 0. The filter below has 1 in the middle and -1 at its four sides. It
# finds own stones with many opponents around, and empty points next to opponents (orange: positive,
# up to 3; violet: -1). By hand, for an own stone with two opponents and no friend next to it:
# $1 \cdot 1 + (-1) \cdot (-1) + (-1) \cdot (-1) = 3$.

# %% tags=["hide-input"]
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
# With several input planes $p$, a filter has nine weights for each and adds up all products. Each
# filter $f$ makes its own output plane, with its own bias:
#
# <!-- slide: A filter adds over all input planes -->
#
# $$y_{f,r,c} = b_f + \sum_p \sum_{i=-1}^{1} \sum_{j=-1}^{1} k_{f,p,i,j} \, x_{p,r+i,c+j}$$
#
# Weights: $9 \cdot \text{planes} \cdot \text{filters}$, and a bias for each filter. The size of the
# board does not matter.
#
# <!-- /slide -->
#
# The picture has $9 \cdot 2 \cdot 2 + 2 = 38$ weights and biases.
#
# <!-- slide: Two planes, two filters, two output planes -->

# %% tags=["hide-input"]
diagrams.convolution()

# %% [markdown]
# <!-- /slide -->
#
# A dense layer between the same planes, from 50 to 50 numbers, would need $50 \cdot 50 + 50 =
# 2550$. From 11 planes to 32 on 9x9, a dense layer has 2.3 million numbers, a convolution 3,200.
#
# **Try this.** Write a filter whose answer is large where two own stones stand side by side.
#
# ## Residual blocks
#
# A second convolution sees 5x5 points, the next 7x7. Deep networks see the whole board, but they
# are hard to train: with a factor of 0.7 a layer, 20 layers leave $0.7^{20} = 0.0008$ of $\delta$.
# A [*residual block*](../docs/glossary.md#residual-block) adds its input $x$ to the output $F(x)$
# of its two layers (He et al. 2016):
#
# <!-- slide: A residual block learns only the change -->
#
# $$y = x + F(x), \quad \frac{dL}{dx} = \delta + \delta \frac{dF}{dx}$$

# %% tags=["hide-input"]
diagrams.residual_block()

# %% [markdown]
# <!-- /slide -->
#
# The first term hands $\delta$ on unchanged, through any number of blocks, to the first layers.
# AlphaGo Zero and AlphaZero stack 19 or more blocks of two convolutions, each with *batch
# normalisation* (shift and scale every plane to mean 0 and standard deviation 1 over the batch).
#
# ## Which loss, which layers?
#
# The same games of Connect Four, dense layers, steps and rate (0.5):

# %% tags=["hide-input"]
ch06.losses.show()

# %% [markdown]
# Again the ReLU helps more than the loss, also with the best of six rates for each network (from
# above: 23%, 32%, 25%, 32%). Libraries such as Keras record the operations of the forward pass and
# find the backward pass themselves (*automatic differentiation*). Cross-entropy with ReLUs in
# Keras:
#
# <!-- slide: The same network in Keras -->

# %%
Source(ch06.fit_in_keras)

# %% [markdown]
# <!-- /slide -->
#
# A `Dense` of Keras includes its activation. `compile` chooses the loss (`from_logits`: it contains
# the softmax, as ours does) and the rule for a step; `fit` is our `train`. It learns as much as in
# NumPy:

# %% tags=["hide-input"]
print("unseen moves predicted: Keras", ch06.library["Keras"], "NumPy",
      ch06.losses["cross-entropy, ReLUs"])

# %% [markdown]
# The next figure compares the book's networks, trained in Keras. The first two keep its loss and
# optimizer; the rest use cross-entropy, ReLU and Adam (see [the next page](07_data.py)). *Pooling*
# keeps the largest of four neighbouring numbers. *Dropout* sets random numbers to 0 during
# training, against overfitting.
#
# <!-- slide: Which layers predict more moves? -->

# %% tags=["hide-input"]
ch06.layers.show()

# %% [markdown]
# <!-- /slide -->
#
# With the book's loss both networks do no better than always predicting the most common column, so
# neither has learned anything yet. With cross-entropy, convolutions beat dense layers. Pooling,
# dropout and three residual blocks show no gain in this short training.
#
# Each point is one of these networks, playing without search against MCTS with 20 simulations (two
# points coincide):

# %% tags=["hide-input"]
ch06.playing.show()

# %% [markdown]
# The package's network learned 9x9 Go from games of a search. Where would it play in the test
# position? (At C3 Black captures two stones, and so saves two. D3 only saves them.)

# %% tags=["hide-input"]
decision = dlgo.engine("supervised", state.game).select_move(state)
with drawing(size=(5, 5.3)) as (axes,):
    draw_policy(axes, state, decision.policy, "what it predicts")

# %% [markdown]
# <!-- try: prediction -->
#
# <!-- try: network-alone -->
#
# ## What the book says, and what we measured

# %% tags=["hide-input"]
Claims(
    ("Plain networks read digits with about 95% accuracy.", "5.1",
     f"Confirmed, on smaller digits: {ch05.reading['squared error, sigmoids, epoch 30']}."),
    ("More than 95% in less than 10 epochs.", "5.5.5",
     f"Nearly: {ch05.reading['squared error, sigmoids, epoch 10']} after 10, "
     f"{ch05.reading['squared error, sigmoids, epoch 5']} after 5; with cross-entropy and ReLUs "
     f"{ch05.reading['cross-entropy, ReLUs, epoch 2']} after 2."),
    ("Backpropagation computes the gradient.", "5.4.6",
     f"Agrees for one network: the relative error is {ch05.gradients['no mistake']}."),
    ("Draw the first weights from a normal distribution.", "appendix B",
     f"Depends on the size. With sigmoids, a standard deviation of 1 reads "
     f"{ch05.scales['sigmoids, 1']} after 5 epochs, one of 5 {ch05.scales['sigmoids, 5']}, one of "
     f"0.01 {ch05.scales['sigmoids, 0.01']}."),
    ("A dense network predicts moves better than guessing.", "6.3.4",
     f"Not with the book's loss and optimizer: {ch06.layers['dense, squared error']}; always "
     f"predicting the most common column scores {ch06.losses['most common column']}."),
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
# * **The wrong delta.** Appendix B takes the gradient of the weights from the delta of another
#   layer. The loss may fall all the same.
# * **An accuracy without a reference.** 18% looks like learning, as one of seven columns is 14%.
#   Print what the most common move would give.
# * **Three changes at once.** The book changes loss, activation and optimizer together.
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
# **2.** *(medium, 15 minutes)* One output $y = \sigma(z)$ with the loss $L = -t \, \ln \, y - (1 -
# t) \, \ln (1 - y)$. Derive $dL/dz$.
#
# <details markdown="1"><summary>Answer</summary>
#
# $dL/dy = (y - t) / (y (1 - y))$ and $dy/dz = y (1 - y)$. The product is $y - t$: the slope of the
# sigmoid cancels, as it does for softmax.
#
# </details>
#
# **3.** *(hard, 2 hours)* Write a convolution as a `Layer`, one filter of 3x3, with its backward
# pass. Put it between two dense layers and call `gradient_error(network, inputs, labels, rng)`.
#
# <details markdown="1"><summary>Answer</summary>
#
# $dL/dk_{i,j} = \sum_{r,c} \delta_{r,c} \, x_{r+i,c+j}$, summed over the samples. $dL/dx$ is a
# convolution of $\delta$ with the filter turned by 180 degrees. The error is about $4 \cdot
# 10^{-6}$, as for dense layers.
#
# </details>
