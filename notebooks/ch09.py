# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 9 · Experience
#
# A bot that learns by playing needs to remember what it saw, what it did and what came of it. Here
# you look at such memories, and at how hard it is to see that a bot has become better. [The
# chapter's page](../docs/chapters/ch09.md) has the whole story.

# %%
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import binom, binomtest

import dlgo
from engines.actor_critic.textbook import TextbookActorCritic
from engines.learning.data.experience import Experience, read_experience, write_experience
from engines.learning.selfplay.schedule import Schedule
from engines.policy_gradient.textbook import TextbookReinforce
from experiments.chapters.practice import decided, play, results_against, side, trained
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import BLUE, INK, ORANGE, RED, drawing

connect4 = dlgo.game("connect4")
bot = TextbookActorCritic(connect4, discount=0.9, seed=1)

# %% [markdown]
# ## A game, as it is remembered
#
# The network has learned nothing yet. Its policy is nearly even, and moves are drawn from it.

# %%
decisions, result = bot.play()
positions = [connect4.start()]
for decision in decisions:
    positions.append(positions[-1].apply_move(connect4.move_of(decision.action)))
Row(positions[0], positions[len(decisions) // 2], positions[-1],
    titles=("the beginning", "halfway", "the end"))

# %%
state = positions[len(decisions) // 2]
policy, _, legal = bot.policy(state)
with drawing(size=(5, 4.8)) as (axes,):
    draw_policy(axes, state, {connect4.move_of(int(action)): policy[action]
                              for action in np.flatnonzero(legal)}, "the policy")

# %% [markdown]
# A decision is what the network saw, what was legal, what was played, by whom, and how likely it
# was. When the game is over, each decision gets its return.

# %%
Source(TextbookReinforce.credit)

# %%
returns = bot.credit(decisions, result)
with drawing(size=(8, 3.4)) as (axes,):
    axes.bar(range(1, len(returns) + 1), returns,
             color=[(BLUE, ORANGE)[decision.player.index] for decision in decisions])
    axes.axhline(0, color=INK, lw=1)
    axes.set(xlabel="move", title="returns: 0.9 for each later decision of the same player")

# %% [markdown]
# **Try this.** Set `discount=1.0`, then 0.5. Which moves does the bot then think have won the game?

# %% [markdown]
# ## A thousand games
#
# The same, a thousand at a time in compiled code. The boards are not stored: the moves make them
# again. So a decision takes 14 bytes.

# %%
played = play([side(bot)], Schedule.practice(1000, seed=1), connect4).with_returns(discount=0.9)
path = write_experience(Path(tempfile.mkdtemp()) / "games.npz", played)
again = read_experience(path, connect4)
print(f"{again.n_games:,} games, {len(again.decisions):,} decisions, "
      f"{path.stat().st_size / len(again.decisions):.1f} bytes each; "
      f"the same moves: {np.array_equal(again.actions, played.actions)}")
Source(Experience.with_returns)

# %% [markdown]
# **Try this.** Read the file as experience of another game: `read_experience(path,
# dlgo.game("tictactoe"))`. Cut off its last byte and read it again. What does it say?

# %% [markdown]
# ## Is it better?
#
# The bot learns from 1,920 games, then from as many more. How sure can we be that the second half
# was worth anything?

# %%
old = trained(bot, batches=30, seed=1)
new = trained(old, batches=30, seed=2)
results = results_against(new, old, 20_000)
print("new against old: {:.1%} ({:.1%} to {:.1%})".format(*decided(results)))
won = results[results != 0.5]
numbers = np.unique(np.geomspace(20, len(won), 50).astype(int))
shares = np.cumsum(won)[numbers - 1] / numbers
margins = 1.96 * np.sqrt(shares * (1 - shares) / numbers)
with drawing(size=(8, 4)) as (axes,):
    axes.plot(numbers, 100 * shares, color=BLUE)
    axes.fill_between(numbers, 100 * (shares - margins), 100 * (shares + margins), color=BLUE,
                      alpha=0.2, lw=0)
    axes.axhline(50, color=INK, lw=1.5, ls="--")
    axes.set(xscale="log", xlabel="games", title="won by the new bot, %, with 95% interval")

# %% [markdown]
# Suppose that a bot wins 53% of its games. In how many matches of 100 games would we notice?

# %%
for games in (100, 1000, 4000):
    enough = next(wins for wins in range(games // 2, games)
                  if binomtest(wins, games).pvalue < 0.05)
    print(f"{games:>5,} games: {enough:,} wins needed, seen in "
          f"{binom.sf(enough - 1, games, 0.53):.0%} of such matches")
with drawing(size=(8, 3.6)) as (axes,):
    wins = np.arange(30, 76)
    axes.bar(wins, binom.pmf(wins, 100, 0.5), color=INK, alpha=0.4, label="no better")
    axes.bar(wins, binom.pmf(wins, 100, 0.53), color=RED, alpha=0.4, label="wins 53%")
    axes.set(xlabel="wins of 100", title="can you tell them apart?", yticks=[])
    axes.legend()

# %% [markdown]
# **Try this.** The book's rule is to go on with a new bot if it wins 60 of 100. How often does an
# equal bot pass? And a bot that has really become better, and wins 55%?
