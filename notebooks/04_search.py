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
# * explain UCT's formula and compute one step of it by hand;
# * say what one more ply, or twice the simulations, is worth, with an error bar.
#
# To choose a move, imagine it played. Then imagine the best answer, then the best answer to that.
# The chapter tells this story four times. **Rules of thumb** look at most four moves ahead.
# **Minimax** looks at everything. **Alpha-beta** gets the same answer from a small part of the
# positions. **Monte Carlo tree search** (MCTS) samples: it plays random games and spends most of
# them on the moves that have done well.
#
# [The studio](../docs/studio.md#course-and-lectures) starts this chapter with *A fork*.

# %%
import dlgo
from engines.mcts.textbook import TextbookMCTS
from engines.minimax.textbook import alphabeta, minimax, result_of
from engines.watching.recording import watch
from experiments.chapters import ch04
from experiments.chapters.experiment import Claims
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
# Each rule asks what the opponent would do next, so the four rules are a search that stops after
# four moves. Each of them helps. A position can still be lost although no single rule warns:
# perfect play beats all four.

# %%
ch04.rules.show()

# %% [markdown]
# ## Minimax: everything
#
# You know the value of a finished game: 1 if you win, 0 for a draw, -1 if you lose. The value of
# any other position is the largest value among its moves. The opponent chooses in the same way, and
# what is good for the opponent is bad for you:
#
# $$v(s) = \max_a \; -v(s \cdot a)$$
#
# Here $s \cdot a$ is the position after move $a$, and each value belongs to the player to move. In
# code:

# %%
Source(minimax, result_of)

# %% [markdown]
# The code changes the sign where the *player* changes, not after every move: in draughts a player
# can move twice in a row, and then the sign stays.
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
# Minimax wastes most of its work. Suppose your first move is worth 0. You look at your second move
# and find one reply that beats you. You need not look at the other replies: the second move is
# already worse than 0, and how much worse does not matter.
#
# Alpha-beta remembers two numbers. `alpha` is what the player to move can already force with
# another move. `beta` is the most that the opponent will allow: a position that is worth more is
# never reached, because the opponent has a better move earlier. As soon as `alpha >= beta`, the
# search stops looking at the position. The value of the root is the same as minimax's.

# %%
Source(alphabeta)

# %% [markdown]
# A red line in the next picture says which moves were skipped.

# %%
ending = game.start().play("B2", "A1", "A3", "C1", "B1")
watch(dlgo.engine("textbook-alphabeta:depth=9", game, 3), ending)

# %% [markdown]
# From the empty board, alpha-beta proves the draw from a few percent of the positions. A table of
# positions that it has already valued (a *transposition table*) saves more: different orders of the
# same moves lead to one position.

# %%
ch04.cuts.show()

# %% [markdown]
# Larger games are too long to search to the end. The search then stops at a depth and *estimates*
# the value, in Go on 5x5 by counting stones and the points they surround. Every ply (one move of
# one player) multiplies the cost. Alpha-beta's line is less steep: in the best case it visits about
# the square root of minimax's positions.

# %%
ch04.growth.show()

# %% [markdown]
# <!-- try: cuts -->
#
# Each extra ply wins more games:

# %%
ch04.depth.show()

# %% [markdown]
# ## Monte Carlo tree search
#
# MCTS needs no estimate. It finishes the game with random moves, many times, and counts the wins.
# It becomes a *search* because it chooses where the next random game starts. One simulation has
# four steps:
#
# 1. **Select.** Walk down from the root. At each position go to the child with the highest score.
# 2. **Expand.** Add one child that has not been tried.
# 3. **Simulate.** Play random moves from there to the end.
# 4. **Back up.** Add the result to every position on the way back to the root.
#
# The score is UCT's (Kocsis and Szepesvári 2006), "upper confidence bounds applied to trees":
#
# $$\frac{w}{n} + c \sqrt{\frac{\ln N}{n}}$$
#
# Here $w$ is the number of wins of the child, $n$ the number of its visits, and $N$ the number of
# visits of its parent. The first term prefers moves that have won. The second prefers moves that
# have been tried little; $c$ weighs it.
#
# By hand, with $c = 0.4$ and $N = 100$: a child with 60% wins in 80 visits scores
# $0.60 + 0.4 \sqrt{4.61 / 80} = 0.70$. A child with 40% wins in 5 visits scores
# $0.40 + 0.4 \sqrt{4.61 / 5} = 0.78$. So the search visits the second child next, although it has
# won less often.

# %%
Source(TextbookMCTS._simulation, TextbookMCTS._select, TextbookMCTS._score, TextbookMCTS._expand,
       TextbookMCTS._back_up)

# %% [markdown]
# Watch it on the position from above. Each step is an event, and you can draw the tree after any
# number of them.

# %%
recording = watch(dlgo.engine("textbook-mcts:sims=60", game, 1), state)
for event in recording.events[:5]:
    print(event)

# %%
Row(*(recording.svg(steps, most_nodes=9) for steps in (24, 60)),
    titles=("after 24 steps", "after 60 steps"))

# %% [markdown]
# **Try this.** Give `textbook-mcts` the option `c_uct=0` (it never explores), then `c_uct=3`. Which
# of the two can miss the best move for ever?
#
# <!-- try: forced-win -->
#
# The search plays the most visited move, not the one with the highest mean: a move that was tried
# once and won has a mean of 100%. With time nearly all simulations go to the best moves, and the
# values approach minimax's, slowly:

# %%
ch04.values.show()

# %% [markdown]
# More simulations win more games. On 5x5, at a tenth of a second a move, MCTS beats an alpha-beta
# search that only counts stones.

# %%
ch04.simulations.show()

# %% [markdown]
# The engines that play rated games are the same searches, compiled: they run thousands of times
# faster. [Alpha-beta](../docs/engines/alphabeta.md) and [MCTS](../docs/engines/mcts.md) describe
# them and what each of their techniques buys.
#
# **Try this.** Run an experiment yourself with other numbers, for instance
# `ch04.exploration.run(pairs=20)`. How many pairs does it take until the interval of
# `c = 0.4 against 1` excludes 50%?
#
# ## What the book says, and what we measured

# %%
Claims(
    ("There are fewer than 300,000 games of tic-tac-toe.", "4.4",
     "Confirmed: 255,168 (OEIS A061526; `tests/test_perft.py` counts them)."),
    ("Minimax is an unbeatable opponent in tic-tac-toe.", "4.3",
     f"Confirmed: it proves a draw after {ch04.cuts['minimax']}."),
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
# * **A wrong sign.** The most common fault of a search is a value that belongs to the other player.
#   Write down next to each value whose it is. Values in the tree of `TextbookMCTS` always belong to
#   the first player.
# * **A draw is not a loss.** The book's minimax treats everything that is not a win as the worst
#   result. A bot that does so gives draws away.
# * **The best mean is not the best move.** Play the move with the most visits.
# * **Odd and even depths differ.** After an odd number of plies you have moved last, and the
#   estimate looks better than it is. Compare depths of the same parity.
# * **Twenty games show little.** 65% of 20 games has a 95% interval of 21 points to either side.
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
# **2.** *(easy, 10 minutes)* Call `alphabeta(state, 0, 1)`. It only asks whether the player to
# move can win. What does it return in a position where they can merely draw, and why?
#
# <details markdown="1"><summary>Answer</summary>
#
# 0, the lower end of the window: every line that is worth 0 or less is cut off at once. The
# narrower the window, the more is cut.
#
# </details>
#
# **3.** *(medium, 20 minutes)* Shuffle the order of moves: `textbook-alphabeta:depth=9` does so by
# its seed. Count the positions it visits after B2 A1 with twenty seeds. How far apart are the best
# and the worst?
#
# <details markdown="1"><summary>Answer</summary>
#
# 525 and 677. Cuts need a good move first. That is why engines search to depth 1, 2, 3, ... and
# start each time with the best move of the previous depth.
#
# </details>
#
# **4.** *(medium, 20 minutes)* Let `mcts:sims=1000` choose x's move in the fork position above. Its
# decision's `cost` says how many simulations it used. Why so few?
#
# <details markdown="1"><summary>Answer</summary>
#
# About 30. A finished game in the tree has an exact value, and one child that is certain to win is
# enough to make its parent certain. The search stops when the root is certain
# (`decision.proven == 1`).
#
# </details>
#
# **5.** *(hard, 1 hour)* Give alpha-beta and MCTS the same CPU time per move in Connect Four,
# draughts and Go 9x9. Which one wins where?
#
# <details markdown="1"><summary>Answer</summary>
#
# [The report](../docs/report.md) has measured it. Where a cheap estimate is good (draughts),
# alpha-beta wins; where none is known (Go), MCTS does.
#
# </details>
