# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Q-learning, critics and PPO
#
# *Chapters 11 and 12 of [the book](../docs/index.md), with its section numbers. Generalised
# advantages and PPO are newer than its methods.*
#
# After this page you can
#
# * compute the target of Q-learning, the book's and Watkins's;
# * say what the advantage $A = R - V$ tells about a move, and what it does not;
# * compute a generalised advantage and PPO's clipped objective by hand.
#
# REINFORCE learns probabilities of moves. The learners on this page learn **values**: numbers from
# -1 (lost) to 1 (won) that predict the result of a game. $Q$ is the value of a move and can choose
# moves. $V$ is the value of a position and says which results were a surprise.
#
# [The studio](../docs/studio.md#course-and-lectures) starts this chapter with
# *What a move is worth*.

# %%
import numpy as np
from scipy.stats import binom

from engines.actor_critic.textbook import TextbookActorCritic
from engines.ppo.textbook import ClippedLoss, TextbookPPO
from engines.q_learning.textbook import TextbookQ
from engines.solver.outcomes import outcomes_of
from experiments.chapters import ch11, ch12
from experiments.chapters.experiment import Claims
from experiments.course.showing import Row, Source

# %% [markdown]
# ## Q: what is a move worth?
#
# $Q(s, a)$ predicts the result of the game for the player who plays move $a$ in position $s$. To
# play, take the legal move with the largest $Q$. To learn, you must also try other moves.
# **Epsilon-greedy** play takes a random legal move with probability $\epsilon$. With $n$ legal
# moves the best one has the probability
#
# $$1 - \epsilon + \frac{\epsilon}{n}$$
#
# By hand, with $\epsilon = 0.5$ and 9 moves: $0.5 + 0.5/9 = 0.556$. Each other move has 0.056.
#
# The book's network takes the position and one move as its input and has one output.

# %%
Source(TextbookQ.new_network, TextbookQ.scores, TextbookQ.policy_of)

# %% [markdown]
# How many random moves does the bot need? Count its mistakes in all 4,520 unfinished positions of
# tic-tac-toe. A *losing mistake* loses a position that was not lost. Each shade is a [95%
# interval](02_rules.py).

# %%
ch11.curiosity.show()

# %% [markdown]
# Without random moves the bot plays a few games again and again. With many random moves the games
# reach nearly all positions:

# %%
ch11.coverage.show()

# %% [markdown]
# The network also learns about positions that it has never met, unlike a table.

# %%
ch11.unseen.show()

# %% [markdown]
# <!-- try: values -->
#
# ## Two targets
#
# Learning moves $Q$ a small step $\alpha$ towards a target $y$:
#
# $$Q(s, a) \leftarrow Q(s, a) + \alpha \, (y - Q(s, a))$$
#
# The book's target is the result of the whole game, $y = z$ (a *Monte Carlo* target). Watkins's
# Q-learning (Watkins 1989) has another one: the reward plus the value of the best next move,
# $y = r + \max_{a'} Q(s', a')$. It is *bootstrapped*: it uses the learner's own values. In a game
# for two, the opponent moves in $s'$, and their best move is your worst:
#
# $$y = - \max_{a'} Q(s', a')$$
#
# At the end of the game $y$ is the result. By hand: $Q = 0.2$, $\alpha = 0.1$, and the game was
# lost. The book's target is -1, and $Q$ becomes $0.2 + 0.1 \, (-1 - 0.2) = 0.08$. If the opponent's
# best $Q$ in the next position is 0.3, Watkins's target is -0.3, and $Q$ becomes $0.2 + 0.1 \,
# (-0.3 - 0.2) = 0.15$.
#
# The difference is what $Q$ means. The book's $Q$ is the mean result of *the games that were
# played*, random moves included. Watkins's $Q$ is the value under *best play*, whatever moves were
# tried. The next function learns a table of $Q$ by either target; half of all moves are random.

# %%
Source(ch11.table_q)

# %%
ch11.targets.show()

# %% [markdown]
# The result of the game is a better target at first, because it brings news from the end of the
# game in one step. Later its error stays: the table knows the values of careless play. Watkins's
# error goes to 0. Take the first move of tic-tac-toe, with perfect play a draw:

# %%
ch11.first_move.show()

# %% [markdown]
# `dlgo train q_learning` mixes both targets: `td_lambda` is the weight of the result
# ([Reinforcement learning](../docs/reinforcement.md)). With a network, a bootstrapped target is
# less stable: the network learns from its own errors.
#
# **Try this.** `ch11.table_q(False, 30_000, 1, epsilon=0.1)` returns games, mean error and the
# value of the first move. How do the two targets change with `epsilon`?
#
# ## A critic: was the result a surprise?
#
# REINFORCE gives all moves of a won game the same credit. A **critic** is a second output of the
# network. It predicts $V(s)$, the result of the game for the player to move. The policy, now called
# the **actor**, learns from the *advantage* instead of the return:
#
# $$A = R - V(s)$$
#
# By hand: the critic expected a loss ($V = -1$) and the game was won ($R = 1$), so $A = 2$. This
# holds for every move of that player until the critic noticed the change, even if the change was
# the opponent's mistake. So a large $A$ does not mean that this move was good. Only on average do
# good moves have a higher $A$ than bad moves, with less noise than $R$ alone.
#
# Here the package's Connect Four network plays against itself, with moves drawn. Advantages are
# large while the game is open. At the end the critic knows the result:

# %%
ch12.advantages.show()

# %% [markdown]
# Few decisions, in which the critic had expected the opposite result, hold a large part of the sum
# of all sizes:

# %%
ch12.surprises.show()

# %% [markdown]
# Here is the largest surprise of 200 games. The player to move on the first board wins the game in
# the end. For each of their last decisions you see $V$, the value under perfect play (by the
# package's solver), and $A$:

# %%
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
    titles=("expects a loss", "their move", "the answer", "the end"))

# %% [markdown]
# The first decision has the largest $A$, but perfect play would have won against every move. The
# mistake was the opponent's answer. After it the player is winning, and the critic still expects a
# loss.
#
# Actor and critic learn with one loss:
#
# $$L = -A \log \pi(a) + c_V \, (R - V)^2 - c_H \, H(\pi)$$
#
# $H(\pi) = -\sum_b \pi(b) \log \pi(b)$ is the *entropy*. It is large if the policy spreads its
# probabilities evenly, so the last term keeps the policy curious. By hand: two moves with 50% each
# have $H = 0.69$; with 90% and 10%, $-0.9 \log 0.9 - 0.1 \log 0.1 = 0.33$. In the first term
# $A$ is a fixed number: the actor must not lower its loss by changing $V$.

# %%
Source(TextbookActorCritic.step, TextbookActorCritic.improve)

# %% [markdown]
# ## GAE: which move was it?
#
# To credit one move, compare $V$ before it with $V$ at the same player's next decision. The
# *surprise* of decision $t$ is
#
# $$\delta_t = \gamma V(s_{t+1}) - V(s_t)$$
#
# For the last decision the result takes the place of $\gamma V(s_{t+1})$. **Generalised advantage
# estimation** (GAE, Schulman et al. 2016) adds the later surprises with falling weights:
#
# $$A_t = \delta_t + \gamma \lambda \, A_{t+1}$$
#
# With $\lambda = 1$ and $\gamma = 1$ the values in between cancel, and $A = R - V$. With $\lambda =
# 0$ only the next value counts. By hand, with $\gamma = 1$ and $\lambda = 0.5$: a player's values
# are 0.2 and then -0.5, and the game is lost. The surprises are $-0.5 - 0.2 = -0.7$ and $-1 + 0.5 =
# -0.5$. So $A_2 = -0.5$ and $A_1 = -0.7 + 0.5 \cdot (-0.5) = -0.95$. $R - V$ would be -1.2.

# %%
Source(TextbookPPO.credit)

# %% [markdown]
# Does it find the mistake? In lost games of tic-tac-toe, take the loser's move with the lowest
# advantage. How often did this move give away a draw or a win?

# %%
ch12.blame.show()

# %% [markdown]
# $R - V$ names the mistake no more often than a random choice among the loser's moves. A small
# $\lambda$ does better, if the critic is good. A large one trusts the critic less and needs more
# games. PPO's usual value is 0.95.
#
# ## PPO: several steps from the same games
#
# After one step the old games no longer show how the policy plays. So actor-critic plays new games
# after each step. **Proximal policy optimisation** (PPO, Schulman et al. 2017) takes several steps
# from the same games. $p$ is the probability of the move when it was played, $\pi$ the probability
# now, and $\rho = \pi / p$ their ratio. PPO maximises
#
# $$\min(\rho A, \; \mathrm{clip}(\rho, 1 - \epsilon, 1 + \epsilon) \, A)$$
#
# Once a good move is $1 + \epsilon$ times as probable as in the games, it is no longer rewarded. By
# hand, with $\epsilon = 0.2$: the move had 20% and now has 30%, so $\rho = 1.5$. With $A = 1$ the
# objective is $\min(1.5, 1.2) = 1.2$, a constant: no gradient. With $A = -1$ it is $\min(-1.5,
# -1.2) = -1.5$: the gradient remains, and reduces the probability.

# %%
Source(ClippedLoss.value)

# %% [markdown]
# Five learners play the same number of games of tic-tac-toe. The bonus for entropy decides whether
# they learn at all: without it the policy is sure too early, with or without a critic.

# %%
ch12.methods.show()

# %% [markdown]
# PPO needs less than half as many games, because it takes four steps from each batch of 64 games.
# How many can it take?

# %%
ch12.steps.show()

# %% [markdown]
# With the clip, twenty steps teach more than four; without it, almost nothing.
#
# **Try this.** `ch12.methods.run(seeds=2, batches=50, names=("entropy", "PPO (has both)"))` learns
# from 3,200 games. Can two seeds tell the learners apart?
#
# ## What the book says, and what we measured

# %%
same = binom.cdf(50, 100, 0.53)
Claims(
    ("Without random moves a bot plays the same game and stops learning.", "11.1",
     f"Confirmed: it meets {ch11.coverage['never']} of the positions. Losing mistakes: "
     f"{ch11.unseen['before learning']} before learning, {ch11.curiosity['never']} after."),
    ("The higher epsilon, the more moves it learns about.", "11.1",
     f"Confirmed: it meets {ch11.coverage['always 10%']} of the positions with 10% random moves, "
     f"{ch11.coverage['always 50%']} with 50%."),
    ("Begin with epsilon 0.5 and let it fall.", "11.1",
     f"Better than 10% throughout, not better than 50% here: mistakes "
     f"{ch11.curiosity['50% falling to 10%']}, {ch11.curiosity['always 10%']} and "
     f"{ch11.curiosity['always 50%']}."),
    ("It learns to value moves that it has never played.", "11.1",
     f"Confirmed: mistakes in {ch11.unseen['positions never met']} of the positions that it never "
     f"met, in {ch11.unseen['positions met']} of the others."),
    ("Lucky wins cancel out over thousands of games.", "11.1",
     f"Depends: luck does, careless play does not. The first move, a draw, is valued at "
     f"{ch11.first_move['result of the game']}; by Watkins's target at "
     f"{ch11.first_move['best Q of the next position']}."),
    ("The advantage of the first move of a won game is 1, as V = 0.", "12.1.1",
     f"Depends on the critic: this one knows that the first player wins Connect Four. Mean size in "
     f"the first tenth of a game: {ch12.advantages['0 to 10%']}."),
    ("Near the end advantages are close to 0.", "12.1.1",
     f"Confirmed: {ch12.advantages['90 to 100%']} in the last tenth."),
    ("Important moves, which turn a game round, get a large advantage.", "12.1.1",
     f"Only partly: in {ch12.surprises['decisions']} of the decisions A exceeds 1.5 in size; they "
     f"hold {ch12.surprises['their part of all sizes']} of the sum. But a loser's lowest A is a "
     f"losing mistake in {ch12.blame['A = R - V (lambda 1)']} of the games (a random one of their "
     f"moves: {ch12.blame['a move at random']}), with GAE and lambda 0 in "
     f"{ch12.blame['GAE, lambda 0']}."),
    ("An advantage has the sign of the reward.", "12.4",
     "Confirmed for wins and losses, since V lies between -1 and 1; for draws it has the sign of "
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
# * **Whose value?** $V$ and $Q$ belong to the player to move. With a wrong sign the bot learns to
#   lose. `dlgo doctor RUN` checks for it.
# * **$Q(s, a) = -V(s')$ needs alternating turns.** In draughts the same player may move again in
#   $s'$. Then the sign stays.
# * **The best of the legal moves.** If the maximum includes illegal moves, a position gets the
#   value of a move that nobody can play.
# * **Two losses, one network.** The critic's error is large at first. A weight below 1
#   (`value_weight`) keeps it from dominating the shared layers.
# * **Old games.** Many steps from one batch without clipping learn from games that the present
#   policy would not play.
#
# ## Graded exercises
#
# `q_update`, `advantages`: `dlgo class new q_update` writes `q_update.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* $Q = 0.5$, $\alpha = 0.2$. The game was lost. What is $Q$ after one
# step with the book's target? And with Watkins's, if the opponent's best $Q$ in the next position
# is -0.4?
#
# <details markdown="1"><summary>Answer</summary>
#
# The book: $0.5 + 0.2 \, (-1 - 0.5) = 0.2$. Watkins: the target is 0.4, so $0.5 + 0.2 \, (0.4 -
# 0.5) = 0.48$. The loss was a later mistake; this move stays good.
#
# </details>
#
# **2.** *(easy, 10 minutes)* The critic expects 0.9. What is $A$ if the game is won, and if it is
# lost? Does the second case show that this move was a mistake?
#
# <details markdown="1"><summary>Answer</summary>
#
# 0.1 and -1.9. No: any later move may have been the mistake. All decisions of this player get a
# negative $A$ until the critic notices.
#
# </details>
#
# **3.** *(medium, 20 minutes)* A player's values are 0.0, 0.6 and -0.2, and the player wins.
# Compute $A_1$ for $\lambda = 0$, 0.5 and 1 ($\gamma = 1$).
#
# <details markdown="1"><summary>Answer</summary>
#
# The surprises are 0.6, -0.8 and 1.2. $\lambda = 0$: 0.6. $\lambda = 0.5$: $0.6 - 0.4 + 0.3 = 0.5$.
# $\lambda = 1$: $0.6 - 0.8 + 1.2 = 1.0 = R - V$.
#
# </details>
#
# **4.** *(medium, 15 minutes)* A move had 50% when it was played and has 35% now; $\epsilon = 0.2$.
# For $A = 0.3$ and for $A = -0.3$: what is PPO's objective, and is there a gradient?
#
# <details markdown="1"><summary>Answer</summary>
#
# $\rho = 0.7$. With $A = 0.3$: $\min(0.21, 0.24) = 0.21$, with a gradient that raises the
# probability again. With $A = -0.3$: $\min(-0.21, -0.24) = -0.24$, clipped, no gradient: the bad
# move is rare enough.
#
# </details>
#
# **5.** *(hard, 1 hour)* What does `ch11.table_q` say of the first move after 100,000 games, with
# $\epsilon$ = 0.1, 0.5 and 0.9, for either target? Explain the difference.
#
# <details markdown="1"><summary>Answer</summary>
#
# Result of the game: about 0.07, 0.21 and 0.28. The more careless both players are, the more it
# helps to move first. Watkins's target: 0.00 each time, the value of best play. But with $\epsilon
# = 0.1$ its mean error over all moves is still large, because most positions are hardly visited.
#
# </details>
