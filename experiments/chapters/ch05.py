# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 5 · A network learns to read digits
#
# No library for learning is used here: every layer is a few lines of NumPy
# ([layers.py](../../engines/learning/from_scratch/layers.py)). [The chapter's
# page](../../docs/chapters/ch05.md) goes through them.

# %%
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

import dlgo
from engines.learning import from_scratch as nn
from engines.learning.from_scratch.check import gradient_error
from experiments.arena.series import share_margin
from experiments.chapters.practice import arrays
from experiments.chapters.script import begin, size
from experiments.course.showing import Source
from experiments.figures import BLUE, INK, ORANGE, drawing

begin()
rng = np.random.default_rng(1)
images, digits = load_digits(return_X_y=True)
order = rng.permutation(len(images))
images, digits = images[order] / 16, digits[order]
train, test = slice(359, None), slice(0, 359)  # a fifth of them is for the test
with drawing(None, 8, 1, (1.3, 1.6)) as axes:
    for axis, image, digit in zip(axes, images, digits, strict=False):
        axis.imshow(image.reshape(8, 8), cmap="gray_r")
        axis.set(title=digit, xticks=(), yticks=())

# %% [markdown]
# ## One neuron, two weights
#
# Before the network: one weight and one bias, a curve to follow downhill. Is a point right of 0.5?
# The loss is a landscape, each step goes down its slope.

# %%
points = np.random.default_rng(0).random((40, 1))
right = (points > 0.5).astype(float)
neuron = nn.Network([nn.Dense(1, 1, np.random.default_rng(0)), nn.Sigmoid()], nn.MeanSquaredError())
dense = neuron.layers[0]
path = []
for _ in range(3000):
    loss = neuron.step(points, right, rate=2.0)
    path.append((dense.weights[0, 0], dense.biases[0], loss))
print("the border is at x =", -dense.biases[0] / dense.weights[0, 0])
with drawing(None, 2, 1, (5, 3.5)) as (left, curve):
    left.plot(*np.array(path)[:, :2].T)
    left.set(xlabel="weight", ylabel="bias", title="the way of 3,000 steps")
    curve.plot(np.array(path)[:, 2])
    curve.set(xlabel="step", title="loss", ylim=(0, None))

# %% [markdown]
# **Try this.** Take a `rate` of 0.02, then of 200. Where does the border end up after 3,000 steps?

# %% [markdown]
# ## A network
#
# A layer turns inputs into outputs; backwards, it turns the loss's slope by its outputs into the
# slope by its inputs.

# %%
Source(nn.Sigmoid)


# %%
def build(loss):
    """The book's 784, 392, 196, 10 neurons, narrower as there are fewer pixels."""
    squared = isinstance(loss, nn.MeanSquaredError)
    layers = []
    for inputs, outputs in ((64, 32), (32, 16), (16, 10)):
        layers += [nn.Dense(inputs, outputs, rng), nn.Sigmoid() if squared else nn.ReLU()]
    return nn.Network(layers if squared else layers[:-1], loss)  # a softmax is part of the loss


# %% [markdown]
# ## Training
#
# The chapter's network (sigmoids and squared error) beside the one of chapter 6. Before each is
# trained, its gradients are compared with finite differences.

# %%
labels, epochs, curves = nn.one_hot(digits, 10), size(10, 30), {}
for name, loss, rate in (("squared error, sigmoids", nn.MeanSquaredError(), 3.0),
                         ("cross-entropy, ReLUs", nn.CrossEntropy(), 0.1)):
    network = build(loss)
    error = gradient_error(network, images[train][:10], labels[train][:10], rng)
    print(f"{name}: gradients differ from finite differences by {error:.1e} at most")
    curves[name] = []
    for epoch, mean in enumerate(network.train(images[train], labels[train], epochs=epochs,
                                               batch=10, rate=rate, rng=rng), 1):
        curves[name].append(100 * network.accuracy(images[test], digits[test]))
        if epoch in (1, 2, 5) or epoch % 10 == 0:
            print(f"  epoch {epoch:>2}  loss {mean:.4f}  test accuracy {curves[name][-1]:.1f}%")
with drawing(size=(8, 4)) as (axes,):
    for (name, shares), colour in zip(curves.items(), (BLUE, ORANGE), strict=True):
        margins = [100 * share_margin(share / 100, 359) for share in shares]
        axes.errorbar(range(1, epochs + 1), shares, margins, fmt="o-", capsize=4, color=colour,
                      label=name)
    axes.set(xlabel="epoch", title="unseen digits read rightly, %, with 95% intervals",
             ylim=(0, 102))
    axes.legend(loc="lower right")

# %% [markdown]
# **Try this.** Break a gradient: give `Sigmoid` a subclass whose `backward` forgets a factor, and
# put it into `build`. What does the check say, and does the loss still fall?
#
# Or take the book's 70,000 digits of 28x28: `keras.datasets.mnist.load_data()` downloads them;
# flatten them, divide by 255, and let `build` begin with 784.

# %% [markdown]
# ## What it gets wrong, and what it looks at
#
# Above, digits of the test that it misreads (what it says, and what they are). Below, the weights
# of eight neurons of the first layer.

# %%
answers = network.forward(images[test]).argmax(axis=1)
wrong = np.flatnonzero(answers != digits[test])
with drawing(None, 8, 2, (1.3, 1.6)) as axes:
    for axis, number in zip(axes[:8], wrong, strict=False):
        axis.imshow(images[number].reshape(8, 8), cmap="gray_r")
        axis.set_title(f"{answers[number]}, not {digits[number]}", fontsize=11)
    for axis, weights in zip(axes[8:], network.layers[0].weights.T, strict=False):
        axis.imshow(weights.reshape(8, 8), cmap="PuOr")
    for axis in axes:
        axis.set(xticks=(), yticks=())

# %% [markdown]
# **Try this.** Train on the first 100 digits of `images[train]` only, for 30 epochs. How far apart
# are the shares of known and of unseen digits?

# %% [markdown]
# ## The same layers and Go
#
# Now the input is a board as one plane: own stones 1, the other's -1. The label is the next move. A
# tree search has played the games on 5x5, and whole games are held back for the test.

# %%
number, teacher, epochs, rate = size(
    (200, "mcts:sims=200,rollout=heavy,rule=rave", 6, 0.2), (1000, "mcts:sims=200", 20, 0.05))
folder = Path(tempfile.mkdtemp()) / "games"
data = dlgo.generate("go:size=5", teacher, games=number, out=folder, seed=1)
(boards, moves), (test_boards, test_moves) = map(arrays, data.split(0.1, seed=1))
network = nn.Network([nn.Dense(25, 200, rng), nn.ReLU(), nn.Dense(200, 100, rng), nn.ReLU(),
                      nn.Dense(100, 26, rng)], nn.CrossEntropy())
guess = (test_moves == np.bincount(moves).argmax()).mean()
print(f"{len(moves):,} positions; always the commonest move: {guess:.1%}")
known, unseen = [], []
for _ in network.train(boards, nn.one_hot(moves, 26), epochs=epochs, batch=32, rate=rate, rng=rng):
    known.append(100 * network.accuracy(boards, moves))
    unseen.append(100 * network.accuracy(test_boards, test_moves))
margin = 100 * share_margin(unseen[-1] / 100, len(test_moves))
print(f"moves of known games {known[-1]:.1f}%, of unseen games {unseen[-1]:.1f}% +-{margin:.1f}%")
with drawing(size=(8, 4)) as (axes,):
    axes.plot(range(1, epochs + 1), known, "s--", color=ORANGE, label="games it learns from")
    axes.errorbar(range(1, epochs + 1), unseen, margin, fmt="o-", color=BLUE, capsize=4,
                  label="unseen games")
    axes.axhline(100 * guess, color=INK, linestyle=":", label="always the commonest move")
    axes.set(xlabel="epoch", title="moves predicted, %", ylim=(0, None))
    axes.legend()

# %% [markdown]
# **Try this.** Mirror each board and its move, and learn from both. A dense layer has to learn a
# shape anew for every place of the board; chapter 6 does something about that.
