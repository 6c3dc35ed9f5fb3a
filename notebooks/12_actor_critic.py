# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Actor-critic and PPO
#
# *Chapter 12 of [the book](../docs/index.md), with its section numbers. Generalised advantages and
# PPO are newer than its methods.*
#
# After this page you can
#
# * say what the advantage $A = R - V$ tells about a move, and what it does not;
# * derive generalised advantages, and compute one by hand;
# * explain why PPO may learn several times from the same games, and what its clip does.
#
# **Before this page** you need [policy gradients](09_policy_gradients.py): the return $R$, the
# gradient $E[R \, \nabla \ln \pi]$ and baselines. From [Q-learning](11_values.py) you need the
# words *value* and *bootstrapped*.
#
# REINFORCE gives all moves of a won game the same credit, good and bad. It takes many games until
# the difference shows. This page gives better credit, in three steps: a
# **[critic](../docs/glossary.md#critic)** that predicts the result, **generalised
# [advantages](../docs/glossary.md#advantage)** that find the move which changed it, and **PPO**,
# which uses each game several times.
#
# In [the studio](../docs/studio.md#course-and-lectures), open the course preset *A critic sees a
# mistake*.

# %% tags=["hide-input"]
import numpy as np
from scipy.stats import binom

from engines.actor_critic.textbook import TextbookActorCritic
from engines.ppo.textbook import ClippedLoss, TextbookPPO
from engines.solver.outcomes import outcomes_of
from experiments.chapters import ch12
from experiments.chapters.experiment import Claims
from experiments.course import diagrams
from experiments.course.showing import Row, Source

# %% [markdown]
# ## From a baseline to the advantage
#
# [The page before last](09_policy_gradients.py) showed that you may subtract from each return a
# *baseline* $B$ that does not depend on the move: the mean gradient stays the same. Its noise (the
# *spread*, or standard deviation) does not.
#
# <!-- slide: A baseline removes noise -->
#
# Two moves have 50% each. The first brings 0.9 on average, the second 0.7. The derivative by the
# first logit is $R - B$ times $1 - 0.5$ if the first move was played, else times $-0.5$:
#
# | baseline | first move | second move | mean | spread |
# |---|---|---|---|---|
# | $B = 0$ | 0.45 | -0.35 | 0.05 | 0.40 |
# | $B = 0.8$ | 0.05 | 0.05 | 0.05 | 0 |
#
# <!-- /slide -->
#
# A good baseline is the expected result of the position, $V(s)$: subtracting it leaves what the
# *move* added. A second output of the network learns $V$ for the player to move. It is called the
# critic; the policy is called the **actor**.
#
# <!-- slide: The advantage: better or worse than expected? -->
#
# $$A = R - V(s)$$
#
# By hand: the critic expected to lose ($V = -1$), and the game was won ($R = 1$). Then $A = 2$.
#
# On average over games, $A$ is $Q(s, a) - V(s)$: the value of the move minus the value of the
# position.
#
# <!-- /slide -->
#
# In a single game, $A$ is positive for *every* move of the winner, as $V < 1$. So a large $A$
# does not mean that this move was good. Perhaps the opponent made a mistake three moves later. Only
# on average do good moves have a higher $A$ than bad ones.
#
# Here the package's Connect Four network plays against itself, with moves drawn. Advantages are
# large while the game is open. At the end the critic knows the result:

# %% tags=["hide-input"]
ch12.advantages.show()

# %% [markdown]
# A few decisions, where the critic expected the opposite result, make up almost half of the total
# $|A|$:

# %% tags=["hide-input"]
ch12.surprises.show()

# %% [markdown]
# Here is the largest $A$ of 200 games. Yellow, to move on the first board, wins in the end. For
# each of yellow's last three decisions you see $V$, the value under perfect play (by the package's
# solver), and $A$.
#
# <!-- slide: The largest advantage, and whose mistake it was -->

# %% tags=["hide-input"]
played = ch12.games_with_critic(200)
turn = int(played.advantages.argmax())
game = int(np.searchsorted(played.firsts, turn, side="right")) - 1
first, end = played.firsts[game : game + 2]
actions = played.actions[first:end].tolist()
for row in range(turn, end, 2):
    (exact,) = outcomes_of(ch12.CONNECT4)([actions[: row - first]])
    print(f"V {played.values[row]:+.2f}   perfect play {max(exact.values()):+d}   "
          f"A {played.advantages[row]:+.2f}")
states = [ch12.CONNECT4.start()]
for action in actions:
    states.append(states[-1].apply_move(ch12.CONNECT4.move_of(action)))
Row(*states[turn - first : turn - first + 3], states[-1],
    titles=("yellow expects to lose", "yellow's move", "red's answer", "yellow wins"))

# %% [markdown]
# <!-- /slide -->
#
# The first decision has the largest $A$, but it was not a good move: every move was losing. Red's
# answer was a mistake. Now yellow is winning, and the critic still expects to lose, so the second
# $A$ is large, too. The third is 0: the critic has noticed.
#
# ## One loss for actor and critic
#
# <!-- slide: Actor and critic share one loss -->
#
# $$L = -A \ln \pi(a) + c_V \, (R - V)^2 - c_H \, H(\pi)$$
#
# 1. The actor makes moves with $A > 0$ more probable.
# 2. The critic learns the mean result by squared error.
# 3. The [entropy](../docs/glossary.md#entropy) $H(\pi) = -\sum_b \pi(b) \ln \pi(b)$ keeps the
#    policy curious.
#
# Here $c_V = 0.5$ and $c_H = 0.1$.
#
# <!-- /slide -->
#
# The mean over all decisions of the batch is minimised.
#
# * **In the first term $A$ is a fixed number.** The code computes it before the step. Otherwise the
#   actor could lower its loss by changing $V$.
# * **$c_V$** (`value_weight`) is the weight of the critic's error. Actor and critic share the
#   hidden layer. At first the error is large, and with a large weight the layer would serve the
#   critic alone. One half also cancels the 2 of the derivative of the square.
# * **$c_H$** (`entropy`) is the weight of the entropy. By hand: two moves with 50% each have
#   $H = \ln 2 = 0.693$; with 90% and 10%, $-0.9 \ln 0.9 - 0.1 \ln 0.1 = 0.325$. So the second
#   policy pays $0.1 \cdot 0.368 = 0.037$ for its certainty. If $c_H$ is too small, the policy is
#   certain before it knows the game, and no longer tries other moves. If it is too large, the
#   policy stays random.

# %%
Source(TextbookActorCritic.step, TextbookActorCritic.improve)

# %% [markdown]
# `step` computes $A = R - V$ with the network as it is. `improve` puts each $A$ into the column of
# the move that was played (`labels`), adds $R$ as a last column for the critic, and makes one step
# of gradient descent with the learning rate 2. (`share`: the probability with which the move was
# played. Only PPO, below, needs it.) Playing the games is inherited from REINFORCE.
#
# ## GAE: which move was it?
#
# $A = R - V$ compares a prediction with the end of the game. To credit one move, compare it with
# the critic's *next* prediction, at the same player's next decision. (Both values are that
# player's, so no sign changes.) That is the *surprise*
#
# $$\delta_t = \gamma V(s_{t+1}) - V(s_t)$$
#
# where $\gamma$ is the discount. For the last decision the result $z$ takes the place of
# $\gamma V(s_{t+1})$. (In games with rewards $r_t$ on the way, it is
# $r_t + \gamma V(s_{t+1}) - V(s_t)$.)
#
# A surprise contains the critic's errors. The result has none, but much noise. In between, wait $n$
# decisions before you compare:
#
# $$A^{(n)}_t = \gamma^n V(s_{t+n}) - V(s_t)$$
#
# It is a sum of surprises, since the values in between occur once with a plus and once with a
# minus:
#
# $$A^{(n)}_t = \delta_t + \gamma \delta_{t+1} + \dots + \gamma^{n-1} \delta_{t+n-1}$$
#
# **Generalised advantage estimation** ([GAE](../docs/glossary.md#gae), Schulman et al. 2016)
# takes an average of all $A^{(n)}$. The weights fall by a factor $\lambda$, and sum to 1, as
# $1 + \lambda + \lambda^2 + \dots = 1 / (1 - \lambda)$:
#
# $$A_t = (1 - \lambda) \, (A^{(1)}_t + \lambda A^{(2)}_t + \lambda^2 A^{(3)}_t + \dots)$$
#
# How often does this contain $\gamma^k \delta_{t+k}$? It is part of all $A^{(n)}$ with $n > k$, so
# its weight is $(1 - \lambda)(\lambda^k + \lambda^{k+1} + \dots) = \lambda^k$. (An $A^{(n)}$ that
# reaches beyond the end of the game is $z - V(s_t)$.) What remains is a sum of surprises:
#
# <!-- slide: GAE adds up surprises with falling weights -->
#
# $$A_t = \delta_t + \gamma \lambda \, \delta_{t+1} + (\gamma \lambda)^2 \, \delta_{t+2} + \dots$$
#
# From the end backwards: $A_t = \delta_t + \gamma \lambda \, A_{t+1}$.
#
# * $\lambda = 0$: only the next value counts. Little noise, all the critic's errors.
# * $\lambda = 1$: with $\gamma = 1$ it is $R - V$. No error of the critic, all the noise.
#
# <!-- /slide -->
#
# <!-- slide: By hand: the first of four decisions -->

# %% tags=["hide-input"]
diagrams.gae_sum()

# %% [markdown]
# <!-- /slide -->
#
# By hand, with $\gamma = 1$ and $\lambda = 0.5$: a player's values are 0.1, 0.5, -0.5 and -0.8, and
# the game is lost. The surprises are 0.4, -1.0, -0.3 and -0.2. Start at the end: $A_4 = -0.2$,
# $A_3 = -0.3 + 0.5 \cdot (-0.2) = -0.4$, $A_2 = -1.0 + 0.5 \cdot (-0.4) = -1.2$ and
# $A_1 = 0.4 + 0.5 \cdot (-1.2) = -0.2$. The second decision gets the blame. $R - V$ would blame the
# first with -1.1 and the second with -1.5.

# %%
Source(TextbookPPO.credit)

# %% [markdown]
# `credit` replaces the function of the same name in REINFORCE. It goes backwards through both
# players' decisions and keeps for each player the value and the advantage of their decision after
# this one. It returns $V + A$: the critic's new target, a mixture of the result and later values.
#
# Does it find the mistake? In lost games of tic-tac-toe, take the loser's move with the lowest
# advantage. How often did this move give away a draw or a win?
#
# <!-- slide: A small lambda finds the losing move -->

# %% tags=["hide-input"]
ch12.blame.show()

# %% [markdown]
# <!-- /slide -->
#
# $R - V$ names the mistake no more often than a random choice among the loser's moves. A small
# $\lambda$ does better here, because this critic is good. Early in training it is not. A large
# $\lambda$ trusts it less and needs more games. PPO's usual value is 0.95.
#
# ## PPO: several steps from the same games
#
# REINFORCE and actor-critic throw each game away after one step, because the gradient is right only
# for games of the present policy. Playing usually costs more than learning, so you would like to
# use games longer.
#
# **Importance sampling** corrects the mean. $p(a)$ is the probability of the move when it was
# played, $\pi(a)$ the probability now, and $\rho = \pi / p$ their ratio. Then
#
# $$\sum_a p(a) \, \frac{\pi(a)}{p(a)} \, A(a) = \sum_a \pi(a) \, A(a)$$
#
# On the left is the mean of $\rho A$ over moves of the old games, on the right the mean of $A$ over
# moves of the new policy. So the old games estimate the new policy's advantage. While $\pi = p$,
# the gradient of $\rho A$ is $A \, \nabla \pi / \pi = A \, \nabla \ln \pi$: REINFORCE's.
#
# But the estimate is good near $p$ only. If $\pi$ moves far away, single games get large weights,
# and the new policy reaches positions that the old games do not contain. Schulman et al. (2015)
# proved a lower bound on the improvement that gets worse with the distance between the policies. So
# their TRPO (trust region policy optimisation) maximises $\rho A$ within a small distance, the
# *trust region*. Such a step is costly to compute. **Proximal policy optimisation**
# ([PPO](../docs/glossary.md#ppo), Schulman et al. 2017) is simpler: it takes away the reward for
# leaving the region.
#
# <!-- slide: PPO clips the ratio -->
#
# Maximise $\min(\rho A, \; \mathrm{clip}(\rho, 1 - \epsilon, 1 + \epsilon) \, A)$, where
# $\rho = \pi / p$ and $\epsilon = 0.2$.
#
# A good move that is $1 + \epsilon$ times as probable as in the games has been rewarded enough. So
# has a bad move that is $1 - \epsilon$ times as probable.
#
# <!-- /slide -->
#
# (Here $\epsilon$ is the range of the clip, as in the paper, and not the probability of a random
# move.)
#
# <!-- slide: Where the clip holds, the gradient is 0 -->

# %% tags=["hide-input"]
diagrams.ppo_clip()

# %% [markdown]
# <!-- /slide -->
#
# <!-- slide: By hand: the ratio is 1.5 -->
#
# A move had 20% when it was played and has 30% now: $\rho = 1.5$.
#
# * $A = 1$: $\min(1.5, 1.2) = 1.2$, a constant. The gradient is 0.
# * $A = -1$: $\min(-1.5, -1.2) = -1.5$. The gradient remains and lowers the probability.
#
# <!-- /slide -->
#
# Why the minimum? The policy may have moved the wrong way, as in the second case. The minimum keeps
# the gradient that leads back. Note that the clip forbids nothing: steps for *other* decisions can
# still carry $\rho$ out of the range.

# %%
Source(ClippedLoss.value, ClippedLoss.delta)

# %% [markdown]
# `_ratios` returns $A$ and $\rho$ of each decision, and the policy $\pi$ now. `far` marks the
# decisions where the clipped term is the smaller one; their gradient is 0. For the others it is
# $-A \, \rho \, ([b = a] - \pi(b))$ by logit $b$, since $\nabla \rho = \rho \, \nabla \ln \pi$.
#
# ## The whole learner
#
# <!-- slide: PPO in ten lines -->
#
#     repeat:
#         play games with π; store position, move a, p = π(a)           # play
#         for each player's decisions of each game, the last one first: # credit
#             δ = (γ V(next decision), or the result at the end) - V
#             A = δ + γ λ A(next decision);   target of V: V + A
#         A = (A - mean of A) / spread of A, over all decisions         # learn
#         4 times:
#             ρ = π(a) / p with the present network
#             L = mean of -min(ρ A, clip(ρ) A) + c_V (target - V)² - c_H H(π)
#             weights -= rate · gradient of L
#
# <!-- /slide -->
#
# The code's numbers: 50 games a batch (64 in the figures below), rate 1, $\lambda = 0.95$,
# $\gamma = 1$, $\epsilon = 0.2$, $c_V = 0.5$, $c_H = 0.1$. `TextbookPPO.step` is the part *learn*:

# %%
Source(TextbookPPO.step)

# %% [markdown]
# It calls `improve`, with the clipped loss, four times. Before that it **normalises** the
# advantages, although no formula above asks for it. Early in training $A$ is large; later the
# critic predicts well, and $A$ is small. In tic-tac-toe its spread fell from 0.8 in the first
# batches to 0.4 after 300 batches. Divided by the spread, $A$ has the same size in each batch, so
# the same rate and the same $c_H$ fit from beginning to end. Subtracting the mean is a baseline
# again. The price: if all moves of a batch are equally good, the division enlarges mere noise.
#
# ## Which learner needs the fewest games?
#
# Five learners play the same number of games of tic-tac-toe: REINFORCE, REINFORCE with a critic,
# with a bonus for entropy, with both, and PPO. A [losing
# mistake](../docs/glossary.md#losing-mistake) is a move that loses a position that was not lost.
#
# <!-- slide: PPO needs less than half the games -->

# %% tags=["hide-input"]
ch12.methods.show()

# %% [markdown]
# <!-- /slide -->
#
# The bonus for entropy decides whether they learn at all: without it the policy is certain too
# early, with or without a critic. PPO takes four steps from each batch. How many can it take?
#
# <!-- slide: The clip makes twenty steps safe -->

# %% tags=["hide-input"]
ch12.steps.show()

# %% [markdown]
# <!-- /slide -->
#
# With the clip, twenty steps teach more than four; without it, almost nothing. With one step, 9,600
# games are not enough.
#
# **Try this.** `ch12.methods.run(seeds=2, batches=50, names=("entropy", "PPO (has both)"))` learns
# from 3,200 games. Can two seeds tell the learners apart?
#
# <!-- try: critics -->
#
# ## What the book says, and what we measured

# %% tags=["hide-input"]
same = binom.cdf(50, 100, 0.53)
Claims(
    ("The advantage of the first move of a won game is 1, as V = 0.", "12.1.1",
     f"Depends on the critic: this one knows that the first player wins Connect Four. Mean size in "
     f"the first tenth of a game: {ch12.advantages['0 to 10%']}."),
    ("Near the end advantages are close to 0.", "12.1.1",
     f"Confirmed: {ch12.advantages['90 to 100%']} in the last tenth."),
    ("Important moves, which turn a game round, get a large advantage.", "12.1.1",
     f"Only partly: in {ch12.surprises['decisions']} of the decisions A exceeds 1.5 in size; they "
     f"hold {ch12.surprises['their part of the total |A|']} of the sum. But a loser's lowest A is "
     f"a losing mistake in {ch12.blame['A = R - V (lambda 1)']} of the games (a random one of "
     f"their moves: {ch12.blame['a move at random']}), with GAE and lambda 0 in "
     f"{ch12.blame['GAE, lambda 0']}."),
    ("An advantage has the sign of the reward.", "12.4",
     "Confirmed for decided games, since V lies between -1 and 1; for draws it has the sign of "
     "-V."),
    ("Actor-critic is often more stable than policy gradients.", "12.5",
     f"Not seen in tic-tac-toe: mistakes {ch12.methods['REINFORCE']} without and "
     f"{ch12.methods['critic']} with a critic; with entropy {ch12.methods['entropy']} and "
     f"{ch12.methods['critic and entropy']}."),
    ("51 of 100 games: basically the same strength.", "12.4",
     f"Not supported: a bot that wins 53% gets 50 or less in {same:.0%} of matches of 100 games."),
    ("It learns basic tactics; with a tree search more is possible.", "12.4",
     "Confirmed in Connect Four: [Reinforcement learning](../docs/reinforcement.md)."),
)

# %% [markdown]
# ## Pitfalls
#
# <!-- slide: Four ways to break PPO -->
#
# * **Whose value?** $V$ belongs to the player to move. Compare values of the *same* player.
# * **Which probability?** $p$ is the one that was played: after masking, temperature and noise.
# * **$A$ without a gradient.** Compute advantages once, before the steps.
# * **Entropy near 0.** Then nothing is learned any more. Plot it.
#
# <!-- /slide -->
#
# `dlgo doctor RUN` looks for a wrong sign and a fallen entropy in a run of `dlgo train`.
#
# ## Graded exercise
#
# `advantages`: `dlgo class new advantages` writes `advantages.py`. `dlgo train ppo` trains stronger
# networks: see [Reinforcement learning](../docs/reinforcement.md).
#
# ## Questions
#
# **1.** *(easy, 10 minutes)* The critic expects 0.9. What is $A$ if the game is won, and if it is
# lost? Does the second case show that this move was a mistake?
#
# <details markdown="1"><summary>Answer</summary>
#
# 0.1 and -1.9. No: any later move may have been the mistake. All decisions of this player get a
# negative $A$ until the critic notices.
#
# </details>
#
# **2.** *(medium, 20 minutes)* A player's values are 0.0, 0.6 and -0.2, and the player wins.
# Compute $A_1$ for $\lambda = 0$, 0.5 and 1 ($\gamma = 1$).
#
# <details markdown="1"><summary>Answer</summary>
#
# The surprises are 0.6, -0.8 and 1.2. $\lambda = 0$: 0.6. $\lambda = 0.5$: $0.6 - 0.4 + 0.3 = 0.5$.
# $\lambda = 1$: $0.6 - 0.8 + 1.2 = 1.0 = R - V$.
#
# </details>
