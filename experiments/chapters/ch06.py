# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 6 · From a board to a prediction
#
# What does a network see of a position, what does a convolution do with it, and which loss makes
# it learn? The networks here are small enough for NumPy. The chapter's own are trained by `python
# -m experiments.chapters.ch06_networks`; [its page](../../docs/chapters/ch06.md) shows what came of
# that.

# %%
import tempfile
from pathlib import Path

import numpy as np

import dlgo
from dlgo.encoders import get_encoder
from engines.learning import from_scratch as nn
from experiments.arena.series import share_margin
from experiments.chapters.ch06_networks import probe
from experiments.chapters.practice import arrays
from experiments.chapters.script import begin
from experiments.course.showing import draw_policy
from experiments.figures import draw_bars, drawing

begin()

# %% [markdown]
# ## Planes
#
# An encoder turns a position into numbers, a plane for each question. Here is the chapter's test
# position (figure 6.4) by two encoders: a single plane, and one with liberties.

# %%
state = probe()
state

# %%
for name in ("oneplane", "sevenplane"):
    encoder = get_encoder(name, state.game)
    planes = encoder.encode(state)
    with drawing(None, planes.shape[2], 1, (2.2, 2.6), title=f"{name}: {planes.shape}") as axes:
        for number, axis in enumerate(axes):
            axis.imshow(planes[:, :, number], origin="lower", cmap="PuOr_r", vmin=-1, vmax=1)
            axis.set(xticks=(), yticks=())
            axis.set_title(f"plane {number}", fontsize=11)

# %% [markdown]
# **Try this.** Turn the board by one move (`state.apply_move("E5")`) and encode again. Why do all
# numbers of the single plane change their sign?

# %% [markdown]
# ## A convolution by hand
#
# A filter is a small pattern that is laid on every point. This one asks: *an own stone here, and
# how many of the other's around it?* It finds the shape wherever it is, which a dense layer would
# have to learn for each place anew.

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
# **Try this.** Write a filter that answers where *two* stones of one colour stand side by side.

# %% [markdown]
# ## Games to learn from
#
# A tree search plays Connect Four against itself. Whole games are held back for the test.

# %%
folder = Path(tempfile.mkdtemp()) / "games"
data = dlgo.generate("connect4", "mcts:sims=200", games=150, out=folder, workers=1)
(inputs, moves), (test_inputs, test_moves) = map(arrays, data.split(0.15, seed=1))
commonest = (test_moves == np.bincount(moves).argmax()).mean()
print(f"{len(moves):,} positions to learn from, {len(test_moves):,} of other games")

# %% [markdown]
# ## Which loss?
#
# The same layers, the same games, the same number of steps.


# %%
def trained(between, loss, rate, last=(), seed=1):
    rng = np.random.default_rng(seed)
    network = nn.Network([nn.Dense(42, 128, rng), between(), nn.Dense(128, 64, rng), between(),
                          nn.Dense(64, 7, rng), *last], loss)
    for _ in network.train(inputs, nn.one_hot(moves, 7), epochs=6, batch=32, rate=rate, rng=rng):
        pass
    return network


networks = {
    "squared error, sigmoids": trained(nn.Sigmoid, nn.MeanSquaredError(), 0.1, [nn.Sigmoid()]),
    "cross-entropy, sigmoids": trained(nn.Sigmoid, nn.CrossEntropy(), 0.1),
    "cross-entropy, ReLUs": trained(nn.ReLU, nn.CrossEntropy(), 0.1),
}
shares = {name: network.accuracy(test_inputs, test_moves) for name, network in networks.items()}
shares["always the commonest"] = commonest
with drawing(size=(9, 3.2)) as (axes,):
    draw_bars(axes, {name: 100 * share for name, share in shares.items()},
              [100 * share_margin(share, len(test_moves)) for share in shares.values()],
              [f"{share:.1%}" for share in shares.values()])
    axes.set(xlabel="moves of other games predicted, %, with 95% intervals", xlim=(0, 60))

# %% [markdown]
# **Try this.** Give the squared error a rate of 3. Does it catch up? Then let all train for 30
# epochs: which of them learn the games by heart (`accuracy(inputs, moves)`)?

# %% [markdown]
# ## A network that comes with the package
#
# It has learned from games of a search on 9x9 and needs no TensorFlow to be asked. Where would it
# play in the chapter's position?

# %%
decision = dlgo.engine("supervised", state.game).select_move(state)
with drawing(size=(5, 5.3)) as (axes,):
    draw_policy(axes, state, decision.policy, "what it predicts")
decision

# %% [markdown]
# And in Connect Four? The search below it looks ahead, the network answers at once.

# %%
connect4 = dlgo.game("connect4")
state = connect4.start().play(*"4455")
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    for axis, spec in zip(axes, ("supervised", "mcts:sims=5000"), strict=True):
        policy = dlgo.engine(spec, connect4, 1).select_move(state).policy
        draw_policy(axis, state, policy, spec)

# %% [markdown]
# **Try this.** Find a position where the network's favourite loses at once (`mcts` will tell).
# What would it have to see?
