# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Policy gradients
#
# *Chapters 9 and 10 of [the book](../docs/index.md), with its section numbers.*
#
# After this page you can
#
# * compute the gradient of the logarithm of a softmax by hand;
# * derive REINFORCE, and explain why its loss is only a pseudo-loss;
# * say how many games show that a bot has become better.
#
# A bot can learn without examples of good moves. It plays against itself, makes the winner's moves
# more probable and the loser's less. A winner makes bad moves too, but over many games good moves
# are more often on the winner's side.
#
# A **policy** $\pi$ gives each legal move of a position a probability. The bot draws its moves from
# it. If it always played the most probable move, it would see one game again and again:
#
# [The studio](../docs/studio.md#course-and-lectures) starts this chapter with *A policy*.

# %%
import numpy as np
from scipy.stats import binom, binomtest

import dlgo
from engines.policy_gradient.textbook import (
    Decision,
    PolicyGradientLoss,
    TextbookReinforce,
    softmax,
)
from experiments.chapters import ch09, ch10
from experiments.chapters.experiment import Claims
from experiments.course.showing import Source
from experiments.figures import BLUE, INK, ORANGE, drawing

connect4 = dlgo.game("connect4")

# %%
ch09.variety.show()

# %% [markdown]
# ## Experience
#
# The bot stores each of its decisions: what the network saw, which moves were legal, which move was
# played, by which player, and the probability of that move.

# %%
Source(Decision)

# %% [markdown]
# When the game is over, each decision gets its **return** $R$. The result $z$ is 1 if the player of
# the decision won, -1 if they lost, 0 after a draw. A discount $\gamma$ reduces it for early
# decisions: the last move of a won game probably has more to do with winning than the first.
#
# $$R = \gamma^{k} \, z$$
#
# Here $k$ counts the later decisions of the same player. By hand, with $\gamma = 0.9$: you lost,
# and you made three more moves after this one. Its return is $0.9^3 \cdot (-1) = -0.729$.

# %%
Source(TextbookReinforce.credit)

# %%
bot = TextbookReinforce(connect4, discount=0.9, seed=1)
decisions, result = bot.play()
returns = bot.credit(decisions, result)
with drawing(size=(8, 3.4)) as (axes,):
    axes.bar(range(1, len(returns) + 1), returns,
             color=[(BLUE, ORANGE)[decision.player.index] for decision in decisions])
    axes.axhline(0, color=INK, lw=1)
    axes.set(xlabel="move of one game, first player in blue", ylabel="return")

# %% [markdown]
# **Try this.** Set `discount=1.0`, then 0.5. Which moves get the credit?
#
# The policy must stay curious. Its *entropy* measures how evenly it spreads its probabilities. A
# new network plays almost at random. With learning it prefers some moves, and the entropy falls.

# %%
ch09.entropy.show()

# %% [markdown]
# ## Learn from one number a game
#
# The chapter's first example has no board. In *Add It Up* two players choose numbers from 1 to 5, a
# hundred times each. The higher sum wins. The policy consists of five probabilities, each 20% at
# first. One game says little. How often did the winner choose 1 less often than the loser?

# %%
ch10.one_game.show()

# %% [markdown]
# Many games say enough. After each game the book's rule adds a small number to a probability for
# each time that the winner chose it, and subtracts it for the loser's choices. The best choice, 5,
# takes over. The worst choice disappears first.

# %%
ch10.choices.show()

# %% [markdown]
# ## REINFORCE: the gradient of the policy
#
# In a board game a network computes the policy from the position. Its output for each move $b$ is a
# number $z_b$, the *logit*. The softmax turns logits into probabilities, and the logarithm of the
# probability of move $a$ is
#
# $$\log \pi(a) = z_a - \log \sum_b e^{z_b}$$
#
# Take the derivative by the logit $z_b$ of any move. The first term gives 1 if $b = a$, else 0. The
# second gives $e^{z_b}$ divided by the sum, which is $\pi(b)$:
#
# $$\frac{\partial \log \pi(a)}{\partial z_b} = [b = a] - \pi(b)$$
#
# By hand: the logits are 1, 0, 0. The probabilities are 0.576, 0.212, 0.212. If the second move was
# played, the gradient is $-0.576$, $1 - 0.212 = 0.788$ and $-0.212$. The numbers sum to 0.
#
# REINFORCE (Williams 1992) wants a high expected return. Let $p(g)$ be the probability that the
# policy plays game $g$. Since $\nabla p = p \, \nabla \log p$,
#
# $$\nabla E[R] = \sum_g R(g) \, \nabla p(g) = \sum_g p(g) \, R(g) \, \nabla \log p(g)$$
#
# The logarithm of $p(g)$ is the sum of $\log \pi$ over the bot's decisions, plus terms that do not
# depend on the network. So you can estimate the gradient from games that the policy has played:
#
# $$\nabla E[R] = E\left[ R \sum_t \nabla \log \pi(a_t) \right]$$
#
# Libraries minimise a loss. Its gradient must be the negative of this, so take
#
# $$L = - \frac{1}{n} \sum_t R_t \log \pi(a_t)$$
#
# It is a **pseudo-loss**. Its gradient is right at the policy that played the games, but its value
# says nothing about the strength of the bot. Its derivative by the logits is $R \, (\pi(b) - [b =
# a])$. By hand: with $R = 1$ the numbers above give 0.576, -0.788, 0.212. A step downhill with
# rate 0.5 changes the logits to 0.712, 0.394, -0.106. The move that won now has 34% instead of 21%.

# %%
Source(softmax, PolicyGradientLoss.delta, TextbookReinforce.step)

# %% [markdown]
# <!-- try: policy -->
#
# The network is the one of [chapter 5](05_networks.py). [The whole
# learner](../engines/policy_gradient/textbook.py) has about 200 lines. Here is one step from a
# single decision, "column 4 was played", after a win and after a loss:

# %%
state = connect4.start().play(*"4455")
for returned in (1.0, -1.0):
    bot = TextbookReinforce(connect4, rate=0.05, seed=1)
    policy, planes, legal = bot.policy(state)
    decision = Decision(planes, legal, 3, state.next_player, float(policy[3]))
    bot.step([decision], np.array([returned]))
    after = bot.policy(state)[0]
    print(f"return {returned:+.0f}: column 4 had {policy[3]:.0%}, now {after[3]:.0%}")
state

# %% [markdown]
# ## The loss has no lowest value
#
# Where $R = -1$, the loss is $\log \pi(a)$. It falls without end as $\pi(a)$ goes to 0. If you
# learn from the same lost games again and again, the logits grow without limit. A *bounded loss*
# replaces $-R \log \pi$ by $-R \, \pi / p$ for negative returns, where $p$ is the probability of
# the move when it was played. Its gradient is the same at first, and it fades as the move becomes
# rare.

# %%
ch10.one_batch.show()

# %% [markdown]
# One step from each batch of games avoids the problem. Is it the best choice? Each variant below
# learns Connect Four from 6,400 games against itself. Then it plays the untrained network with
# which it began. 50% means that it has learned nothing. The lines at the ends of the bars are [95%
# intervals](02_rules.py).

# %%
ch10.losses.show()

# %% [markdown]
# Squared error hardly learns: it contains the sum of $\pi^2$, which pulls the policy towards equal
# probabilities. A small rate needs more games. A larger rate works better here.
#
# **Try this.** Run `ch10.losses.run(seeds=3, games=640, tests=200)`. Which rows still lie above 50%
# by more than their interval?
#
# ## Better, or lucky?
#
# Does twice the practice make a better bot? Draws are left out.

# %%
ch09.progress.show()

# %% [markdown]
# These are 20,000 games for each row. Would you have seen the difference in fewer? Here is one long
# match of the two trained bots. The interval shrinks with the square root of the number of games:

# %%
ch09.match_length.show()

# %% [markdown]
# A **binomial test** asks: how probable is a result at least this far from one half, if both bots
# are equal? This probability is the *p-value*. Below 5%, the match counts as evidence. The smaller
# the difference, the more games you need to see it:

# %%
ch09.power.show()

# %%
both, one = ([binomtest(wins, games).pvalue for wins, games in ((53, 100), (530, 1000))],
             [binom.sf(wins - 1, games, 0.5) for wins, games in ((53, 100), (530, 1000))])
gate = binom.sf(59, 100, 0.5)
print(f"53 of 100: p = {both[0]:.1%} (two-sided), {one[0]:.1%} for 53 wins or more")
print(f"530 of 1,000: p = {both[1]:.1%} (two-sided), {one[1]:.1%} for 530 wins or more")
print(f"60 of 100: an equal bot reaches it in {gate:.1%} of the matches")

# %% [markdown]
# ## What the book says, and what we measured

# %%
entropy, progress, losses = ch09.entropy, ch09.progress, ch10.losses
Claims(
    ("An untrained network chooses almost at random.", "9.3.3",
     f"Confirmed: its entropy is {entropy['after 0 games']} of that of random play."),
    ("A bot that plays its best move always plays the same game.", "9.3",
     f"Confirmed: of 1,000 games {ch09.variety['always the most probable move']}; with moves drawn "
     f"{ch09.variety['moves drawn']}."),
    ("It takes thousands of games to learn.", "9.4",
     f"Confirmed in Connect Four: after 1,920 games it wins "
     f"{progress['1,920 games against untrained']} against the untrained policy."),
    ("Usually the winner of Add It Up chooses 1 less often, but not always.", "10.1",
     f"Confirmed: in {ch10.one_game['less often']}; more often in "
     f"{ch10.one_game['more often']}."),
    ("After about 1,000 games the policy stops choosing 1; after 2,000 it chooses 5.", "10.1",
     f"Confirmed: p(1) is {ch10.choices['book: p(1) after 1,000']}, then p(5) is "
     f"{ch10.choices['book: p(5) after 2,000']}; by REINFORCE "
     f"{ch10.choices['REINFORCE: p(5) after 2,000']}."),
    ("Learn only once from each game.", "10.2",
     f"Depends on how often: five steps a batch score {losses['5 steps a batch']}, one step "
     f"{losses['as in the book']}. With hundreds of steps the logits run away."),
    ("With another loss than cross-entropy the target -1 does not work.", "10.2",
     f"Confirmed: squared error scores {losses['squared error']}."),
    ("With a small rate it takes many rounds.", "10.3.3",
     f"Confirmed: a hundredth of the rate scores {losses['rate / 100']}."),
    ("With a large rate it overshoots.", "10.3.3",
     f"Not supported: 30 times the rate scores {losses['rate x 30']}."),
    ("Policy learning needs large batches.", "10.3.3",
     f"Not supported here: batches of 16 games score {losses['batches of 16 games']}, of 64 "
     f"games {losses['as in the book']}."),
    ("53 of 100: p is about 62%.", "10.3.2",
     f"Confirmed for a difference in either direction ({both[0]:.1%}); 53 or more wins of an equal "
     f"bot: {one[0]:.1%}."),
    ("530 of 1,000: about 6%.", "10.3.2", f"Confirmed: {both[1]:.1%} in either direction."),
    ("60 of 100 gives reasonable confidence.", "12.4",
     f"Depends: an equal bot passes with {gate:.1%}, but in one of three tries with "
     f"{1 - (1 - gate) ** 3:.1%}. A bot that wins 55% fails with {binom.cdf(59, 100, 0.55):.0%}."),
)

# %% [markdown]
# ## Pitfalls
#
# * **Record the policy that was played.** Mask, temperature and random moves come first, the
#   probability is recorded after them. The mask belongs in the loss too: otherwise the network
#   spends its effort on learning which moves are legal.
# * **A draw is not a win of White.** The book's loop rewards White for each game that Black has
#   not won. In games with draws this teaches the second player to like them.
# * **A policy that is sure too early** explores nothing, and its gradient is 0. Watch the entropy.
#   A bonus for entropy helps: see [Actor-critic and PPO](12_actor_critic.py).
# * **Random play is a weak test.** An untrained network repeats its favourite column, and four in a
#   column win. So it beats random play before it has learned anything. Compare with the untrained
#   network.
# * **Shared luck is not independent.** Pairs of games with the same random numbers and swapped
#   colours make a fair match, but a binomial test needs separate random numbers for each game.
#
# ## Graded exercises
#
# `masking`, `reinforce`: `dlgo class new masking` writes `masking.py`.
#
# `dlgo train policy_gradient` trains stronger networks: see [Reinforcement
# learning](../docs/reinforcement.md).
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* The policy is 0.5, 0.3, 0.2. The second move was played, and the game
# was lost. What is the gradient of the pseudo-loss by the logits? Which logits does a step raise?
#
# <details markdown="1"><summary>Answer</summary>
#
# $R \, (\pi(b) - [b = a])$ with $R = -1$: -0.5, then $-(0.3 - 1) = 0.7$, then -0.2. A step goes
# downhill: it lowers the second logit and raises the others, the first one most.
#
# </details>
#
# **2.** *(easy, 10 minutes)* A bot wins all its games. Does REINFORCE change its policy? Does it on
# average?
#
# <details markdown="1"><summary>Answer</summary>
#
# Each game changes it: the moves that were drawn become more probable. On average the change is 0:
# $\sum_a \pi(a) \, ([b = a] - \pi(b))$ is $\pi(b) - \pi(b) = 0$. For the same reason you can
# subtract a number from all returns, if it does not depend on the move. The next page uses this.
#
# </details>
#
# **3.** *(medium, 15 minutes)* A bot wins 55% of its games. How many games must a match have so
# that four of five matches show it (p < 5%, two-sided)?
#
# <details markdown="1"><summary>Answer</summary>
#
# About 790. `binom.sf(binom.isf(0.025, n, 0.5), n, 0.55)` reaches 0.8 at n = 786.
#
# </details>
#
# **4.** *(medium, 20 minutes)* How many wins of 100 should you require, so that an equal bot passes
# at most one time in a hundred? How often does a bot that wins 55% pass then?
#
# <details markdown="1"><summary>Answer</summary>
#
# 63: an equal bot passes with 0.6% (with 62 it would be 1.05%). The better bot passes with only
# 6.5%. It needs about 1,300 games to pass nine times in ten at this level.
#
# </details>
#
# **5.** *(hard, 1 hour)* In Add It Up, let the higher *product* win. Which choice takes over, and
# is it faster or slower? Use `ch10.add_it_up` as a start, and compare sums of logarithms.
#
# <details markdown="1"><summary>Answer</summary>
#
# 5 again, but later: with ten seeds it passes one half after about 890 games instead of 760. Choice
# 1 disappears sooner, because a factor of 1 adds nothing. Choices 4 and 5 are nearer to each other
# ($\log 5 - \log 4 = 0.22$), so the last part takes longer.
#
# </details>
