# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Among other programs
#
# *Chapter 8 of [the book](../docs/index.md), with its section numbers.*
#
# After this page you can
#
# * turn a network's prediction into a move;
# * talk to other programs in the Go Text Protocol (GTP), and test your engine against them;
# * say what a rating from such matches means, and how sure it is;
# * choose a threshold for resigning, and measure what it gives away.
#
# You need [intervals and Elo](07_data.py), and what a [network that predicts moves](05_networks.py)
# is.
#
# A network that predicts moves is not yet a bot (or [*engine*](../docs/glossary.md#engine)): a
# program that chooses moves. A bot must choose legal moves, know when to pass and when to resign,
# and speak a language that other programs understand. This page adds these parts. In
# [the studio](../docs/studio.md#course-and-lectures), open the course preset *From a prediction to
# a move*.

# %% tags=["hide-input"]
import dlgo
from engines.registry import EngineSpec
from engines.supervised.engine import clipped
from engines.termination import Resignation
from experiments.chapters import ch08
from experiments.chapters.experiment import Claims
from experiments.course import diagrams
from experiments.course.showing import Source, draw_policy
from experiments.figures import drawing
from experiments.gtp.server import Server
from experiments.gtp.session import Session

# %% [markdown]
# ## From a prediction to a move
#
# The network evaluates the position once and gives each move a probability.
#
# <!-- slide: A prediction is not yet a move -->
#
# 1. Keep the legal moves.
# 2. In Go, remove moves that fill your own eye: a bot that fills its
#    [eyes](../docs/glossary.md#eye) kills its own stones.
# 3. Scale the remaining probabilities so that they sum to 1.
# 4. Play the most probable move, or draw one.
#
# <!-- /slide -->
#
# <!-- slide: One evaluation: a probability for each move -->

# %% tags=["hide-input"]
go9 = dlgo.game("go9")
bot = dlgo.engine("supervised", go9, seed=1)
state = go9.start()
for _ in range(12):
    state = state.apply_move(bot.select_move(state).move)
with drawing(size=(5, 5.3)) as (axes,):
    draw_policy(axes, state, bot.select_move(state).policy, "the thirteenth move")

# %% [markdown]
# <!-- /slide -->
# <!-- try: thirteenth-move -->
#
# A pass is one of the moves. The book's bot passes only if no other move is left.
#
# To draw, use a [*temperature*](../docs/glossary.md#temperature) $T$, which says how much luck to
# allow. Move $a$ with the probability $p_a$ is drawn with
#
# <!-- slide: Temperature says how much luck to allow -->
#
# $$q_a = \frac{p_a^{1/T}}{\sum_b p_b^{1/T}}$$
#
# Probabilities of 0.6, 0.3 and 0.1 become 0.89, 0.11 and 0.004 with $T = 1/3$.
#
# <!-- /slide -->
#
# Their cubes are 0.216, 0.027 and 0.001, and the sum of these is 0.244. The book cubes them in this
# way. It also keeps every probability away from 0 and 1, here by one millionth (`_CLIP`):

# %%
Source(clipped)

# %% [markdown]
# Why? A move with the probability 0 is never drawn, so a bot that learns from its
# own games would never find out that the move is good. And learning uses $\ln \, p$: the logarithm
# of 0 is minus infinity, and one such number makes all weights useless. $\ln \, 10^{-6} = -13.8$
# does no harm.
#
# How good is one evaluation? On 9x9 the bot meets a random player, searches with 100 and 1,000
# random games a move, and itself with drawn moves ($T = 1$): 40 games each, from random openings.
#
# <!-- slide: One evaluation beats a thousand random games -->

# %% tags=["hide-input"]
ch08.one_look.show()

# %% [markdown]
# <!-- /slide -->
#
# **Try this.** A bot that always plays its favourite plays the same game again and again. Let
# `supervised:choose=sample,temperature=0.3` play against `supervised`. What does the variety cost?
#
# ## GTP
#
# Programs for Go talk in lines of text, the [Go Text Protocol](../docs/glossary.md#gtp) (Farnebäck
# 2002). A *controller* sends commands; the engine answers each one. The controller can be a board
# on the screen such as Sabaki, the program gtp2ogs that connects engines to the server OGS, or a
# tournament.
#
# <!-- slide: Programs talk in lines of text -->

# %% tags=["hide-input"]
diagrams.program_between_programs()

# %% [markdown]
# <!-- /slide -->
#
# * `boardsize 5`, `clear_board` and `komi 0.5` begin a game.
# * `play black C3` tells the engine a move. Columns are letters without I, rows count from below.
# * `genmove white` asks for a move. The answer is a point, `pass` or `resign`.
# * An answer begins with `=`, or with `?` and an error message. An empty line ends it.
# * A number before a command, such as `7`, comes back in the answer: a controller that sends
#   several commands at once can tell the answers apart.
#
# A real dialogue with this project's server; on the command line it is `dlgo gtp`:
#
# <!-- slide: A real dialogue in GTP -->

# %%
server = Server(Session(dlgo.game("go", size=5), EngineSpec.parse("mcts:sims=500"), seed=1))
commands = ("name", "boardsize 5", "clear_board", "komi 0.5", "play black C3", "play white C3",
            "7 genmove white", "nonsense")
print("\n".join(f"{line:<15} -> {''.join(server.answer(line)).strip()}" for line in commands))

# %% [markdown]
# <!-- /slide -->
#
# ## A match against another program
#
# The page [GTP](../docs/gtp.md) shows how to enter an engine of this project in Sabaki or GoGui. In
# the other direction, `gtp:COMMAND` makes any GTP program a player here. If GNU Go is installed:
#
# ```
# GNUGO="gtp:gnugo --mode gtp --level 0 --chinese-rules --capture-all-dead"
# GNUGO="$GNUGO --never-resign --situational-superko --seed {seed}"
# dlgo tournament --game go9 --engine mcts:sims=300 --engine "$GNUGO" --pairs 6 \
#     --ledger gnugo.sqlite
# ```
#
# The tournament is the referee. It tells each program the other's moves, and checks every move by
# its own rules. A program that answers with an illegal move, hangs or crashes loses the game, and
# the tournament continues. A fair test needs more:
#
# <!-- slide: A fair test against another program -->
#
# * **One set of rules**: [komi](../docs/glossary.md#komi), superko, and the count.
# * **Pairs**: each random opening is played twice, with both colours.
# * **Equal budgets**: the same time a move, or name both budgets.
# * **Enough games** for the difference that you want to see.
#
# <!-- /slide -->
#
# The count is the usual trap. This project counts every stone on the board as alive, so GNU Go is
# asked to capture dead stones before it passes. Also let your engine meet *itself*
# through GTP, `--engine "gtp:dlgo gtp --engine mcts:sims=300 --seed {seed}"`. The score must be 50%
# within its interval. If it is not, the connection changes the game.
#
# ## What a rating means
#
# [The page before](07_data.py) gives the score that a difference in Elo predicts. Solved for the
# difference, a score $p$ in $n$ games means, with its 95% interval,
#
# <!-- slide: A score is an Elo difference -->
#
# $$D = 400 \, \log_{10} \frac{p}{1 - p} \; \pm \; \frac{340}{\sqrt{n \, p (1 - p)}}$$
#
# Equal players, 100 games: 0 ± 68 Elo. With 400 games: ± 34.
#
# <!-- /slide -->
#
# A score of 75% gives $400 \, \log_{10} 3 = 191$. The margin of $D$ is the margin of $p$ times the
# slope:
#
# $$\frac{dD}{dp} = \frac{400}{\ln \, 10} \cdot \frac{1}{p (1 - p)}$$
#
# $$1.96 \sqrt{\frac{p (1 - p)}{n}} \cdot \frac{dD}{dp} = \frac{340}{\sqrt{n \, p (1 - p)}}$$
#
# since $1.96 \cdot 400 / \ln \, 10 = 340$. Near 0 and 1 this is too rough: 12 wins of 12 have no
# finite $D$, only a lower end. With many players, a rating list finds the numbers that make all
# results as likely as possible ([Ratings](../docs/ratings.md)). When you read one:
#
# * Only differences count. The zero is a choice.
# * A rating holds for its conditions: this game, this board, this time a move, these opponents.
# * It assumes that differences add up: if B is 100 Elo better than A, and C is 100 better than B,
#   then C is 200 better than A. Does it hold? (Searches on 5x5 Go, 800 games each.)
#
# <!-- slide: Elo differences add up, mostly -->

# %% tags=["hide-input"]
ch08.elo.show()

# %% [markdown]
# <!-- /slide -->
#
# The last two rows differ by 18 ± 48 Elo: no difference shown. It can fail between programs of
# different kinds, where each has an opponent that it cannot handle.
#
# ## When to resign
#
# A bot without a rule plays on after the game is decided. A rule uses the bot's own estimate $v$,
# its expected share of wins (a draw is half a win): resign if $v$ is below a threshold $\tau$
# (`_below`). One low estimate can be an accident, so the rule waits for several in a row
# (`_patience`). `possible` says whether the bot resigns at all:

# %%
Source(Resignation.update)

# %% [markdown]
# The *error* $e$ of a threshold is the share of the resigned games that were not lost. Let the bot
# resign $R$ games, with the estimates $v_r$. If these are right on average and no game is drawn,
# their mean is the share of wins among these games, which is $e$. All are below the threshold, so
# $e$ is, too:
#
# <!-- slide: A right estimate bounds the error -->
#
# $$e = \frac{\text{games not lost}}{R} \approx \frac{1}{R} \sum_{r=1}^{R} v_r < \tau$$
#
# To measure $e$, play the resigned games to the end. With 0 errors in $R$ games, $e$ is below about
# $3/R$ (question 3).
#
# <!-- /slide -->
#
# A search with 400 simulations plays 500 games of Connect Four to the end. The rule is applied
# afterwards:
#
# <!-- slide: Three low estimates are safer than one -->

# %% tags=["hide-input"]
ch08.resigning.show()

# %% [markdown]
# <!-- /slide -->
#
# The errors are far below the thresholds: a search averages over all its simulations, also those
# with poor replies, so it is too hopeful in lost positions. Waiting for three estimates makes fewer
# mistakes, but it saves fewer moves: at 10%, 8% of all moves instead of 20%. In a training run a
# wrong resignation also gives a wrong label: the game counts as lost although it was not. AlphaGo
# Zero played a tenth of its training games to the end to keep this error below 5% (Silver et al.
# 2017).
#
# **Try this.** Replace `mcts:sims=400` by a much weaker search in `ch08.resigning`. Does 10% stay
# safe?
#
# ## What the book says, and what we measured

# %% tags=["hide-input"]
Claims(
    ("A bot that plays the likeliest move is a decent player.", "8.1",
     f"Confirmed on 9x9: {ch08.one_look['network against random']} against random play, "
     f"{ch08.one_look['network against mcts:sims=1000']} against a search with 1,000 random games "
     "a move."),
    ("Resign if the best move wins with less than 10%.", "4.5.3",
     f"Confirmed in Connect Four: {ch08.resigning['below 10%, 3 in a row']} of the resigned games "
     f"were not lost (three estimates; {ch08.resigning['below 10%, 1 in a row']} with one), and "
     f"{ch08.resigning['moves saved, 3 in a row']} of all moves are saved."),
    ("Measure a bot against GNU Go.", "8.5",
     "Confirmed as a hard test: a search with 300 random games a move wins none of 12 games at "
     "level 0 (at most 24%, Wilson; command above, 2026-11-22, 2-core AMD EPYC)."),
    ("Programs that agree on the rules agree on the score.", "8.5.2",
     "Only if dead stones are captured first: with `--capture-all-dead` both counts agreed in all "
     "of ten games, without it in none ([lab notebook](../docs/lab_notebook.md))."),
)

# %% [markdown]
# ## Pitfalls
#
# * **Probabilities of illegal moves.** Remove them first, then scale.
# * **`?` is an answer.** A controller that waits only for `=` waits forever.
# * **Resigning too early** loses games that a weak opponent would have given back.
#
# ## Graded exercises
#
# `better`, `elo`: `dlgo class new better` writes `better.py`.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* A policy gives three moves 0.5, 0.3 and 0.2. What are the probabilities
# with $T = 1/2$? And when $T$ approaches 0?
#
# <details markdown="1"><summary>Answer</summary>
#
# The squares are 0.25, 0.09 and 0.04, their sum is 0.38: 0.66, 0.24 and 0.11. Near 0 the likeliest
# move gets everything.
#
# </details>
#
# **2.** *(medium, 15 minutes)* Two equal players meet in 20 games without draws. How likely is it
# that the first wins 12 or more? How many wins make you sure that it is better (less than 5% by
# luck)?
#
# <details markdown="1"><summary>Answer</summary>
#
# 25%, the sum of $\binom{20}{k} / 2^{20}$ for $k$ from 12 to 20. For 14 wins or more the sum is
# 5.8%, for 15 it is 2.1%: it takes 15 wins.
#
# </details>
#
# **3.** *(medium, 15 minutes)* All 300 resigned games were really lost. Which rates of wrong
# resignations does that exclude? (If the rate is $r$, the chance of 0 in 300 is $(1 - r)^{300}$.)
#
# <details markdown="1"><summary>Answer</summary>
#
# Rates above 1%: $0.99^{300} = 0.049$. With 0 of $n$ the upper end is about $3/n$.
#
# </details>
