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
# * derive the gradient that REINFORCE follows, and say whose result it improves in self-play;
# * compute one step by hand, and explain why its loss is only a pseudo-loss;
# * say how many games show that a bot has become better.
#
# You need softmax, gradient descent and batches from [chapter 5](05_networks.py), and expected
# values. The derivations use one rule of calculus: the derivative of the natural logarithm, $\ln
# x$, is $1/x$.
#
# A bot ([engine](../docs/glossary.md#engine)) can learn without examples of good moves. It plays
# against itself ([self-play](../docs/glossary.md#self-play)), makes the winner's moves more
# probable and the loser's less. A winner makes bad moves too, but over many games good moves are
# more often on the winner's side.

# %% tags=["hide-input"]
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
from experiments.course import diagrams
from experiments.course.showing import Source
from experiments.figures import BLUE, INK, ORANGE, drawing

connect4 = dlgo.game("connect4")

# %% [markdown]
# <!-- slide: Play, credit, learn, and again -->

# %% tags=["hide-input"]
diagrams.policy_gradient_loop()

# %% [markdown]
# <!-- /slide -->
#
# The picture shows one round in a position with three moves. This page derives its numbers.
#
# ## Play: moves are drawn
#
# <!-- slide: A policy gives each move a probability -->
#
# A **[policy](../docs/glossary.md#policy)** $\pi$ gives each legal move of a position a
# probability. The bot draws its moves from it. If it always played the most probable move, it would
# see one game again and again.

# %% tags=["hide-input"]
ch09.variety.show()

# %% [markdown]
# <!-- /slide -->
#
# In [the studio](../docs/studio.md#course-and-lectures), open the course preset *A policy*.
#
# The bot stores each of its decisions: what the network saw, which moves were legal, which move was
# played, by which player, and the probability of that move (`share`).

# %%
Source(Decision)

# %% [markdown]
# The policy must go on trying all moves. Its [entropy](../docs/glossary.md#entropy)
# $-\sum_b \pi(b) \ln \pi(b)$ measures how evenly it spreads its probabilities over the moves $b$. A
# new network plays almost at random. With learning it prefers some moves, and the entropy falls:

# %% tags=["hide-input"]
ch09.entropy.show()

# %% [markdown]
# ## Credit: every decision gets a return
#
# <!-- slide: The return: the result, discounted -->
#
# When the game is over, each decision $t$ gets its **[return](../docs/glossary.md#return)**
#
# $$R_t = \gamma^{T - t} z$$
#
# * $z$: the result for the player who decided: 1 (won), 0 (draw) or -1 (lost)
# * $\gamma$: the [discount](../docs/glossary.md#discount), at most 1
# * $T - t$: how many decisions the same player made later
#
# <!-- /slide -->
#
# With $\gamma < 1$ the last move of a won game gets more credit than the first. By hand, with
# $\gamma = 0.9$: you lost, and you made three more moves after this one. Its return is $0.9^3 \cdot
# (-1) = -0.729$. The code goes backwards, so it only has to count:

# %%
Source(TextbookReinforce.credit)

# %% tags=["hide-input"]
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
# ## Learn from one number a game
#
# The chapter's first example has no board. In *Add It Up* two players choose numbers from 1 to 5, a
# hundred times each. The higher sum wins. The policy consists of five probabilities, each 20% at
# first. One game says little:
#
# <!-- slide: One game says little -->
#
# In how many games did the winner choose 1 less often than the loser?

# %% tags=["hide-input"]
ch10.one_game.show()

# %% [markdown]
# <!-- /slide -->
#
# Many games say enough. After each game the book's rule adds a small number to a probability for
# each time that the winner chose it, and subtracts it for the loser's choices. Both chose equally
# often, so the sum stays 1, until a probability is cut off at 0. The best choice, 5, takes over.
#
# <!-- slide: Many games say enough -->

# %% tags=["hide-input"]
ch10.choices.show()

# %% [markdown]
# <!-- /slide -->
#
# ## Learn: the gradient of one decision
#
# In a board game a network computes the policy from the position. Its output for each move $b$ is a
# number $u_b$, the [logit](../docs/glossary.md#logit). The softmax turns logits into probabilities,
# and the logarithm of the probability of move $a$ is
#
# $$\ln \pi(a) = \ln \frac{e^{u_a}}{\sum_c e^{u_c}} = u_a - \ln \sum_c e^{u_c}$$
#
# Take the derivative by the logit $u_b$ of any move. The first term gives 1 if $b = a$, else 0,
# written $[b = a]$. The second gives $e^{u_b}$ divided by the sum, which is $\pi(b)$:
#
# <!-- slide: The gradient: what was played, minus the policy -->
#
# $$\frac{\partial \ln \pi(a)}{\partial u_b} = [b = a] - \pi(b)$$
#
# By hand: the logits 1, 0, 0 give the probabilities 0.576, 0.212, 0.212. If the second move was
# played, the gradient is $-0.576$, $1 - 0.212 = 0.788$ and $-0.212$. The numbers sum to 0.
#
# <!-- /slide -->
#
# [Backpropagation](05_networks.py) leads from the logits to the weights of the network.
#
# ## The gradient of the expected result
#
# Which way should the weights $\theta$ move, so that the bot wins more often? First let the
# opponent be somebody who does not change. Let $P(g)$ be the probability that game $g$ is played.
# The expected result is $E[z] = \sum_g P(g) \, z(g)$. Nobody can add up all games. But you can play
# some of them, and average. For this the gradient must be an average over games, too. The
# *log-derivative trick* makes it one. Let $\nabla$ stand for the derivatives by all weights. By the
# chain rule $\nabla \ln P = \nabla P / P$, so $\nabla P = P \, \nabla \ln P$. The result $z(g)$ of
# a given game does not depend on the weights, so
#
# $$\nabla E[z] = \sum_g z(g) \, \nabla P(g) = \sum_g P(g) \, z(g) \, \nabla \ln P(g)$$
#
# This is the average of $z \, \nabla \ln P(g)$ over games.
#
# $P(g)$ is the product of the probabilities of all moves of both players. Its logarithm is a sum,
# and only the bot's own terms depend on $\theta$:
#
# <!-- slide: REINFORCE: average over games you can play -->
#
# $$\nabla E[z] = E\left[ z \sum_t \nabla \ln \pi(a_t \mid s_t) \right]$$
#
# $s_t$ and $a_t$ are the position and the move of the bot's decision $t$. You need no model of the
# opponent and no label for any move.
#
# <!-- /slide -->
#
# This is REINFORCE (Williams 1992).
#
# ## Whose result rises in self-play?
#
# In self-play both players are the policy. If one wins, the other loses: the results of the two
# players always sum to 0, however strong they are. So no total can rise.
#
# Call the two sides' weights $\theta_1$ and $\theta_2$, and let $v(\theta_1, \theta_2)$ be the
# first player's expected result. Now take each player's gradient *against a fixed copy* of the
# other: the formula above, with their own result as $z$. The first player wants $v$ to rise, the
# second wants $-v$ to rise. Both use the same weights, so a self-play game adds the two gradients,
# at $\theta_1 = \theta_2 = \theta$:
#
# <!-- slide: Self-play improves on a frozen copy -->
#
# $$\frac{\partial v}{\partial \theta_1} - \frac{\partial v}{\partial \theta_2}$$
#
# Is there something that this gradient raises? Play a match of new weights $\phi$ against the
# old ones, one game with each colour: $v(\phi, \theta) - v(\theta, \phi)$. It is 0 at $\phi =
# \theta$, and its gradient by $\phi$ is the one above.
#
# So a small step along it, if it is not 0, makes a policy that **beats the one before it**.
#
# <!-- /slide -->
#
# It need not be better against others. In rock, paper, scissors each new policy beats the last one,
# and yet they run in circles. Trainings therefore also play against earlier networks
# (`pool_share` in [Reinforcement learning](../docs/reinforcement.md)).
#
# ## From the result to the return
#
# What may replace $z$ in the formula of REINFORCE? One fact decides: if you draw a move from the
# policy, the mean of $\nabla \ln \pi$ is 0.
#
# <!-- slide: The mean of the gradient is 0 -->
#
# $$E[\nabla \ln \pi(a)] = \sum_a \pi(a) \, \frac{\nabla \pi(a)}{\pi(a)} = \sum_a \nabla \pi(a)$$
#
# The sum of the gradients is the gradient of the sum, and the probabilities sum to 1:
#
# $$\sum_a \nabla \pi(a) = \nabla \sum_a \pi(a) = \nabla 1 = 0$$
#
# So any number that was fixed *before* the move was drawn can be added to its return. The mean
# gradient stays the same.
#
# <!-- /slide -->
#
# **The past does not count.** In games with rewards $r_k$ on the way, $z$ is their sum. The rewards
# before decision $t$ were fixed before $a_t$ was drawn, so they add 0 on average and only noise.
# Leave them out: $R_t = r_t + r_{t+1} + \dots + r_T$. In our games only $r_T = z$ is not 0, so
# every $R_t$ is $z$.
#
# **A baseline costs nothing.** You may subtract a number $B$ from $R_t$, if it does not depend on
# $a_t$. The [critic](12_actor_critic.py) will be such a number.
#
# The discount is *not* derived. It is a choice: a reward that comes $k$ decisions later counts
# $\gamma^k$, which gives $R_t = \gamma^{T - t} z$. It reduces the noise, as many things happen
# between an early move and the end. But the gradient is no longer exactly that of $E[z]$,
# and early moves learn slowly.
#
# ## The loss, and the whole learner
#
# Libraries minimise a loss. Its gradient must be the negative of the one above, so take
#
# <!-- slide: A pseudo-loss has the right gradient only -->
#
# $$L = - \frac{1}{n} \sum_t R_t \ln \pi(a_t \mid s_t)$$
#
# $n$ is the number of decisions in the batch: both players', in all its games.
#
# The gradient is right for the policy that played the games. The value of $L$ says nothing about
# strength: $L$ is a **[pseudo-loss](../docs/glossary.md#pseudo-loss)**.
#
# <!-- /slide -->
#
# By the logits of decision $t$ its derivative is $\frac{1}{n} R_t \, (\pi(b) - [b = a_t])$.
#
# The derivation has a mean over *games*. Dividing by the number of *decisions* changes only the
# length of the step.
#
# By hand, with $n = 1$ and $R = 1$: the gradient of the first example with the opposite sign is
# 0.576, -0.788, 0.212. A step downhill with rate 0.5 changes the logits to 0.712, 0.394, -0.106.
# The move that won now has 34% instead of 21%. With $R = -1$ the same step would lower it.
#
# <!-- slide: REINFORCE in nine lines -->
#
#     repeat:
#         batch = nothing
#         50 times:
#             play a game: draw each move a from π, for both players        # play
#             for each player's decisions, the last one first:              # credit
#                 R = z for the last one, then γ times the R after it
#                 add (position, a, R) to the batch
#         L = -mean of R ln π(a) over the batch                             # learn
#         weights -= rate · gradient of L
#
# <!-- /slide -->
#
# In Python, `learn` plays and credits the games of a batch. `step` makes one step: its
# `labels` have the return in the column of the move that was played, and 0 elsewhere. `delta` is
# $\partial L / \partial u$, where backpropagation starts. Illegal moves get the probability 0.

# %%
Source(softmax, PolicyGradientLoss.delta, TextbookReinforce.learn, TextbookReinforce.step)

# %% [markdown]
# <!-- try: policy -->
#
# The network is the one of [chapter 5](05_networks.py), and [the whole
# file](../engines/policy_gradient/textbook.py) has about 200 lines. Here is one step from a single
# decision, "column 4 was played", after a won and a lost game. The rate is smaller than by hand, as
# many weights now move each logit:
#
# <!-- slide: One step, after a won or lost game -->

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
# <!-- /slide -->
#
# ## The loss has no lowest value
#
# Where $R = -1$, the loss is $\ln \pi(a)$. It falls without end as $\pi(a)$ goes to 0. If you learn
# from the same lost games again and again, the logits grow without limit. A *bounded loss* replaces
# $-R \ln \pi$ by $-R \, \pi / p$ for negative returns, where $p$ is the probability of the move
# when it was played. Its gradient, $-R \, \nabla \pi / p = -R \, (\pi / p) \, \nabla \ln \pi$, is
# the same while $\pi = p$, and fades as the move becomes rare.

# %% tags=["hide-input"]
ch10.one_batch.show()

# %% [markdown]
# One step from each batch avoids the problem. Is it the best choice? Each variant below learns
# Connect Four from 6,400 games against itself, then plays the untrained network with which it
# began. 50% means that it has learned nothing. *As in the book* takes one step with rate 1 from
# each 64 games.
#
# <!-- slide: Which variants learn? -->

# %% tags=["hide-input"]
ch10.losses.show()

# %% [markdown]
# <!-- /slide -->
#
# Squared error, $\sum_b (\pi(b) - R \, [b = a])^2$, hardly learns: it contains the sum of $\pi^2$,
# which pulls the policy towards equal probabilities.
#
# **Try this.** Run `ch10.losses.run(seeds=3, games=640, tests=200)`. Which rows still lie above 50%
# by more than their interval?
#
# ## Better, or lucky?
#
# Does twice the practice help? Draws are left out.

# %% tags=["hide-input"]
ch09.progress.show()

# %% [markdown]
# Each row took 20,000 games. Here is one long match of the two trained bots. The interval shrinks
# with the square root of the number of games:

# %% tags=["hide-input"]
ch09.match_length.show()

# %% [markdown]
# In this match 500 games show the difference, 200 do not.
#
# A **binomial test** asks: how probable is a result at least this far from one half, on either side
# (*two-sided*), if both bots are equal? This probability is the
# [p-value](../docs/glossary.md#p-value). Below 5%, the match counts as evidence of a difference.
# The smaller the difference, the more games you need to see it:
#
# <!-- slide: A hundred games rarely show progress -->

# %% tags=["hide-input"]
ch09.power.show()

# %% [markdown]
# <!-- /slide -->

# %% tags=["hide-input"]
both, one = ([binomtest(wins, games).pvalue for wins, games in ((53, 100), (530, 1000))],
             [binom.sf(wins - 1, games, 0.5) for wins, games in ((53, 100), (530, 1000))])
gate = binom.sf(59, 100, 0.5)
print(f"53 of 100: p = {both[0]:.1%} (two-sided), {one[0]:.1%} for 53 wins or more")
print(f"530 of 1,000: p = {both[1]:.1%} (two-sided), {one[1]:.1%} for 530 wins or more")
print(f"60 of 100 (the book's test of a new bot): an equal bot passes in {gate:.1%} of the matches")

# %% [markdown]
# ## What the book says, and what we measured

# %% tags=["hide-input"]
entropy, progress, losses = ch09.entropy, ch09.progress, ch10.losses
Claims(
    ("An untrained network chooses almost at random.", "9.3.3",
     f"Confirmed: its entropy is {entropy['after 0 games']} of that of random play."),
    ("A bot that plays its best move always plays the same game.", "9.3",
     f"Confirmed: 1,000 games show {ch09.variety['always the most probable move']} different one; "
     f"with moves drawn {ch09.variety['moves drawn']}."),
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
# * **Record the policy that was played**, without illegal moves (*masked*), after temperature and
#   random moves. Mask the loss, too, or the network spends its effort on which moves are legal.
# * **A draw counted as a win.** The book's loop rewards White for each game that Black has not won,
#   so White learns to like draws.
# * **A policy that is sure too early** explores nothing, and its gradient is 0. A bonus for entropy
#   helps ([Actor-critic and PPO](12_actor_critic.py)).
# * **Random play is a weak test.** Untrained networks that always play their favourite move score
#   73% against it: they repeat a column, and four in a column win.
#
# ## Graded exercises
#
# `masking`, `reinforce`: `dlgo class new masking` writes `masking.py`. `dlgo train policy_gradient`
# trains stronger networks: see [Reinforcement learning](../docs/reinforcement.md).
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
# **2.** *(easy, 10 minutes)* A bot wins all its games. Does REINFORCE change its policy after a
# game? Does the policy change on average?
#
# <details markdown="1"><summary>Answer</summary>
#
# Each game changes it: the moves that were drawn become more probable. On average the change is 0,
# since $R = 1$ is a number that does not depend on the move. With the baseline $B = 1$ each single
# change is 0, too.
#
# </details>
#
# **3.** *(medium, 15 minutes)* A bot wins 55% of its games. How many games must a match have so
# that four of five matches show it (p < 5%, two-sided)?
#
# <details markdown="1"><summary>Answer</summary>
#
# About 790. `binom.sf(binom.isf(0.025, n, 0.5), n, 0.55)` first reaches 0.8 at n = 786.
#
# </details>
