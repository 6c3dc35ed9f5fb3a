# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 12 · Actor and critic
#
# Which of thirty moves won the game? A critic that follows the game can tell: the one after which
# things looked different. [The chapter's page](../docs/chapters/ch12.md) measures what that is
# worth.

# %%
import numpy as np

import dlgo
from engines.actor_critic.textbook import ActorCriticLoss, TextbookActorCritic
from engines.ppo.textbook import ClippedLoss, TextbookPPO
from experiments.chapters.ch12_actor_critic import WithoutCritic, with_good_critic
from experiments.chapters.practice import losing_mistakes, practise
from experiments.course.showing import Row, Source
from experiments.figures import BLUE, COLOURS, INK, ORANGE, drawing

# %% [markdown]
# ## Advantage
#
# The network that comes with the package knows Connect Four well. It plays against itself, its
# moves drawn at random, and says before each move what it expects, V. Of 200 such games, here is
# the one that was turned round most: the winner had nearly lost it.

# %%
connect4 = dlgo.game("connect4")
played = with_good_critic(connect4, games=200, seed=1)
ends = np.cumsum(played.plies)
turning = int(np.argmax(played.advantages))
game = int(np.searchsorted(ends, turning, side="right"))
rows = slice(ends[game] - played.plies[game], ends[game])
winner = (played.flags[rows] >> 1) == (played.flags[turning] >> 1)
plies = np.arange(1, played.plies[game] + 1)
with drawing(None, 2, 1, (6, 4)) as axes:
    axes[0].plot(plies[winner], played.values[rows][winner], "o-", color=BLUE)
    axes[0].axhline(0, color=INK, lw=1)
    axes[0].set(title="V, as the winner saw it", xlabel="move", ylim=(-1.05, 1.05))
    axes[1].bar(plies[winner], played.advantages[rows][winner], width=1.6, color=ORANGE)
    axes[1].set(title="A = 1 - V: what each move did", xlabel="move", ylim=(0, 2.05))

# %%
states = [connect4.start()]
for action in played.actions[rows].tolist():
    states.append(states[-1].apply_move(connect4.move_of(action)))
ply = turning - rows.start
Row(states[max(ply - 1, 0)], states[ply], states[ply + 1], states[-1],
    titles=("before the mistake", "the mistake", "the answer", "the end"))

# %% [markdown]
# **Try this.** Look at the loser of the same game (`~winner`; there A = -1 - V). Which move has the
# most negative advantage? Would REINFORCE have found it?

# %% [markdown]
# ## One network, two answers

# %%
Source(TextbookActorCritic.new_network, TextbookActorCritic.step, ActorCriticLoss.value)

# %% [markdown]
# Tic-tac-toe, the same number of games each: with a critic, with a bonus for entropy, with both.
# The vertical axis counts mistakes in *all* positions that lose a game which was not lost.

# %%
tictactoe = dlgo.game("tictactoe")


def learn(bot, batches=160, seed=1):
    """Losing mistakes, %, and the entropy of the policy in nats, after each 20th batch."""
    curve = []
    for batch in range(batches):
        played = practise(bot, 64, 1000 * seed + batch)
        if batch % 20 == 19:
            nats = -np.log(played.probabilities).mean()
            curve.append((100 * losing_mistakes(bot).mean(), nats))
    return np.array(curve)


bots = {
    "neither": WithoutCritic(tictactoe, entropy=0.0, seed=1),
    "critic": TextbookActorCritic(tictactoe, entropy=0.0, seed=1),
    "entropy": WithoutCritic(tictactoe, entropy=0.1, seed=1),
    "both": TextbookActorCritic(tictactoe, entropy=0.1, seed=1),
}
curves = {name: learn(bot) for name, bot in bots.items()}
games = np.arange(1, 9) * 1.28
with drawing(None, 2, 1, (6, 4)) as axes:
    for (name, curve), colour in zip(curves.items(), COLOURS, strict=False):
        for axis, column in zip(axes, curve.T, strict=True):
            axis.plot(games, column, color=colour, label=name)
    axes[0].set(title="losing mistakes, %", xlabel="thousands of games", ylim=(0, None))
    axes[1].set(title="entropy of the policy, nats", xlabel="thousands of games", ylim=(0, None))
    axes[0].legend(loc="lower left")

# %% [markdown]
# **Try this.** Set the entropy's weight to 1. What becomes of the policy? Between 0.1 and 1, where
# does it stop helping?

# %% [markdown]
# ## Several steps from one game: PPO
#
# After a step the policy is another one, and the games are yesterday's. PPO stops rewarding a move
# whose probability has changed enough, and so dares to take several steps.

# %%
Source(ClippedLoss.value)

# %%
curves = {f"{name} a batch": learn(TextbookPPO(tictactoe, epochs=epochs, seed=1), batches=80)
          for name, epochs in (("1 step", 1), ("4 steps", 4))}
curves["4 steps, not clipped"] = learn(TextbookPPO(tictactoe, epochs=4, clip=1e9, seed=1), 80)
with drawing(size=(8, 4)) as (axes,):
    for (name, curve), colour in zip(curves.items(), COLOURS, strict=False):
        axes.plot(games[:4], curve[:, 0], "o-", color=colour, label=name)
    axes.set(title="losing mistakes, %", xlabel="thousands of games", ylim=(0, None))
    axes.legend()

# %% [markdown]
# **Try this.** One seed proves nothing: run each with five seeds. Is clipping worth anything here?
# And with 20 steps from each batch?
