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
# * talk to other programs in the Go Text Protocol (GTP);
# * choose a threshold for resigning, and test it;
# * compare bots by their scores and by Elo.
#
# A network that predicts moves is not yet a bot. A bot must choose legal moves, know when to pass
# and when to resign, and speak a language that other programs understand. This page adds these
# parts, one by one.
#
# [The studio](../docs/studio.md#course-and-lectures) starts this chapter with
# *From a prediction to a move*.

# %%
import dlgo
from engines.registry import EngineSpec
from engines.supervised.engine import clipped
from engines.termination import Resignation
from experiments.chapters import ch08
from experiments.chapters.experiment import Claims
from experiments.course.showing import Source, draw_policy
from experiments.figures import drawing
from experiments.gtp.server import Server
from experiments.gtp.session import Session

# %% [markdown]
# ## From a prediction to a move
#
# The network looks at the board once and gives each move a probability. Keep the legal moves. In
# Go, also remove moves that fill your own eye (a point that keeps a group alive): a program that
# fills its eyes kills its own stones. Scale the remaining probabilities so that they sum to 1.

# %%
go9 = dlgo.game("go9")
bot = dlgo.engine("supervised", go9, seed=1)
state = go9.start()
for _ in range(12):
    state = state.apply_move(bot.select_move(state).move)
with drawing(size=(5, 5.3)) as (axes,):
    draw_policy(axes, state, bot.select_move(state).policy, "the thirteenth move")

# %% [markdown]
# <!-- try: thirteenth-move -->
#
# Then play the likeliest move, or draw one. A *temperature* $T$ says how much luck to allow:
#
# $$\frac{p_a^{1/T}}{\sum_b p_b^{1/T}}$$
#
# Probabilities of 0.6, 0.3 and 0.1 become 0.89, 0.11 and 0.004 with $T = 1/3$: their cubes are
# 0.216, 0.027 and 0.001, and the sum of these is 0.244. The book cubes them in this way. It also
# keeps every probability a little away from 0 and 1 (`_CLIP` is one millionth).

# %%
Source(clipped)

# %% [markdown]
# How good is one look? On 9x9 the bot meets a random player, searches that play 100 and 1,000
# random games a move, and itself with drawn moves ($T = 1$):

# %%
ch08.one_look.show()

# %% [markdown]
# **Try this.** A bot that always plays its favourite plays the same game again and again. Let
# `supervised:choose=sample,temperature=0.3` play against `supervised`. What does the variety cost?
#
# ## GTP
#
# Programs talk in lines of text. The *controller* sends a command, the *engine* answers with `=`
# and a result, or with `?` and a complaint. An empty line ends the answer.

# %%
server = Server(Session(dlgo.game("go", size=5), EngineSpec.parse("mcts:sims=500"), seed=1))
commands = ("name", "komi 0.5", "play black C3", "play white C3", "genmove white", "nonsense")
print("\n".join(f"{line:<14} -> {''.join(server.answer(line)).strip()}" for line in commands))

# %% [markdown]
# On the command line the same server is `dlgo gtp`. [GTP](../docs/gtp.md) says how to enter it in
# Sabaki or GoGui. In the other direction, `gtp:COMMAND` makes any GTP program a player here. If GNU
# Go is installed:
#
# ```
# GNUGO="gtp:gnugo --mode gtp --level 0 --chinese-rules --capture-all-dead"
# GNUGO="$GNUGO --never-resign --situational-superko --seed {seed}"
# dlgo tournament --game go9 --engine mcts:sims=300 --engine "$GNUGO" --pairs 6 \
#     --ledger gnugo.sqlite
# ```
#
# Both programs must agree on the rules. This project counts every stone on the board as alive, so
# GNU Go is asked to capture dead stones before it passes.
#
# ## When to resign
#
# A program without a rule plays on after the game is decided. A rule uses the bot's own estimate:
# resign if the expected share of wins is below a threshold. One low estimate can be an accident, so
# the rule waits for several in a row:

# %%
Source(Resignation.update)

# %% [markdown]
# A bot that resigns never learns whether it was right. So the games in the next figure are played
# to the end, and the rule is applied to the estimates afterwards:

# %%
ch08.resigning.show()

# %% [markdown]
# Waiting for three estimates makes fewer mistakes, and it saves fewer moves. For a training run a
# wrong resignation also means a wrong label: the game counts as lost although it was not.
#
# **Try this.** Replace `mcts:sims=400` by a much weaker search in `ch08.resigning`. Does 10% stay
# safe?
#
# ## Which bot is better?
#
# [The page before](07_data.py) explains intervals and Elo. The other way round, a score $p$ means
# a difference of
#
# $$D = 400 \, \log_{10} \frac{p}{1 - p}$$
#
# Elo. A score of 75% gives $400 \log_{10} 3 = 191$. Elo differences should add up: if B is 100
# Elo better than A, and C is 100 better than B, then C should be 200 better than A. Does it hold?

# %%
ch08.elo.show()

# %% [markdown]
# It holds here within the error. It can fail between programs of different kinds, where each has an
# opponent that it cannot handle.
#
# ## What the book says, and what we measured

# %%
Claims(
    ("A bot that plays the likeliest move is a decent player.", "8.1",
     f"Confirmed on 9x9: {ch08.one_look['network v random']} against random play, "
     f"{ch08.one_look['network v mcts:sims=1000']} against a search with 1,000 random games a "
     "move."),
    ("Resign if the best move wins with less than 10%.", "4.5.3",
     f"Confirmed in Connect Four: {ch08.resigning['below 10%, 3 in a row']} of the resigned games "
     f"were not lost (three estimates; {ch08.resigning['below 10%, 1 in a row']} with one), and "
     f"{ch08.resigning['moves saved, 3 in a row']} of all moves are saved."),
    ("Measure a bot against GNU Go.", "8.5",
     "Confirmed as a hard test: 300 random games a move win none of 12 games at level 0 "
     "(at most 24%; command above, 2026-11-22, 2-core AMD EPYC)."),
    ("Programs that agree on the rules agree on the score.", "8.5.2",
     "Only if dead stones are captured first: with `--capture-all-dead` both counts agreed in all "
     "of ten games, without it in none ([lab notebook](../docs/lab_notebook.md))."),
)

# %% [markdown]
# ## Pitfalls
#
# * **Probabilities of illegal moves.** Remove them first, then scale.
# * **`?` is an answer.** A controller that waits for `=` only will wait forever. Here a program
#   that hangs or dies loses its game, and the tournament continues.
# * **Bytes and text.** A pipe to a program carries bytes; the book's code mixes them with text.
# * **The same game again.** Two programs without randomness play one game, as often as you ask. Use
#   random openings and both colours.
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
# **2.** *(easy, 5 minutes)* Send `7 genmove white` to the server above. What is the 7 for?
#
# <details markdown="1"><summary>Answer</summary>
#
# The answer begins with `=7`. A controller that sends several commands at once can tell which
# answer belongs to which command.
#
# </details>
#
# **3.** *(medium, 15 minutes)* Two equal players meet in 20 games without draws. How likely is it
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
# **4.** *(medium, 15 minutes)* 0 of 300 resigned games were not lost. Which rates of wrong
# resignations does that exclude? (If the rate is $r$, the chance of 0 in 300 is $(1 - r)^{300}$.)
#
# <details markdown="1"><summary>Answer</summary>
#
# Rates above 1%: $0.99^{300} = 0.049$. With 0 of $n$ the upper end is about $3/n$.
#
# </details>
#
# **5.** *(hard, 45 minutes)* Run `ch08.resigning.run(pairs=200, game="go5")`. How many moves does a
# threshold of 10% save in Go 5x5, with one estimate and with three? Why does it save more than in
# Connect Four?
#
# <details markdown="1"><summary>Answer</summary>
#
# About 40% with one estimate and 26% with three; about 1% and 0% of the resigned games were not
# lost. A Connect Four game ends with four in a row, soon after it is decided. A game of Go goes on
# until both players pass, long after the estimate is clear.
#
# </details>
