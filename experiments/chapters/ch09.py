# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 9 · Experience
#
# A bot that learns by playing needs to remember what it saw, what it did and what came of it. Here
# you look at such memories, and at how hard it is to see that a bot has become better. [The
# chapter's page](../../docs/chapters/ch09.md) has the whole story.

# %%
import dataclasses
import tempfile
from pathlib import Path

import numpy as np
from scipy.stats import binom, binomtest

import dlgo
from engines.actor_critic.textbook import TextbookActorCritic
from engines.learning.data.experience import Experience, merged, read_experience, write_experience
from engines.learning.selfplay.schedule import Schedule
from engines.policy_gradient.textbook import TextbookReinforce
from experiments.chapters import practice
from experiments.chapters.practice import decided, play, results_against, side, trained
from experiments.chapters.script import begin, size
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import BLUE, INK, ORANGE, RED, drawing

begin()
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
# ## Thousands of games
#
# The same, hundreds at a time in compiled code. The boards are not stored: the moves make them
# again. So a decision takes 14 bytes, where its planes, action and reward take a thousand. Two
# files are written, read back and put together.

# %%
parts = [play([side(bot)], Schedule.practice(1000, seed), connect4).with_returns(discount=0.9)
         for seed in (1, 2)]
folder = Path(tempfile.mkdtemp())
paths = [write_experience(folder / f"part{k}.npz", part) for k, part in enumerate(parts)]
both = merged([read_experience(path, connect4) for path in paths])
equal = np.array_equal(both.actions, np.concatenate([part.actions for part in parts]))
bytes_each = sum(path.stat().st_size for path in paths) / len(both.decisions)
print(f"{both.n_games:,} games, {len(both.decisions):,} decisions: equal {equal}; "
      f"{bytes_each:.1f} bytes each, {8 * int(np.prod(bot.encoder.shape)) + 16} with planes")
Source(Experience.with_returns)

# %% [markdown]
# How near to chance does an untrained policy play? And how many different games are there, if moves
# are drawn from it, and if the likeliest move is always played?

# %%
found = practice.decisions_of(bot, both)
nats, most = (-sum(np.log(decision.share) for decision in found),
              sum(np.log(decision.legal.sum()) for decision in found))
print(f"entropy of the untrained policy: {nats / most:.1%} of that of random play")
for name, player in (("the likeliest move", dataclasses.replace(side(bot), temperature=0.0)),
                     ("moves drawn", side(bot))):
    played = play([player], Schedule.practice(1000, 1), connect4)
    print(f"{name}: {len(set(practice.games_of(played))):,} different games of 1,000")

# %% [markdown]
# **Try this.** Read the file as experience of another game: `read_experience(paths[0],
# dlgo.game("tictactoe"))`. Cut off its last byte and read it again. What does it say?

# %% [markdown]
# ## Is it better?
#
# The bot learns from 1,920 games, then from as many more. How sure can we be that the second half
# was worth anything?

# %%
old = trained(bot, batches=30, seed=1)
new = trained(old, batches=30, seed=2)
for name, policy in (("old", old), ("new", new)):
    share, low, high = decided(results_against(policy, bot, 2000, 1))
    print(f"{name} against untrained: {share:.1%} ({low:.1%} to {high:.1%}) of 2,000 games")
results = results_against(new, old, size(20_000, 100_000), 1)
strength, low, high = decided(results)
print(f"new against old: {strength:.1%} ({low:.1%} to {high:.1%}) of {len(results):,} games")
won = (results == 1).astype(float)[results != 0.5]
numbers = np.unique(np.geomspace(20, len(won), 60).astype(int))
shares = np.cumsum(won)[numbers - 1] / numbers
margins = 1.96 * np.sqrt(shares * (1 - shares) / numbers)
with drawing(size=(8, 4)) as (axes,):
    axes.plot(numbers, 100 * shares, color=BLUE)
    axes.fill_between(numbers, 100 * (shares - margins), 100 * (shares + margins), color=BLUE,
                      alpha=0.2, lw=0)
    axes.axhline(50, color=INK, lw=1.5, ls="--")
    axes.set(xscale="log", xlabel="games", title="won by the new bot, %, with 95% interval")

# %% [markdown]
# Cut the games into matches. How many of them show that the new bot is better (p < 5%)? The curves
# are what the binomial test can see.

# %%
seen = {}
for games in (100, 300, 1000, 3000, 10_000):
    if 2 * games <= len(won):
        wins = won[: len(won) // games * games].reshape(-1, games).sum(axis=1)
        seen[games] = np.mean([binomtest(int(n), games).pvalue < 0.05 and n > games / 2
                               for n in wins])
        print(f"{games:>6,} games: {seen[games]:.0%} of {len(wins)} matches show it; in "
              f"{np.mean(wins <= games / 2):.0%} it wins no more than half")
numbers = np.unique(np.geomspace(30, 30_000, 60).astype(int))
with drawing(size=(8, 4)) as (axes,):
    for share, colour in ((0.6, RED), (0.55, ORANGE), (strength, BLUE)):
        axes.plot(numbers, 100 * binom.sf(binom.isf(0.025, numbers, 0.5), numbers, share),
                  color=colour, label=f"wins {share:.1%}")
    axes.plot(list(seen), [100 * share for share in seen.values()], "o", color=BLUE)
    axes.set(xscale="log", xlabel="games of a match", ylim=(0, 103),
             title="matches that show who is better, %")
    axes.legend(loc="lower right")

# %% [markdown]
# The book's 53 of 100 and 530 of 1,000, and its rule to go on with a new bot if it wins 60 of 100:

# %%
for wins, games in ((53, 100), (530, 1000)):
    print(f"binomial test, {wins} of {games:,}: p = {binomtest(wins, games).pvalue:.3f} for either "
          f"side, {binom.sf(wins - 1, games, 0.5):.3f} for {wins} or more")
gate, true = binom.sf(59, 100, 0.5), binom.sf(59, 100, 0.55)
print(f"60 of 100: an equal bot passes with {gate:.1%}, in one of three tries with "
      f"{1 - (1 - gate) ** 3:.1%}; one that wins 55% of its games with {true:.0%}")

# %% [markdown]
# **Try this.** Where should the gate be, so that an equal bot passes one time in a hundred? How
# many games does it then take to let one that wins 55% pass nine times in ten?
