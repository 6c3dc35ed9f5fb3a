# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 7 · Learning from data, and being fooled by it
#
# Three questions of chapter 7 on games that are made here: how a wrong split of the data deceives,
# what momentum is worth, and what more games are worth. [The chapter's
# page](../../docs/chapters/ch07.md) asks them of larger networks and of games of people.

# %%
import tempfile
from pathlib import Path

import numpy as np

import dlgo
from dlgo.encoders import get_encoder
from engines.learning.data import BatchOptions, batches
from engines.learning.from_scratch import CrossEntropy, Dense, Network, ReLU, one_hot
from experiments.arena.series import share_margin
from experiments.chapters.practice import arrays
from experiments.chapters.script import begin
from experiments.course.showing import Row, Source
from experiments.figures import COLOURS, draw_bars, drawing

begin()
folder = Path(tempfile.mkdtemp()) / "games"
data = dlgo.generate("connect4", "mcts:sims=200", games=200, out=folder, workers=1)
data

# %% [markdown]
# ## The leak
#
# The predictor below learns nothing: it looks up the most similar position that it knows. It is
# tested on games it knows, on held-back positions of them, and on games it has never seen.


# %%
def table(part):
    """All positions of a part in one batch, in order."""
    encoder = get_encoder("oneplane", part.game)
    return next(batches(part, encoder, BatchOptions(part.n_positions, shuffle=False)))


def looked_up(known, tested):
    """Shares of positions whose nearest known one has the same move, and the same winner."""
    a, b = (batch.planes.reshape(len(batch), -1) for batch in (tested, known))
    # |a - b|^2 without |a|^2, which is the same for all b.
    nearest = np.concatenate([((b**2).sum(1) - 2 * rows @ b.T).argmin(1)
                              for rows in np.array_split(a, len(a) // 512 + 1)])
    return ((known.policies[nearest].argmax(1) == tested.policies.argmax(1)).mean(),
            (known.values[nearest] == tested.values).mean())


everything = table(data)
order = np.random.default_rng(1).permutation(len(everything))
held_back, rest = (everything.at(rows) for rows in np.split(order, [len(order) // 10]))
train, test = map(table, data.split(0.1, seed=1))
shares, margins = {}, {}
for name, known, tested in (("known games", everything, held_back),
                            ("10% of positions", rest, held_back), ("10% of games", train, test)):
    # The positions of a game have one winner: each held-back game counts once.
    independent = (len(tested), data.n_games // 10 if known is train else len(tested))
    shares[name] = looked_up(known, tested)
    margins[name] = [share_margin(*pair) for pair in zip(shares[name], independent, strict=True)]
    print(f"{name}: move " + ", winner ".join(
        f"{share:.1%} +-{margin:.1%}" for share, margin in zip(shares[name], margins[name],
                                                                strict=True)))
with drawing(None, 2, 1, (6, 3), sharey=True) as axes:
    for axis, part, title in zip(axes, (0, 1), ("the move", "the winner"), strict=True):
        draw_bars(axis, {name: 100 * row[part] for name, row in shares.items()},
                  [100 * row[part] for row in margins.values()],
                  [f"{row[part]:.0%}" for row in shares.values()], most=100)
        axis.set(title=f"{title} predicted, %", xlim=(0, 125))

# %% [markdown]
# Why does a held-back *position* give the winner away? Two neighbours of one game:

# %%
game = data.game
state = game.start().play(*"444355633")
Row(state, state.play("2"), titles=("known", "to be predicted"))

# %% [markdown]
# **Try this.** Hold back every *tenth ply* instead of a random tenth of the positions. Does the
# leak get smaller?

# %% [markdown]
# ## Steps
#
# Plain steps go down the slope of the last few games. Momentum keeps a part of the steps before.
# In NumPy that is one more array for each layer:

# %%
(inputs, moves), (test_inputs, test_moves) = map(arrays, data.split(0.15, seed=1))
labels = one_hot(moves, 7)
Source(Network.step)


# %%
class Momentum(Network):
    """Steps that go on in the direction of the last ones."""

    keep = 0.9

    def step(self, inputs, labels, rate):
        outputs = self.forward(inputs)
        self.backward(self.loss.delta(outputs, labels))
        if not hasattr(self, "velocity"):
            self.velocity = [[0 * p for p in layer.parameters] for layer in self.layers]
        for layer, speeds in zip(self.layers, self.velocity, strict=True):
            for i, gradient in enumerate(layer.gradients):
                speeds[i] = self.keep * speeds[i] - rate * gradient
                layer.parameters[i][...] += speeds[i]
        return self.loss.value(outputs, labels)


def curve(kind, rate, part=slice(None), epochs=6, seed=1):
    """The share of unseen moves predicted, after each epoch."""
    rng = np.random.default_rng(seed)
    network = kind([Dense(42, 96, rng), ReLU(), Dense(96, 48, rng), ReLU(), Dense(48, 7, rng)],
                   CrossEntropy())
    return [
        network.accuracy(test_inputs, test_moves)
        for _ in network.train(inputs[part], labels[part], epochs=epochs, batch=32, rate=rate,
                               rng=rng)
    ]


curves = {
    "plain, 0.01": curve(Network, 0.01), "momentum, 0.01": curve(Momentum, 0.01),
    "plain, 0.1": curve(Network, 0.1), "momentum, 0.1": curve(Momentum, 0.1),
}
with drawing(size=(8, 4.2)) as (axes,):
    for (name, found), colour in zip(curves.items(), COLOURS, strict=False):
        margins = [100 * share_margin(share, len(test_moves)) for share in found]
        axes.errorbar(range(1, 7), [100 * share for share in found], margins, fmt="o-", capsize=4,
                      color=colour, label=name)
    axes.set(xlabel="epoch", title="moves of unseen games predicted, %", ylim=(0, None))
    axes.legend(loc="lower right", ncols=2)

# %% [markdown]
# **Try this.** Momentum 0.9 makes steps up to ten times as long. So compare `momentum, 0.01` with
# `plain, 0.1`: what is left of the gain? At which rate does each of them fail to learn?

# %% [markdown]
# ## More games
#
# The same number of steps for each: fewer games are seen more often.

# %%
sizes = (len(inputs) // 16, len(inputs) // 4, len(inputs))
ends = {}
for size in sizes:
    part = np.arange(size)  # positions stand game after game
    ends[size] = curve(Network, 0.1, part, epochs=4 * len(inputs) // size)[-1]
with drawing(size=(8, 2.6)) as (axes,):
    draw_bars(axes, {f"{size:,} positions": 100 * share for size, share in ends.items()},
              [100 * share_margin(share, len(test_moves)) for share in ends.values()],
              [f"{share:.1%}" for share in ends.values()])
    axes.set(xlim=(0, 60), xlabel="moves of unseen games predicted, %, with 95% intervals")

# %% [markdown]
# **Try this.** Mirror each position and its move (`inputs.reshape(-1, 6, 7)[:, :, ::-1]`, `6 -
# moves`) and learn from both. Are 100 games and their mirror images worth 200 games?
