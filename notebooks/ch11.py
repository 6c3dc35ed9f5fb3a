# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 11 · What is a move worth?
#
# A Q-network answers that for any move in any position. Play the best one, and from time to time
# another one, to learn what that is worth. Tic-tac-toe is solved, so you can see how far the
# answers are from the truth. [The chapter's page](../docs/chapters/ch11.md) compares ways to
# choose between the best and the rest.

# %%
import numpy as np

import dlgo
from engines.q_learning.textbook import TextbookQ
from experiments.chapters.practice import ILLEGAL, exam, losing_mistakes, practise
from experiments.course.showing import Source
from experiments.figures import BLUE, GREEN, INK, ORANGE, RED, drawing

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
    """Train, and say how often the best move loses what was not lost, % of all positions."""
    mistakes = [100 * losing_mistakes(bot).mean()]
    for batch in range(batches):
        bot.epsilon = epsilon(batch / batches)
        practise(bot, 256, 1000 * seed + batch)
        if batch % 10 == 9:
            mistakes.append(100 * losing_mistakes(bot).mean())
    return mistakes


curves = {"half at random": learn(bot, lambda done: 0.5, 60)}
print(f"mistakes: {curves['half at random'][0]:.1f}% at first, "
      f"{curves['half at random'][-1]:.1f}% after 15,360 games")
draw_values(bot, [], "after 15,360 games")

# %%
draw_values(bot, ["A1", "B2", "A2"], "O must stop X in the first column")

# %% [markdown]
# **Try this.** Which answer to a corner does it think best (`["A1"]`)? Only one does not lose.

# %% [markdown]
# ## Without chance nothing is learned
#
# The same, always playing the best move: every game of a batch is the same one.

# %%
curves["never"] = learn(TextbookQ(tictactoe, seed=1), lambda done: 0.0, 60)
curves["falling to 0.1"] = learn(TextbookQ(tictactoe, seed=1), lambda done: 0.5 - 0.4 * done, 60)
with drawing(size=(8, 4)) as (axes,):
    for (name, values), colour in zip(curves.items(), (BLUE, RED, GREEN), strict=True):
        axes.plot(np.arange(len(values)) * 2.56, values, "o-", color=colour, label=name)
    axes.set(xlabel="thousands of games", title="losing mistakes, % of 4,520 positions",
             ylim=(0, None))
    axes.legend()

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
values, outcomes = exam(bot)
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
