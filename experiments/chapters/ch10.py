# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 10 · Policy gradients
#
# Make the moves of won games likelier, and those of lost games less likely. That is all, and it
# works. [The chapter's page](../../docs/chapters/ch10.md) says what can go wrong.

# %%
import numpy as np

import dlgo
from engines.learning.from_scratch import Loss, Network
from engines.learning.networks.leaf_evaluator import softmax
from engines.policy_gradient.textbook import BoundedLoss, PolicyGradientLoss, TextbookReinforce
from engines.policy_gradient.textbook import softmax as masked_softmax
from experiments.chapters.practice import against_random, mean_text, spread, train_batch
from experiments.chapters.script import begin, size
from experiments.course.showing import Source, draw_policy
from experiments.figures import BLUE, COLOURS, INK, ORANGE, draw_bars, drawing

begin()

# %% [markdown]
# ## Add It Up
#
# Two players choose a number from 1 to 5, a hundred times each; the higher sum wins. The policy is
# five probabilities. One game teaches hardly anything: by how much did the winner make each choice
# oftener than the loser?


# %%
choices = np.arange(1, 6)


def play(policy, rng):
    """A game: how often each player made each choice, int[2, 5]."""
    return rng.multinomial(100, policy, size=2)


def credit(counts, ties=False):
    """How much oftener the winner made each choice than the loser: int[5].

    With `ties` a tie counts as won by player 2, as the book has it.
    """
    sums = counts @ choices
    if sums[0] == sums[1] and not ties:
        return np.zeros(5, int)
    winner = 0 if sums[0] > sums[1] else 1
    return counts[winner] - counts[1 - winner]


rng, even = np.random.default_rng(0), np.full(5, 0.2)
games = np.array([credit(play(even, rng)) for _ in range(5000)])
print(f"the winner chose 1 less often in {(games[:, 0] < 0).mean():.1%} of 5,000 games, more often "
      f"in {(games[:, 0] > 0).mean():.1%}")
with drawing(None, 2, 1, (5, 3.4)) as axes:
    for axis, counts, title in ((axes[0], games[0], "one game"),
                                (axes[1], games.mean(axis=0), "mean of 5,000")):
        axis.bar(choices, counts, color=BLUE)
        axis.axhline(0, color=INK, lw=1)
        axis.set(title=title, xlabel="choice")

# %% [markdown]
# Now learn from 2,000 games, in three ways. The book's rule (listing 10.4) adds a small amount for
# each choice of the winner and subtracts the loser's. REINFORCE follows the gradient of log pi,
# where the policy is the softmax of five logits. The third is the book's as printed: who draws as
# player 2 counts as the winner.


# %%
def learn(seed, ties=False):
    """The book's rule: the policy after each game, float64[2001, 5]."""
    rng, policies = np.random.default_rng(seed), [even]
    for _ in range(2000):
        policy = np.clip(policies[-1] + 1e-4 * credit(play(policies[-1], rng), ties), 0, 1)
        policies.append(policy / policy.sum())
    return np.array(policies)


def reinforce(seed):
    """The gradient of log pi, for the choices of both players, by their results."""
    rng, logits, policies = np.random.default_rng(seed), np.zeros(5), [even]
    for _ in range(2000):
        # d log pi(a) / d logits = [a] - pi. Winner and loser choose equally often, so pi cancels.
        logits = logits + 2e-3 * credit(play(policies[-1], rng))
        policies.append(softmax(logits))
    return np.array(policies)


seeds, runs = size(5, 100), {}
for name, method in (("the book's", learn), ("REINFORCE", reinforce),
                     ("ties for player 2", lambda seed: learn(seed, ties=True))):
    runs[name] = np.array([method(seed) for seed in range(seeds)])
    five = runs[name][:, :, 4]
    print(f"{name:<18} p(5) after 2,000 games: {five[:, -1].mean():.3f} on average, "
          f"{five[:, -1].min():.3f} at least; above one half after "
          f"{np.argmax(five > 0.5, axis=1).mean():,.0f}")
half = runs["the book's"][:, 1000]
print(f"after 1,000 games of it p(1) is {half[:, 0].mean():.3f}, {half[:, 0].max():.3f} at most, "
      f"and p(5) {half[:, 4].mean():.3f}")
with drawing(None, 2, 1, (7, 4)) as axes:
    for axis, name in zip(axes, ("the book's", "REINFORCE"), strict=True):
        for choice, colour in zip(choices, COLOURS, strict=True):
            low, middle, high = np.quantile(runs[name][:, :, choice - 1], (0.1, 0.5, 0.9), axis=0)
            axis.plot(middle, color=colour, label=f"p({choice})")
            axis.fill_between(range(2001), low, high, color=colour, alpha=0.2, lw=0)
        axis.set(title=f"{name}: median of {seeds} seeds", xlabel="games", ylim=(0, 1))
    axes[0].legend(loc="center left")

# %% [markdown]
# **Try this.** How early, and how late, does 5 become the likeliest choice in ten seeds? Which
# choice goes first, and why that one?

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
# Learn from one batch again and again. The book's cross-entropy with a -1 in it has no lowest
# value, and the logits run away. The bounded loss fades as a move of a lost game becomes rare, and
# comes to rest. The book warns of a third one, a squared error.


# %%
class SquaredLoss(Loss):
    """Squared distance of the policy from a 1 or -1 at the move."""

    def __init__(self, legal):
        self.legal = legal

    def value(self, outputs, labels):
        return float(((masked_softmax(outputs, self.legal) - labels) ** 2).sum() / len(outputs))

    def delta(self, outputs, labels):
        policy = masked_softmax(outputs, self.legal)
        slopes = 2 * (policy - labels)
        return policy * (slopes - (policy * slopes).sum(axis=1, keepdims=True)) / len(outputs)


class Variant(TextbookReinforce):
    """REINFORCE with another loss, or with several steps from each batch."""

    def __init__(self, loss, steps, **more):
        super().__init__(connect4, discount=0.9, **more)
        self.loss, self.steps = loss, steps

    def step(self, decisions, returns):
        planes, legal, labels = self.arrays(decisions, returns)
        shares = (np.array([decision.share for decision in decisions]),)
        self.network.loss = self.loss(legal, *shares[: self.loss is BoundedLoss])
        self.largest = []
        for _ in range(self.steps):
            self.largest.append(float(np.abs(self.scores(planes)).max()))
            self.network.step(planes, labels, self.rate)


with drawing(size=(8, 3.4)) as (axes,):
    for name, loss, colour in (("the book's", PolicyGradientLoss, ORANGE),
                               ("bounded", BoundedLoss, BLUE)):
        bot = Variant(loss, 500, rate=0.1, seed=1)
        train_batch(bot, 8, 1)
        print(f"500 steps from one batch, {name}: the largest logit {bot.largest[0]:.2f} at first, "
              f"{bot.largest[-1]:.3g} at last")
        axes.plot(bot.largest, color=colour, label=name)
    axes.set(title="largest logit, one batch", xlabel="steps from it", yscale="log")
    axes.legend()

# %% [markdown]
# **Try this.** Repeat a single decision with a return of +1, then with -1:
# `bot.step([decision_of(bot)], np.array([-1.0]))`. Which of them comes to rest, and why?

# %% [markdown]
# ## Learning Connect Four
#
# Games against itself, a step after every batch of games, and a test of the likeliest moves against
# random ones. Note where it begins: an untrained network, too, has a favourite column, and that
# alone beats random play in three of four games. What has been learned comes on top.

# %%
Source(TextbookReinforce.step, Network.step)

# %%
seeds, games, scores, bots = size(1, 10), size(2560, 12_800), {}, {}
print(f"seeds: {seeds}, {games:,} games each; points of 1,000 games against random play")
for name, loss, steps, rate, batch in (
    ("untrained", PolicyGradientLoss, 0, 1.0, 2560),
    ("as in the book", PolicyGradientLoss, 1, 1.0, 64),
    ("5 steps from each batch", PolicyGradientLoss, 5, 1.0, 64),
    ("5 steps, bounded", BoundedLoss, 5, 1.0, 64),
    ("rate / 100", PolicyGradientLoss, 1, 0.01, 64),
    ("rate x 30", PolicyGradientLoss, 1, 30.0, 64),
    ("batches of 16 games", PolicyGradientLoss, 1, 1.0, 16),
    ("squared error", SquaredLoss, 1, 1.0, 64),
):
    found = []
    for seed in range(1, seeds + 1):
        bots[name] = bot = Variant(loss, steps, rate=rate, seed=seed)
        for number in range(games // batch):
            train_batch(bot, batch, 100_000 * seed + number)
        found.append(100 * against_random(bot, 1000, 1))
    scores[name] = spread(found)
    print(f"{name:<26}{mean_text(found)}")
with drawing(size=(9, 5)) as (axes,):
    margins = [0.0 if np.isnan(margin) else margin for _, margin in scores.values()]
    draw_bars(axes, {name: share for name, (share, _) in scores.items()}, margins,
              [f"{share:.0f}%" for share, _ in scores.values()], most=100)
    axes.axvline(scores["untrained"][0], color=INK, lw=1.5, ls="--")
    axes.set(xlim=(0, 118), xticks=range(0, 101, 25), title="points against random play, %")

# %% [markdown]
# What has it understood? Its policy at the beginning, and where it can win at once in column 4:

# %%
threat = connect4.start().play(*"414142")
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    for axis, shown, title in ((axes[0], connect4.start(), "the first move"),
                               (axes[1], threat, "red wins in column 4")):
        policy, _, legal = bots["as in the book"].policy(shown)
        draw_policy(axis, shown, {connect4.move_of(int(action)): policy[action]
                                  for action in np.flatnonzero(legal)}, title)

# %% [markdown]
# **Try this.** Learn with `discount=1.0`: all moves of a won game are praised alike. How many more
# games does it take? And with batches of 8 games?
