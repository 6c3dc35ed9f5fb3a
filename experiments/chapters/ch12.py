# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 12 · Actor and critic
#
# Which of thirty moves won the game? A critic that follows the game can tell: the one after which
# things looked different. [The chapter's page](../../docs/chapters/ch12.md) measures what that is
# worth.

# %%
import numpy as np

import dlgo
from engines.actor_critic.textbook import ActorCriticLoss, TextbookActorCritic
from engines.learning.networks.leaf_evaluator import model_for
from engines.learning.selfplay.policy_games import Side, network_side, play
from engines.learning.selfplay.schedule import Schedule
from engines.ppo.textbook import ClippedLoss, TextbookPPO
from experiments.chapters.practice import against_random, losing_mistakes, mean_text, train_batch
from experiments.chapters.script import begin, size
from experiments.course.showing import Row, Source
from experiments.figures import BLUE, COLOURS, INK, ORANGE, drawing

begin()

# %% [markdown]
# ## Advantage
#
# The network that comes with the package knows Connect Four well. It plays against itself, its
# moves drawn at random, and says before each move what it expects, V. When in a game are the
# advantages, A = R - V, large?

# %%
connect4, number = dlgo.game("connect4"), size(200, 1000)
player = network_side(model_for(connect4, "alphazero"), connect4, "onnx", like=Side(learns=True))
played = play(connect4, [player], Schedule.practice(number, 1), 256).with_returns()
lengths = np.repeat(played.plies, played.plies)
firsts = np.repeat(np.cumsum(played.plies) - played.plies, played.plies)
part = (10 * (np.arange(len(lengths)) - firsts) / lengths).astype(int)
sizes = np.abs(played.advantages)
means = np.array([sizes[part == k].mean() for k in range(10)])
margins = np.array([1.96 * sizes[part == k].std() / np.sqrt(number) for k in range(10)])
print(f"{number:,} games, {len(sizes):,} decisions; mean |A|: first tenth {means[0]:.2f} "
      f"+-{margins[0]:.2f}, last tenth {means[-1]:.2f} +-{margins[-1]:.2f}")
print(f"|A| above 1.5, a game turned round: {(sizes > 1.5).mean():.1%} of the decisions, with "
      f"{sizes[sizes > 1.5].sum() / sizes.sum():.1%} of the sum of |A|")
signs = np.sign(played.advantages) * played.returns
print(f"A has the sign of the reward: {(signs >= 0).mean():.1%}")
with drawing(size=(8, 4)) as (axes,):
    axes.errorbar(np.arange(5, 100, 10), means, margins, fmt="o-", color=BLUE, capsize=5)
    axes.set(title="mean |A|", xlabel="% of the game that is over", ylim=(0, None))

# %% [markdown]
# Of these games, here is the one that was turned round most: the winner had nearly lost it.

# %%
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
# Tic-tac-toe, the same number of games each: with a critic, with a bonus for entropy, with both,
# and with PPO's clipped steps, of which it takes several from each batch. Mistakes are counted in
# *all* positions: those in which the best move loses what was not lost.


# %%
class WithoutCritic(TextbookActorCritic):
    """REINFORCE with a bonus for entropy: nothing is expected, so A = R."""

    def values(self, planes):
        return np.zeros(len(planes))


def learn(bot, batches, seed=1):
    """Losing mistakes, %, and the entropy of the policy in nats, after each 20th batch of games."""
    curve = []
    for batch in range(batches):
        played = train_batch(bot, 64, 1000 * seed + batch)
        if batch % 20 == 19:
            nats = -np.log(played.probabilities).mean()
            curve.append((100 * losing_mistakes(bot).mean(), nats))
    return np.array(curve)


tictactoe, seeds, batches = dlgo.game("tictactoe"), size(1, 10), size(160, 800)
games = np.arange(1, batches // 20 + 1) * 1.28
print(f"seeds: {seeds}, {batches * 64:,} games each; +- is half a 95% interval")
with drawing(None, 2, 1, (6, 4)) as axes:
    for (name, kind, entropy), colour in zip((
        ("REINFORCE", WithoutCritic, 0.0), ("critic", TextbookActorCritic, 0.0),
        ("entropy", WithoutCritic, 0.1), ("critic and entropy", TextbookActorCritic, 0.1),
        ("PPO (has both)", TextbookPPO, 0.1),
    ), COLOURS, strict=True):
        bots = [kind(tictactoe, entropy=entropy, seed=seed) for seed in range(1, seeds + 1)]
        curves = np.array([learn(bot, batches, seed) for seed, bot in enumerate(bots, 1)])
        wrong = mean_text(curves[:, -1, 0])
        score = mean_text(
            [100 * against_random(bot, 1000, seed) for seed, bot in enumerate(bots, 1)])
        print(f"{name:<20}mistakes {wrong}, against random play {score}, "
              f"{curves[:, -1, 1].mean():.2f} nats a move")
        for axis, column in zip(axes, curves.mean(axis=0).T, strict=True):
            axis.plot(games, column, color=colour, label=name)
    for axis, title in zip(axes, ("losing mistakes, %", "entropy of the policy, nats"),
                           strict=True):
        axis.set(title=title, xlabel="thousands of games", ylim=(0, None))
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
