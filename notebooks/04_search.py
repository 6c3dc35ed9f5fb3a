# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Tree search
#
# *Chapter 4 of [the book](../docs/index.md), with its section numbers.*
#
# After this page you can
#
# * write minimax and alpha-beta, with the sign in the right place;
# * derive alpha-beta's window and UCT's formula, and compute a step of each by hand;
# * say what one more ply, or twice the simulations, is worth, with an error bar.
#
# You need recursion, logarithms, the variance of a mean, and the states and intervals of
# [Rules and state](02_rules.py).
#
# To choose a move, imagine it played, then the best answer, then the best answer to that. **Rules
# of thumb** look at most four moves ahead. **Minimax** looks at everything. **Alpha-beta** gets
# the same answer from a small part of the positions. **Monte Carlo tree search** (MCTS) plays
# random games, most of them after the moves that have done well.
#
# In [the studio](../docs/studio.md#course-and-lectures), open the course preset *A fork*.

# %% tags=["hide-input"]
import dlgo
from engines.mcts.textbook import TextbookMCTS
from engines.minimax.textbook import alphabeta, minimax, result_of
from engines.watching.recording import watch
from experiments.chapters import ch04
from experiments.chapters.experiment import Claims
from experiments.course import diagrams
from experiments.course.showing import Row, Source

game = dlgo.game("tictactoe")

# %% [markdown]
# ## Four rules of thumb
#
# Win if you can. Otherwise stop a win. Otherwise make a fork: two threats at once. Otherwise stop
# a fork. In this position x can make a fork at C3; only a player who knows the third rule sees it.

# %%
game.start().play("A1", "A3", "C1", "B1")

# %% [markdown]
# Each rule looks one move further than the one before, and each helps. But a mistake that loses
# five moves later breaks no rule, so perfect play still wins.
#
# <!-- slide: Four rules help, but perfect play wins -->

# %%
ch04.rules.show()

# %% [markdown]
# <!-- /slide -->
#
# ## Minimax: everything
#
# You know the value of a finished game: 1 if you win, 0 for a draw, -1 if you lose. The value of
# any other position is the largest value among its moves. The opponent chooses in the same way, and
# what is good for the opponent is bad for you. That is [minimax](../docs/glossary.md#minimax):
#
# <!-- slide: Your value is minus the opponent's -->
# $$v(s) = \max_a \; -v(s \cdot a)$$
#
# $s \cdot a$: the position after move $a$. Each value belongs to the player to move there.
# <!-- /slide -->

# %%
Source(minimax, result_of)

# %% [markdown]
# The sign changes where the *player* changes: in draughts a player can move twice in a row.
#
# Ask it about each move in a position. Only one move saves the draw:

# %%
state = game.start().play("B2", "A1", "A3", "C1")
for move in state.legal_moves():
    print(game.move_text(move), -minimax(state.apply_move(move)))
state

# %% [markdown]
# ## Alpha-beta: skip what cannot matter
#
# Suppose your first move is worth 0. You look at your second move and find one reply that beats
# you. You can skip the other replies: the second move is worse, no matter how much.
#
# [Alpha-beta](../docs/glossary.md#alpha-beta) takes two numbers down the tree, the
# [*window*](../docs/glossary.md#window) $(\alpha, \beta)$:
#
# * $\alpha$ is what the player to move can already force with another move;
# * $\beta$ is what the opponent can already hold this player to with another move. A position that
#   is worth $\beta$ or more is never reached.
#
# At the root the window is $(-1, 1)$, the worst and the best result. As soon as $\alpha \ge \beta$,
# the search leaves the position. Follow this whole search from left to right. After B1 the root's
# $\alpha$ is 0. Then one winning answer of o is enough to reject C2, and one to reject B2. The
# other answers are cut:
#
# <!-- slide: One refutation is enough -->

# %% tags=["hide-input"]
diagrams.alpha_beta_window()

# %% [markdown]
# <!-- /slide -->
#
# Which window does a position get after your move? Let $x$ be its value for the opponent, who moves
# there. For you it is worth $-x$, and only values in your window matter:
#
# <!-- slide: The opponent sees the window reversed -->
# $$\alpha < -x < \beta \quad \iff \quad -\beta < x < -\alpha$$
#
# So the opponent searches with $(-\beta, -\alpha)$: your lower limit is their upper limit.
# <!-- /slide -->
#
# In code:

# %%
Source(alphabeta)

# %% [markdown]
# The root's value is minimax's. How much can the cuts save? Let every position have $b$ moves, and
# look $d$ plies ahead ([ply](../docs/glossary.md#ply): one move of one player), with $d$ even. To
# know that the root is worth exactly $v$, you need two proofs (Knuth and Moore 1975):
#
# <!-- slide: Perfect cuts visit the square root -->
# * *At least $v$*: one good move in each of your positions, but all $b$ answers, at $d/2$ plies:
#   $b^{d/2}$ last positions.
# * *At most $v$*: all your moves, and one good answer to each: $b^{d/2}$ again.
#
# One position is in both proofs and counts once:
#
# $$b^{d/2} + b^{d/2} - 1 \approx 2 \sqrt{b^d}$$
#
# Minimax visits $b^d$ last positions.
# <!-- /slide -->
#
# With $b = 22$ and $d = 4$ that is 967 instead of 234,256, if the best move comes first
# everywhere. A good order comes close (on 5x5 below: 2,345). A
# [*transposition table*](../docs/glossary.md#transposition-table) remembers values, because
# different orders of the same moves lead to one position:
#
# <!-- slide: Cuts and a table save 99% -->

# %%
ch04.cuts.show()

# %% [markdown]
# <!-- /slide -->
#
# In larger games the search stops at a depth and *estimates* the value, in Go on 5x5 by counting
# stones and the points they surround. Every ply multiplies the cost, for alpha-beta (here with its
# table) by less:
#
# <!-- slide: Each ply multiplies the cost -->

# %%
ch04.growth.show()

# %% [markdown]
# <!-- /slide -->
# <!-- try: cuts -->
#
# Each extra ply wins more games:
#
# <!-- slide: Each extra ply wins games -->

# %%
ch04.depth.show()

# %% [markdown]
# <!-- /slide -->
#
# ## Monte Carlo tree search
#
# [MCTS](../docs/glossary.md#mcts) needs no estimate. It finishes the game with random moves (a
# [*rollout*](../docs/glossary.md#rollout)), many times, and counts the wins. It becomes a *search*
# because it chooses where the next random game starts. One simulation has four steps:
#
# 1. **Select.** Walk down from the root. At each position go to the child with the highest
#    *selection score*, until a position has an untried move.
# 2. **Expand.** Add the child of one untried move, the *leaf*.
# 3. **Simulate.** Play random moves from the leaf to the end.
# 4. **Back up.** Add the result to every position on the way back to the root.
#
# <!-- slide: One simulation has four steps -->

# %% tags=["hide-input"]
diagrams.mcts_steps()

# %% [markdown]
# <!-- /slide -->
#
# ### Explore or exploit?
#
# Select must decide which child deserves the next game. This is the *bandit* problem: a row of
# slot machines, each with its own unknown chance to win.
#
# <!-- slide: Every game explores or exploits -->
# * **Exploit**: play the machine with the best average so far.
# * **Explore**: play a machine with few games; its average may be bad luck.
# * **UCB** (upper confidence bound): play the machine that *could* be best: the largest average
#   plus error bar.
# <!-- /slide -->
#
# [UCT](../docs/glossary.md#uct) is "UCB applied to trees" (Kocsis and Szepesvári 2006). The
# selection score of a child is
#
# <!-- slide: UCT adds an error bar to the average -->
# $$\frac{w}{n} + c \sqrt{\frac{\ln N}{n}}$$
#
# * $w$: wins of the player who *chooses* the child; a draw is half a win
# * $n$: visits of the child, $N$: visits of its parent
# * $c$: weight of exploration
# <!-- /slide -->
#
# By hand, with $c = 0.4$ and $N = 100$: a child with 60% wins in 80 visits scores
# $0.60 + 0.4 \sqrt{4.61 / 80} = 0.70$. A child with 40% wins in 5 visits scores
# $0.40 + 0.4 \sqrt{4.61 / 5} = 0.78$. So the second child is next, although it has won less often.
#
# ### Why a root, and why a logarithm?
#
# How far can the average of $n$ games lie below the true chance to win? Hoeffding (1963) proved for
# independent results between 0 and 1:
#
# <!-- slide: The bonus is Hoeffding's error bar -->
# $$P(\text{truth} \ge \text{average} + u) \le e^{-2 n u^2}$$
#
# Call the right side $p$ and solve for $u$:
#
# $$u = \sqrt{\frac{\ln (1/p)}{2n}}$$
#
# One failure can hide the best move, so the bound must hold at every visit $N = 1, 2, 3, \ldots$
# Let it fail ever more rarely, $p = N^{-a}$:
#
# $$u = \sqrt{\frac{a \ln N}{2 n}} = c \sqrt{\frac{\ln N}{n}} \quad \text{with } c = \sqrt{a/2}$$
# <!-- /slide -->
#
# The **root**: the error of an average falls with $1/\sqrt n$, like the interval of a match.
#
# The **logarithm**: the chance that a bound fails at *any* visit is at most the sum of the
# chances at each (the *union bound*). With a constant $p$ this sum grows for ever; with $N^{-a}$
# and $a > 1$ it stays finite. Auer et al. (2002) also sum over all pairs of visit counts of two
# machines, at most $N^2$, and take $a = 4$: $\sum_N N^2 N^{-4}$ is finite. So theory says $c =
# \sqrt 2$. In a tree the results are not independent, because the search below improves; programs
# keep the form and choose $c$ by matches.
#
# While a child waits, $n$ stays and $\ln N$ grows: every move is tried again, but ever more rarely.
#
# ### The code
#
# * Results in the tree are those of the first player, from -1 to 1. `mean(node.mover)` turns them
#   to the player who chooses, and `(1 + mean) / 2` is the share of wins $w/n$.
# * `proven` is a certain result, else `None`: of a finished game, or of a position whose children
#   prove it (one winning child, or all children proven). It needs no rollout and no bonus. `_prove`
#   passes it upwards, and a proven root ends the search (MCTS-Solver, Winands et al. 2008).
# * `below(rng, n)` draws a number below $n$. The `0.0` is a prior, which UCT does not use. Lines
#   with `self.listener` only report events to a spectator.

# %%
Source(TextbookMCTS._simulation, TextbookMCTS._select, TextbookMCTS._score, TextbookMCTS._expand,
       TextbookMCTS._simulate, TextbookMCTS._back_up)

# %% [markdown]
# Watch it on the position of minimax above. It proves that all moves but B1 lose.

# %%
recording = watch(dlgo.engine("textbook-mcts:sims=60", game, 1), state)
for event in recording.events[:3]:
    print(event)
print(len(recording.events), "events,", recording.decision.cost)

# %%
Row(recording.svg(24, most_nodes=6), recording.svg(most_nodes=6),
    titles=("after 24 events", "at the end"))

# %% [markdown]
# **Try this.** Watch `textbook-mcts:sims=60,c_uct=0` (it never explores), then `c_uct=3`. Which of
# the two can miss the best move for ever?
#
# <!-- try: forced-win -->
#
# The search plays the most visited move, not the one with the highest mean: a move that won its
# only game has 100%.
#
# The value of the root is the mean of *all* its simulations, so it approaches minimax's value only
# slowly. From the empty board it stays near 0.3 at first: random games favour x, who wins 59% of
# them against 29%. With 1,000 simulations the search prefers B2, where random games favour x
# even more. Only then does it find o's best answers, and the mean falls:
#
# <!-- slide: The mean approaches minimax slowly -->

# %%
ch04.values.show()

# %% [markdown]
# <!-- /slide -->
#
# More simulations win more games. 800 of them take 3 ms a move on 5x5 and beat an alpha-beta search
# of depth 3 (0.3 ms) that only counts stones and points.
#
# <!-- slide: Twice the simulations score about 69% -->

# %%
ch04.simulations.show()

# %% [markdown]
# <!-- /slide -->
#
# The engines that play rated games are the same searches, compiled, and hundreds of times faster
# ([Alpha-beta](../docs/engines/alphabeta.md), [MCTS](../docs/engines/mcts.md)).
#
# <!-- slide: Compiled searches are hundreds of times faster -->

# %%
ch04.compiled.show()

# %% [markdown]
# <!-- /slide -->
#
# **Try this.** Run `ch04.exploration.run(pairs=20)`. How many pairs does it take until the interval
# of `c = 0.4 against 1` excludes 50%?
#
# ## RAVE: learn from every move of a game
#
# In Go on 9x9, 1,000 simulations are about twelve for each first move. But each of them contains
# dozens of moves, and a point that was good later is often good now.
# [RAVE](../docs/glossary.md#rave) (rapid action value estimation, Gelly and Silver 2011) counts
# *all moves as first*: a simulation counts for every point that the player who chooses took at any
# later time, before the opponent did. A child then has $w$ wins in $n$ visits, and $w'$ wins in $m$
# such counts, with $m$ far larger. The selection score mixes both shares, without a bonus:
#
# $$(1 - b) \frac{w}{n} + b \, \frac{w'}{m}$$
#
# <!-- slide: RAVE counts much at first -->
# Which weight $b$ is best? Let one game have the variance $\sigma^2$. The first share has the
# variance $\sigma^2 / n$ and no bias. The second has the variance $\sigma^2 / m$ and a bias $B$:
# the move later is not the move now. If their errors are independent, the mean squared error is
#
# $$(1 - b)^2 \frac{\sigma^2}{n} + b^2 \Big( \frac{\sigma^2}{m} + B^2 \Big)$$
#
# Set the derivative by $b$ to 0, and write $k = \sigma^2 / B^2$:
#
# $$b = \frac{\sigma^2 / n}{\sigma^2 / n + \sigma^2 / m + B^2} = \frac{m}{m + n + m n / k}$$
# <!-- /slide -->
#
# [The engine `mcts`](../docs/engines/mcts.md) uses this formula. With many counts $m$, $b$ is
# nearly $k / (n + k)$, so both shares weigh the same after $n = k$ visits. The exercise `rave` uses
# a formula that Gelly and Silver chose by hand:
#
# $$b = \sqrt{\frac{k}{3 n + k}}$$
#
# It needs no $m$, is also $1/2$ at $n = k$ because $\sqrt{k / 4k} = 1/2$, and then falls more
# slowly.
#
# RAVE needs moves that mean the same at any time. In Go on 9x9 it beats the same search without it,
# in Connect Four it does not ([measured](../docs/engines/mcts.md#the-ladder)).
#
# ## What the book says, and what we measured

# %% tags=["hide-input"]
Claims(
    ("There are fewer than 300,000 games of tic-tac-toe.", "4.4",
     "Confirmed: 255,168 (OEIS A061526; `tests/test_perft.py` counts them)."),
    ("Minimax is an unbeatable opponent in tic-tac-toe.", "4.3",
     f"True by construction. It proves a draw after {ch04.cuts['minimax']}."),
    ("Four rules, each built on the ones before, play better and better.", "4.2",
     f"Confirmed: {ch04.rules['win + block against win alone']}, "
     f"{ch04.rules['three rules against two']}, {ch04.rules['four rules against three']} "
     f"against one rule fewer; {ch04.rules['four rules against perfect play']} against perfect "
     "play."),
    ("Alpha-beta removes most of the work and chooses an equally good move.", "4.4",
     f"Confirmed: tic-tac-toe with {ch04.cuts['alpha-beta']} instead of {ch04.cuts['minimax']}; "
     "`tests/engines/test_minimax.py` compares values in five games."),
    ("Searching deeper plays better.", "4.4.1",
     f"Confirmed on 5x5: {ch04.depth['depth 2 against depth 1']}, "
     f"{ch04.depth['depth 3 against depth 2']}, "
     f"{ch04.depth['depth 4 against depth 3']} against one ply less."),
    ("More rollouts mean better decisions.", "4.5.3",
     f"Confirmed on 5x5: doubling scores {ch04.simulations['100 against 50 simulations']}, "
     f"{ch04.simulations['200 against 100 simulations']}, "
     f"{ch04.simulations['400 against 200 simulations']}."),
    ("Begin with c around 1.5.", "4.5.2",
     f"Depends on the scale: wins count 0 to 1 here, and c = 0.4 scores "
     f"{ch04.exploration['c = 0.4 against 1.5']} against 1.5 in Connect Four."),
    ("Rollouts that know patterns are much stronger than random ones.", "4.5.3",
     "Confirmed, also at equal time: see [MCTS](../docs/engines/mcts.md)."),
)

# %% [markdown]
# ## Pitfalls
#
# <!-- slide: Five faults of searches -->
# * **A wrong sign.** Write next to each value whose it is.
# * **A draw is not a lost game.** The book's minimax gives draws away.
# * **The best mean is not the best move.** Play the most visited one.
# * **Odd and even depths differ.** Whoever moved last looks good.
# * **Twenty games show little.** The interval of 65% is $\pm$ 21 percentage points.
# <!-- /slide -->
#
# ## Graded exercises
#
# `rules_of_thumb`, `evaluation`, `minimax`, `alpha_beta`, `uct`, `rave`:
# `dlgo class new rules_of_thumb` writes `rules_of_thumb.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* A child has won 3 of 4 visits, its sibling 50 of 96. Which one does
# UCT visit next with $c = 0.4$? And with $c = 0$?
#
# <details markdown="1"><summary>Answer</summary>
#
# $N = 100$, $\ln N = 4.61$. The first scores $0.75 + 0.4 \sqrt{4.61/4} = 1.18$, the second $0.52 +
# 0.4 \sqrt{4.61/96} = 0.61$. With $c = 0$ it is the first one, too: 0.75 against 0.52.
#
# </details>
#
# **2.** *(medium, 20 minutes)* `textbook-alphabeta:depth=9` shuffles the moves of the root by its
# seed. Count the positions it visits after B2 B1 with the seeds 0 to 19
# (`dlgo.engine("textbook-alphabeta:depth=9", game, seed).select_move(state).cost.nodes`). How far
# apart are the best and the worst, and why?
#
# <details markdown="1"><summary>Answer</summary>
#
# 35 and 404. x can win. A winning move ends the search, and each move before it costs a whole
# subtree. So engines search to depth 1, 2, 3, ... and start each time with the best move of the
# previous depth.
#
# </details>
#
# **3.** *(hard, 1 hour)* Give alpha-beta and MCTS the same CPU time per move in Connect Four,
# draughts and Go 9x9. Which one wins where?
#
# <details markdown="1"><summary>Answer</summary>
#
# [The report](../docs/report.md) has measured it. Where a cheap estimate is good (draughts),
# alpha-beta wins; where none is known (Go), MCTS does.
#
# </details>
