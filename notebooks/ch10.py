# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 10 · Policy gradients
#
# Make the moves of won games likelier, and those of lost games less likely. That is all, and it
# works. [The chapter's page](../docs/chapters/ch10.md) says what can go wrong.

# %%
import numpy as np

import dlgo
from engines.learning.from_scratch import Network
from engines.policy_gradient.textbook import PolicyGradientLoss, TextbookReinforce
from experiments.chapters.ch10_add_it_up import credit, learn, play
from experiments.chapters.practice import against_random, practise
from experiments.course.showing import Source, draw_policy
from experiments.figures import BLUE, COLOURS, GREEN, INK, ORANGE, drawing

# %% [markdown]
# ## Add It Up
#
# Two players choose a number from 1 to 5, a hundred times each; the higher sum wins. One game
# teaches hardly anything: by how much did the winner make each choice oftener than the loser?

# %%
rng = np.random.default_rng(1)
even = np.full(5, 0.2)
single = credit(play(even, rng), ties=False)
many = sum(credit(play(even, rng), ties=False) for _ in range(1000)) / 1000
with drawing(None, 2, 1, (5, 3.4)) as axes:
    for axis, counts, title in ((axes[0], single, "one game"), (axes[1], many, "mean of 1,000")):
        axis.bar(range(1, 6), counts, color=BLUE)
        axis.axhline(0, color=INK, lw=1)
        axis.set(title=title, xlabel="choice")

# %%
policies = learn(games=2000, seed=1)
with drawing(size=(8, 4)) as (axes,):
    for choice, colour in zip(range(5), COLOURS, strict=True):
        axes.plot(policies[:, choice], color=colour, label=f"p({choice + 1})")
    axes.set(xlabel="games", ylim=(0, 1), title="the policy, after each game")
    axes.legend(loc="center left")

# %% [markdown]
# **Try this.** Run it with ten seeds. How early, and how late, does 5 become the likeliest choice?
# Which choice goes first, and why that one?

# %% [markdown]
# ## One step with a network
#
# In a real game the best move depends on the position, so a network holds the policy. A step of
# gradient descent moves it. Here is a position, before and after a single step that says "column 4
# was played, and the game was won":

# %%
connect4 = dlgo.game("connect4")
state = connect4.start().play(*"4455")


def decision_of(bot):
    """Column 4, played by who is to move."""
    policy, planes, legal = bot.policy(state)
    played, _ = bot.play()
    return played[0]._replace(planes=planes, legal=legal, action=3, player=state.next_player,
                              share=float(policy[3]))


with drawing(None, 3, 1, (4.2, 4.2)) as axes:
    for axis, title, value in zip(axes, ("before", "won", "lost"), (0, 1, -1), strict=True):
        bot = TextbookReinforce(connect4, rate=0.05, seed=1)
        bot.step([decision_of(bot)], np.array([float(value)]))
        policy, _, legal = bot.policy(state)
        draw_policy(axis, state, {connect4.move_of(int(action)): policy[action]
                                  for action in np.flatnonzero(legal)}, title)

# %%
Source(PolicyGradientLoss.delta)

# %% [markdown]
# The same -1, again and again: a cross-entropy with a -1 in it has no lowest value.

# %%
bot = TextbookReinforce(connect4, rate=0.1, seed=1)
lost, logits = decision_of(bot), []
for _ in range(400):
    logits.append(bot.scores(lost.planes[None])[0][3])
    bot.step([lost], np.array([-1.0]))
with drawing(size=(8, 3.4)) as (axes,):
    axes.plot(logits, color=ORANGE)
    axes.set(xlabel="steps", yscale="symlog", title="the logit of column 4 never comes to rest")

# %% [markdown]
# **Try this.** Do the same with a return of +1. Does that come to rest? Why is there a difference?

# %% [markdown]
# ## Learning Connect Four
#
# Games against itself, a step after every 64 games, and now and then a test of the likeliest moves
# against random ones. Note where it begins: an untrained network, too, has a favourite column, and
# that alone beats random play in three of four games.

# %%
Source(TextbookReinforce.step, Network.step)

# %%
curves = {}
for name, rate in (("rate 0.01", 0.01), ("rate 1", 1.0)):
    bot = TextbookReinforce(connect4, rate=rate, discount=0.9, seed=1)
    scores = [against_random(bot, 500)]
    for batch in range(60):
        practise(bot, 64, seed=batch)
        if batch % 10 == 9:
            scores.append(against_random(bot, 500))
    curves[name] = scores
with drawing(size=(8, 4)) as (axes,):
    for (name, scores), colour in zip(curves.items(), (GREEN, BLUE), strict=True):
        axes.plot(np.arange(7) * 640, [100 * score for score in scores], "o-", color=colour,
                  label=name)
    axes.set(xlabel="games against itself", title="points against random play, %", ylim=(60, 100))
    axes.legend(loc="lower right")

# %% [markdown]
# What has it understood? Its policy at the beginning, and where it can win at once in column 4:

# %%
threat = connect4.start().play(*"414142")
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    for axis, shown, title in ((axes[0], connect4.start(), "the first move"),
                               (axes[1], threat, "red wins in column 4")):
        policy, _, legal = bot.policy(shown)
        draw_policy(axis, shown, {connect4.move_of(int(action)): policy[action]
                                  for action in np.flatnonzero(legal)}, title)

# %% [markdown]
# **Try this.** Learn with `discount=1.0`: all moves of a won game are praised alike. How many more
# games does it take? And with batches of 8 games?
