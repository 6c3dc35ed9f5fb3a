# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # Rules and state
#
# *Chapters 2 and 3 of [the book](../docs/index.md), with its section numbers.*
#
# After this page you can
#
# * read a Go position: chains, liberties, captures, eyes, ko and the count;
# * write a board that captures and a game state that never changes;
# * write a bot, and measure with an error bar whether it beats another one;
# * explain which changes make a board faster, and by how much.
#
# You need Python with classes, and no knowledge of Go.
#
# `Source` shows code of the project, `Row` shows boards side by side. `ch02.komi.show()` plots a
# stored result and names the command that produced it; `ch02.komi.run()` measures again. In
# [the studio](../docs/studio.md#course-and-lectures), open the course preset *A ko*.

# %% tags=["hide-input"]
import dlgo
from dlgo import Player, Point
from dlgo.games.go.scoring import score
from dlgo.games.go.textbook import Board, GoString, TextbookState, is_point_an_eye
from dlgo.games.go.textbook_zobrist import ZobristBoard
from dlgo.moves import point_text
from experiments.chapters import ch02, ch03
from experiments.chapters.ch02 import chain, position
from experiments.chapters.experiment import Claims
from experiments.course import diagrams
from experiments.course.showing import Row, Source

# %% [markdown]
# ## The aim of the game
#
# <!-- slide: The larger part of the board wins -->
# * Two players, Black first, put stones on the points of a grid in turn, or pass.
# * Stones do not move. Surrounded stones are *captured*: the opponent takes them as *prisoners*.
# * The game ends when both pass. The winner controls more of the board: the points of their stones
#   and the empty points that only these surround.
# <!-- /slide -->
#
# The rules of a game say which moves are legal and who has won. So a program can play millions of
# games and learn from the results. Go is a hard case: a position has hundreds of legal moves, and
# nobody has found a formula that tells who is ahead.
#
# ## Chains and liberties
#
# Stones of one colour that touch along the lines form a [*chain*](../docs/glossary.md#chain)
# (in the book and in code: string). The empty points next to a chain are its
# [*liberties*](../docs/glossary.md#liberty). A chain without liberties is captured as a whole:
#
# <!-- slide: A chain lives by its liberties -->

# %% tags=["hide-input"]
diagrams.liberties()

# %% [markdown]
# <!-- /slide -->
#
# The same in code: `position` takes the rows from the top, x for Black, and who is to move. White
# fills the four liberties while Black passes; only the fourth stone captures:

# %%
board = position((".....", ".oxo.", ".ox..", "..xo.", "....."), Player.white)
last = board.play("C5", "pass", "D3", "pass", "B2", "pass")
for state in (board, last):
    print(*map(point_text, sorted(chain(state, "C3").liberties)))
last.play("C1")

# %% [markdown]
# The textbook board needs few lines for that. Its `_grid` maps each stone's point to its chain;
# `_put` enters a chain there:
#
# <!-- slide: Remove the opponent's stones first -->
# 1. Join the new stone with its friends to one chain.
# 2. Take a liberty from each chain of the opponent next to it.
# 3. Remove those that have none left.
# 4. Only then ask whether the new chain has a liberty.
# <!-- /slide -->

# %%
Source(Board.place_stone, Board.remove)

# %% [markdown]
# ## Eyes
#
# Self-capture is illegal: after captures, your new stone's chain must have a liberty. This rule
# makes chains with two separate holes, [*eyes*](../docs/glossary.md#eye), safe. White's chain in
# the left corner has two eyes, A1 and C1. Black can fill neither: the chain keeps the other
# liberty, so the move captures nothing. The white chain in the right corner has one eye, G7. Black
# can play there, because the move captures five stones.
#
# <!-- slide: Two eyes are safe, one is not -->

# %%
eyes = position(("...xoo.", "....xoo", ".....xo", "......x", "xxxx...", "oooox..", ".o.ox.."))
legal = {eyes.game.move_text(move) for move in eyes.legal_moves()}
print("legal for Black:", {point: point in legal for point in ("A1", "C1", "G7")})
Row(eyes, eyes.play("G7"), titles=("Black to move", "after G7"))

# %% [markdown]
# <!-- /slide -->
#
# ## Ko: no repetition
#
# Two players could capture one stone in turn for ever. A rule forbids that.
#
# <!-- slide: No position may come back -->
# * [*Simple ko*](../docs/glossary.md#ko) forbids a move that restores the board before the
#   opponent's last move.
# * [*Superko*](../docs/glossary.md#superko) forbids a move that restores any earlier position.
#
# White's stone at B3 has just been captured:

# %%
ko = position((".....", ".xo..", "xo.o.", ".xo..", ".....")).play("C3")
print(ko.game.why_illegal(ko, ko.game.parse_move(ko, "B3")))
later = ko.play("E5", "E1")
print("B3 is legal after a move of each player elsewhere:", later.is_valid_move("B3"))
Row(ko, later, titles=("B3 is illegal", "B3 is legal"))

# %% [markdown]
# <!-- /slide -->
# <!-- try: ko -->
#
# The default here is *situational* superko: the player to move is part of the position.
# Self-capture and ko are both questions about the board *after* the move:

# %%
Source(TextbookState.is_valid_move, TextbookState._is_self_capture,
       TextbookState._violates_superko)

# %% [markdown]
# ## Who has won?
#
# White gets [*komi*](../docs/glossary.md#komi) $k$, some points for moving second; half a point in
# it excludes draws. There are two ways to count. By *area* (China, most programs), your points are
# your stones $s$ and the empty points $e$ that only your stones surround. By *territory* (Japan),
# your points are these empty points $e$ and your prisoners $p$. Black's lead, with B for Black and
# W for White:
#
# <!-- slide: Area counts stones, territory counts prisoners -->
# By area:
#
# $$m_{\text{area}} = (s_B + e_B) - (s_W + e_W) - k$$
#
# By territory:
#
# $$m_{\text{territory}} = (e_B + p_B) - (e_W + p_W) - k$$
# <!-- /slide -->
#
# On the next board the stones at B4 and F6 cannot be saved. The players agree that they are *dead*,
# remove them, and count them as prisoners. By area with the usual $k = 7.5$, Black wins by $(13 +
# 16) - (13 + 7) - 7.5 = 1.5$ points. By territory $k = 6.5$ is usual: $(16 + 1) - (7 + 1) - 6.5 =
# 2.5$.

# %%
rows = ("..xoo..", ".xxoox.", "..xxo..", ".o.xooo", "..xxxoo", "..x.xoo", "...xxo.")
dead = (Point(4, 2), Point(6, 6))
print("area:", score(position(rows), dead).margin)
print("territory:", score(position(rows, komi=6.5), dead, "territory").margin)
position(rows)

# %% [markdown]
# Why are the two ways so close? A stone that was played is on the board or a prisoner. If Black has
# played $n_B$ stones and White $n_W$, then $s_B = n_B - p_W$ and $s_W = n_W - p_B$. Insert this in
# the first formula:
#
# <!-- slide: Both counts differ by the stones played -->
# $$s_B - s_W = (n_B - n_W) + (p_B - p_W)$$
#
# So with the same komi
#
# $$m_{\text{area}} = m_{\text{territory}} + (n_B - n_W)$$
#
# Without early passes $n_B - n_W$ is 0 or 1: one point decides.
# <!-- /slide -->
#
# So both ways nearly always name the same winner, but less often in close games. Those of a search
# are closer than random ones:
#
# <!-- slide: Close games depend on the count -->

# %%
ch02.counting.show()

# %% [markdown]
# <!-- /slide -->
#
# The thin lines are *95% intervals*: in 95 of 100 repetitions, such an
# [interval](../docs/glossary.md#interval) contains the true value.
#
# Which komi is fair depends on the players: random players on 9x9 need only 2 or 3 points.

# %%
ch02.komi.show()

# %% [markdown]
# ## How large is the game?
#
# With $b$ legal moves in each position, there are $b^d$ sequences of $d$ moves. The book takes $b =
# 250$ and $d = 150$ for 19x19:
#
# <!-- slide: No computer can try all games -->
# $$250^{150} = 10^{150 \cdot 2.398} \approx 10^{360} \text{ games}$$
#
# ($\log_{10} 250 = 2.398$.) A billion games a second make about $10^{17}$ in three years.
# <!-- /slide -->
#
# So a program must choose what it looks at. The number of legal moves falls with each stone until
# captures begin:

# %%
ch02.moves.show()

# %% [markdown]
# ## A state that never changes
#
# A move makes a *new* state; the old one stays as it is. So a search can try many continuations of
# one position, and you can take back moves.
#
# <!-- slide: A move makes a new state -->

# %%
start = dlgo.game("go", size=5).start()
one = start.apply_move("C3")
Row(start, one.apply_move("B3"), one.apply_move("C4"), titles=("start", "one future", "another"))

# %% [markdown]
# <!-- /slide -->
#
# Each move copies the board. The copy is cheap: both boards share all chains that the move does
# not touch.

# %%
Source(GoString, TextbookState.apply_move)

# %% [markdown]
# ## A bot
#
# The simplest bot chooses a legal move at random: such games are the heart of [Monte Carlo tree
# search](04_search.py), and every rating list starts there. This bot adds one idea:

# %%
Source(ch03.Centre)

# %% [markdown]
# `sensible_moves` are the legal moves that do not fill an own eye. A `Decision` has the move and
# its cost; `budget` is for searches. `Edge` is the same bot with `sign = -1`. To test a bot, let
# it play a match against another one, from random openings, each once with each colour. 50% means
# equal strength.
#
# How wide is the interval of a match? One game, won with probability $q$, has the variance
# $q(1 - q)$, at most $1/4$. The mean of $n$ independent games has the variance $q(1 - q)/n$, and
# 95% of a normal distribution lie within 1.96 standard deviations:
#
# <!-- slide: Four times the games halve the interval -->
# $$\hat q \pm 1.96 \sqrt{\frac{\hat q (1 - \hat q)}{n}}$$
#
# $\hat q$ is the share of wins in $n$ games. The width is at most $\pm 0.98 / \sqrt n$: with 100
# games, 10 percentage points.
# <!-- /slide -->
#
# Here each match has 1,000 games; "100 random games" is a search of the next page:
#
# <!-- slide: A preference for the centre wins -->

# %%
ch03.bots.show()

# %% [markdown]
# <!-- /slide -->
#
# **Try this.** Write a bot that captures when it can and plays like `Centre` otherwise
# (`len(state.game.stones(state))` counts stones). Then run
# `dlgo.match("go:size=5,komi=0.5", YourBot, ch03.Centre, pairs=100)`.
#
# ## Why random bots must know eyes
#
# A bot that fills its own eyes kills its own chains. The board empties again, and the game does not
# end. So random bots need a definition of an eye: an empty point whose neighbours are all your
# stones. Is that enough? On both boards below, C3 is such a point. On the right board, White
# threatens to capture B3 by C3, and only Black's own stone at C3 saves it. So this eye is *false*.
#
# <!-- slide: Three of four corners make an eye -->

# %%
safe = position((".....", ".xxx.", ".x.x.", ".oxx.", "....."))
false = position((".....", ".oxx.", "ox.x.", ".oxx.", "....."))
for state in (safe, false):
    moves = map(state.game.move_text, state.sensible_moves())
    print("a random bot may fill C3:", "C3" in moves)
Row(safe, false, titles=("C3 is an eye", "C3 is a false eye"))

# %% [markdown]
# <!-- /slide -->
#
# The *corners* of the point, its four diagonal neighbours, make the difference. Each corner joins
# two of the four stones around the point. Three corners join all four to one chain, which cannot be
# captured in parts. With two corners the ring falls into two parts. At the edge, three stones have
# two corners and need both; in a corner of the board, two stones have one and need it:

# %%
Source(is_point_an_eye)

# %% [markdown]
# <!-- slide: Games end if eyes stay empty -->

# %%
ch03.eyes.show()

# %% [markdown]
# <!-- /slide -->
#
# Here is the end of a random game, with both lists:

# %%
bot = dlgo.engine("random", "go:size=7", seed=2)
state = dlgo.game("go", size=7).start()
while not state.is_over():
    before, state = state, state.apply_move(bot.select_move(state).move)
text = before.game.move_text
print("legal:   ", " ".join(map(text, before.legal_moves())))
print("sensible:", " ".join(map(text, before.sensible_moves())))
before

# %% [markdown]
# ## Zobrist keys
#
# Superko must know every earlier position. To compare positions quickly, give each stone on each
# point a random number $r$. The [key](../docs/glossary.md#zobrist-key) of a position is the
# *exclusive or* $\oplus$ of the numbers of its stones: a bit of $a \oplus b$ is 1 if the bits of
# $a$ and $b$ differ.
#
# $$\text{key} = \bigoplus_{\text{stones}} r(\text{colour}, \text{point})$$
#
# Because $a \oplus b \oplus b = a$, the same operation removes a stone. So a move costs one
# operation for each stone that appears or disappears. With four bits, and no other stones drawn:
#
# <!-- slide: One operation for each stone -->

# %% tags=["hide-input"]
diagrams.zobrist_keys()

# %% [markdown]
# <!-- /slide -->

# %%
Source(ZobristBoard)

# %% [markdown]
# The order of the moves does not matter:

# %%
orders = ("C3", "D4", "E5", "A1"), ("E5", "A1", "C3", "D4")
for moves in orders:
    print(start.play(*moves).key())

# %% [markdown]
# ## What makes a board fast
#
# Five boards play the same random games on 9x9. Each row changes one thing:
#
# * *deep copies*: each move copies every chain (listing 3.12);
# * *shared chains*: the textbook board, where copies share chains;
# * *Zobrist keys*: superko compares integers;
# * *compiled rules*: [Numba](https://numba.pydata.org) translates functions on numbers and arrays
#   into machine code, and Python calls them once a move;
# * *compiled games*: Python calls once a game.
#
# <!-- slide: Leave Python for the whole game -->

# %%
ch03.boards.show()

# %% [markdown]
# <!-- /slide -->
#
# Hashing, which has its own section in the book, is the smallest step. Leaving Python is by far the
# largest. Engines use the compiled rules ([Games](../docs/games.md)).
#
# ## What the book says, and what we measured

# %% tags=["hide-input"]
Claims(
    ("A chain with two separate eyes can never be captured.", "2.2.2",
     "A theorem: the opponent would have to fill both eyes, and filling the first one is "
     "self-capture."),
    ("Both ways of counting nearly always name the same winner.", "2.2.3",
     f"Confirmed for random games: {ch02.counting['random players']}. In games of a search, which "
     f"are closer, it is {ch02.counting['MCTS, 100 simulations']}."),
    ("White's komi makes up for Black's first move.", "2.2.3",
     f"Depends on the players: with 6.5, Black wins {ch02.komi['9x9, komi 6.5']} of random games "
     "on 9x9."),
    ("361 legal moves at first, about 250 on average.", "2.5.3",
     f"Depends on the length: {ch02.moves['mean of 150 moves']} on average over 150 moves, and "
     f"{ch02.moves['after 250 moves']} after 250."),
    ("Two moves lead to 62,500 positions, three to 15 million.", "table 2.1",
     "Not supported: 130,683 and 47,046,242 sequences of moves (`dlgo perft go:size=19 --depth "
     "3`). The table uses the average of 250, but an empty board has 361 points."),
    ("50 wins in 100 games against GNU Go mean about its strength.", "2.6.2",
     "Depends on your question: the 95% interval is 40% to 60%."),
    ("Copying the board for each move is slow.", "3.2.2",
     f"Confirmed for copies of all chains: {ch03.boards['deep copies']}, against "
     f"{ch03.boards['shared chains']} with shared chains."),
    ("Looking up a hash is an order of magnitude faster than comparing boards.", "3.5",
     f"Not for whole games: {ch03.boards['Zobrist keys']} instead of "
     f"{ch03.boards['shared chains']}. The slower board looks positions up in a set, too. "
     "Zobrist keys save building the key, not the look-up."),
    ("A bot that never passes fills its own eyes, and the game does not end.", "3.3",
     f"Confirmed: {ch03.eyes['any legal move']} of such games end within 1,000 moves, "
     f"{ch03.eyes['own eyes stay empty']} with the rule about eyes."),
    ("The random bot is the weakest bot imaginable.", "3.4",
     f"Not supported: a bot that likes the edge scores {ch03.bots['edge against random']} "
     "against it."),
)

# %% [markdown]
# ## Pitfalls
#
# <!-- slide: Five faults of Go programs -->
# * **Captures come first.** Otherwise G7 on the board with eyes is forbidden as self-capture.
# * **"No repetition" is several rules** (`go:ko=simple`). A pass may repeat a position.
# * **Dead stones are an agreement.** Engines count all as alive: capture them before you pass.
# * **Compare positions, not objects.** `==` needs `__eq__`.
# * **A key needs the player to move**, for situational superko.
# <!-- /slide -->
#
# The book makes the last two mistakes: its ko test compares boards without `__eq__` and is never
# true; its Zobrist table has no number for the player to move.
#
# ## Graded exercises
#
# `liberties`, `captures`, `ko`, `counting`, `random_bot`, `zobrist`. `dlgo class new liberties`
# writes `liberties.py`. Fill in the gaps and run it to try its examples.
#
# ## Questions
#
# **1.** *(easy, 5 minutes)* How many liberties has a single stone in the corner, at the edge and
# in the middle of an empty board? And a straight chain of $n$ stones in the middle?
#
# <details markdown="1"><summary>Answer</summary>
#
# 2, 3 and 4. The chain has $n$ liberties on each side and one at each end: $2n + 2$.
#
# </details>
#
# **2.** *(easy, 10 minutes)* White captures a single black stone. Black at once plays where it
# stood and captures two white stones. Does a ko rule forbid this *snapback*?
#
# <details markdown="1"><summary>Answer</summary>
#
# No. Ko forbids repeating a position. The position after the snapback is new: compared with the
# board before White's capture, one white stone is missing.
#
# </details>
#
# **3.** *(medium, 15 minutes)* How many games does it take to show that a bot that wins 53% of its
# games is better than its opponent? Guess first, then ask `dlgo power --elo 20` (53% is 20
# [Elo](../docs/compare.md#how-sure-is-that)).
#
# <details markdown="1"><summary>Answer</summary>
#
# About 2,400. The 95% interval of $n$ games reaches $0.98 / \sqrt{n}$ to either side, and 3 points
# need $n \approx 1{,}100$ to stand out in half of the experiments. A chance of 80% to see the
# difference needs twice as many.
#
# </details>
