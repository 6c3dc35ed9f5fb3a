# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 11 · What is a move worth?
#
# A Q-network answers that for any move in any position. Play the best one, and from time to time
# another one, to learn what that is worth. Tic-tac-toe is solved, so you can see how far the
# answers are from the truth. [The chapter's page](../../docs/chapters/ch11.md) compares ways to
# choose between the best and the rest.

# %%
import numpy as np

import dlgo
from engines.q_learning.textbook import TextbookQ
from experiments.chapters import practice
from experiments.chapters.practice import (
    ILLEGAL,
    evaluate_solved,
    losing_mistakes,
    mean_text,
    train_batch,
)
from experiments.chapters.script import begin, size
from experiments.course.showing import Source
from experiments.figures import COLOURS, INK, ORANGE, RED, drawing

begin()
tictactoe = dlgo.game("tictactoe")
bot = TextbookQ(tictactoe, seed=1)

# %% [markdown]
# ## Two inputs, one number
#
# Position and move go in side by side, and one number comes out, from -1 to 1.

# %%
Source(TextbookQ.new_network, TextbookQ.scores, TextbookQ.policy_of)


# %%
def draw_values(bot, moves, title):
    """Q of each empty cell, as a colour and a number, in the position after these moves."""
    state = tictactoe.start().play(*moves)
    planes = bot.encoder.encode(state).ravel()[None].astype(float)
    values = bot.scores(planes)[0]
    stones = {tictactoe.action_of(tictactoe.parse_move(tictactoe.start(), move)):
              "XO"[number % 2] for number, move in enumerate(moves)}
    with drawing(size=(4.4, 4.2)) as (axes,):
        shown = np.ma.masked_array(values, [action in stones for action in range(9)])
        axes.imshow(shown.reshape(3, 3), cmap="PuOr", vmin=-1, vmax=1)
        for action in range(9):
            text = stones.get(action, f"{values[action]:+.2f}")
            axes.annotate(text, (action % 3, action // 3), ha="center", va="center", color=INK,
                          fontsize=26 if action in stones else 15,
                          bbox={"facecolor": "white", "alpha": 0.7, "edgecolor": "none"})
        axes.set(xticks=[], yticks=[], title=title)


draw_values(bot, [], "Q before any learning")

# %% [markdown]
# ## Learning
#
# Each move that was played is told the result of its game. With half of the moves at random all
# kinds of positions are met.

# %%
Source(TextbookQ.step)


# %%
def learn(bot, epsilon, batches, seed=1):
    """Train on batches of 256 games, with a chance of random moves that may change on the way.

    Returns: of each tenth batch the losing mistakes (share of all 4,520 positions in which the best
    move loses what was not lost) and Q of the first move; then the number of different games,
    which positions they met, bool[4520], and the points against random play.
    """
    met, games, curve = np.zeros(len(evaluate_solved(bot)[0]), bool), set(), []
    for batch in range(batches + 1):
        if batch % 10 == 0:
            values, outcomes = evaluate_solved(bot)
            first = values[0, outcomes[0] != ILLEGAL].max()
            curve.append((losing_mistakes(bot).mean(), first))
        bot.epsilon = epsilon(batch / batches)
        if batch < batches:
            played = train_batch(bot, 256, 1000 * seed + batch)
            games.update(practice.games_of(played))
            met[practice.rows_met(bot, played)] = True
    return np.array(curve), len(games), met, practice.against_random(bot, 1000, seed)


curve, *_ = learn(bot, lambda done: 0.5, 60)
print(f"losing mistakes: {curve[0, 0]:.1%} at first, {curve[-1, 0]:.1%} after 15,360 games")
draw_values(bot, [], "after 15,360 games")

# %%
draw_values(bot, ["A1", "B2", "A2"], "O must stop X in the first column")

# %% [markdown]
# **Try this.** Which answer to a corner does it think best (`["A1"]`)? Only one does not lose.

# %% [markdown]
# ## How much chance?
#
# Without random moves every game of a batch is the same one, and nothing is learned. With one move
# in ten at random many positions are met, with one in two nearly all. `known` and `unknown` are the
# mistakes in positions that the games met and in the others.

# %%
seeds, batches, curves = size(1, 10), size(60, 300), {}
print(f"seeds: {seeds}, {batches * 256:,} games each; +- is half a 95% interval")
for name, epsilon in (("none", lambda done: 0.0), ("always 0.1", lambda done: 0.1),
                      ("always 0.5", lambda done: 0.5),
                      ("0.5 falling to 0.1", lambda done: 0.5 - 0.4 * done)):
    rows, curves[name] = [], []
    for seed in range(1, seeds + 1):
        learner = TextbookQ(tictactoe, seed=seed)
        curve, games, met, score = learn(learner, epsilon, batches, seed)
        wrong = losing_mistakes(learner)
        rows.append((curve[-1, 0], score, curve[-1, 1], games, met.mean(), wrong[met].mean(),
                     wrong[~met].mean() if not met.all() else 0.0))
        curves[name].append(curve)
    wrong, score = (mean_text([100 * row[k] for row in rows]) for k in (0, 1))
    first, games, met, known, unknown = np.mean(rows, axis=0)[2:]
    print(f"{name:<20}mistakes {wrong}, against random play {score},\n    first move {first:.2f}, "
          f"{games:,.0f} different games met {met:.0%}; known {known:.1%}, unknown {unknown:.1%}")
with drawing(None, 2, 1, (7, 5)) as axes:
    games = np.arange(0, batches + 1, 10) * 0.256
    for (name, found), colour in zip(curves.items(), COLOURS, strict=False):
        for axis, column in zip(axes, np.moveaxis(found, 2, 0), strict=True):
            axis.plot(games, column.mean(axis=0), color=colour, label=name)
            axis.fill_between(games, column.min(axis=0), column.max(axis=0), color=colour,
                              alpha=0.15, lw=0)
    axes[0].set(title="losing mistakes, share of 4,520 positions", ylim=(0, None))
    axes[1].axhline(0, color=INK, lw=1.5, ls="--")
    axes[1].set(title="Q of the first move; in truth 0", ylim=(-1, 1))
    for axis in axes:
        axis.set_xlabel("thousands of games")
    axes[1].legend(title="chance of a random move", loc="lower right", ncols=2)

# %% [markdown]
# **Try this.** Begin with 0.5 and end with 0. Is it better to spend the games on careful play, or
# on many positions? Ask the same of points against random play (`bot.score(200)`).

# %% [markdown]
# ## Worth for whom?
#
# Q is what a move was worth *in the games that were played*. Half of the moves in them were random,
# so a position that is drawn may look nearly won. Here all moves of all positions, by what they
# lead to with perfect play:

# %%
values, outcomes = evaluate_solved(bot)
with drawing(size=(8, 4)) as (axes,):
    for outcome, name, colour in ((-1, "lost", RED), (0, "drawn", INK), (1, "won", ORANGE)):
        axes.hist(values[outcomes == outcome], bins=40, range=(-1, 1), density=True, color=colour,
                  alpha=0.5, label=name)
    axes.set(xlabel="Q", yticks=[], title="what Q says of moves that are ...")
    axes.legend()
moves = outcomes != ILLEGAL
print(f"correlation of Q with the truth: {np.corrcoef(values[moves], outcomes[moves])[0, 1]:.2f}")

# %% [markdown]
# **Try this.** Which drawn move has the highest Q, and which won move the lowest? Look at their
# positions. Is Q wrong there, or is it right about careless players?
