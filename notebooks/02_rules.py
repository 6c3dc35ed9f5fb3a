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
# The rules of a game say which moves are legal and who has won. So a program can play millions of
# games and learn from the results. Go is a hard case: a position has hundreds of legal moves, and
# nobody has found a formula that tells who is ahead.
#
# `Source` shows code of the project, `Row` shows boards side by side. `ch02.komi.show()` draws a
# measured result with the command that made it; `ch02.komi.run()` measures again.
#
# [The studio](../docs/studio.md#course-and-lectures) starts this chapter with *A ko*.

# %%
import dlgo
from dlgo import Player, Point
from dlgo.games.go.scoring import score
from dlgo.games.go.textbook import Board, GoString, TextbookState, is_point_an_eye
from dlgo.games.go.textbook_zobrist import ZobristBoard
from dlgo.moves import point_text
from experiments.chapters import ch02, ch03
from experiments.chapters.ch02 import chain, position
from experiments.chapters.experiment import Claims
from experiments.course.showing import Row, Source

# %% [markdown]
# ## Chains and liberties
#
# Two players put stones on the points of a grid in turn. Stones of one colour that touch along the
# lines form a *chain* (the book's code calls it a string). The empty points next to a chain are its
# *liberties*. Black's three stones on this board have four liberties:

# %%
board = position((".....", ".oxo.", ".ox..", "..xo.", "....."), Player.white)
print(*map(point_text, sorted(chain(board, "C3").liberties)))
board

# %% [markdown]
# A chain without liberties is captured: all its stones leave the board. White fills the four
# liberties while Black passes. Only the fourth stone captures:

# %%
last = board.play("C5", "pass", "D3", "pass", "B2", "pass")
Row(last, last.play("C1"), titles=("one liberty left", "captured"))

# %% [markdown]
# The textbook board needs few lines for that. It removes the opponent's chains first, and only then
# asks whether the new stone has a liberty.

# %%
Source(Board.place_stone, Board.remove)

# %% [markdown]
# ## Eyes
#
# Self-capture is illegal: after captures, your new stone's chain must have a liberty. This rule
# makes chains with two separate holes, *eyes*, safe. White's chain in the left corner has two eyes,
# A1 and C1. Black can fill neither, because the other one is still a liberty. The white chain in
# the right corner has one eye, G7. Black can play there, because the move captures five stones.

# %%
eyes = position(("...xoo.", "....xoo", ".....xo", "......x", "xxxx...", "oooox..", ".o.ox.."))
legal = {eyes.game.move_text(move) for move in eyes.legal_moves()}
print({point: point in legal for point in ("A1", "C1", "G7")})
Row(eyes, eyes.play("G7"), titles=("Black to move", "after G7"))

# %% [markdown]
# ## Ko: no repetition
#
# Two players could capture one stone in turn for ever. A rule forbids that. *Simple ko* forbids a
# move that restores the board before the opponent's last move. *Superko* forbids a move that
# restores any earlier position of the game; it is *situational* if the player to move counts as
# part of the position. The default here is situational superko.

# %%
ko = position((".....", ".xo..", "xo.o.", ".xo..", ".....")).play("C3")
print(ko.game.why_illegal(ko, ko.game.parse_move(ko, "B3")))
later = ko.play("E5", "E1")
print("B3 is legal after a move of each player elsewhere:", later.is_valid_move("B3"))
Row(ko, later, titles=("B3 is illegal", "B3 is legal"))

# %% [markdown]
# <!-- try: ko -->
#
# Self-capture and ko are both questions about the board *after* the move:

# %%
Source(TextbookState.is_valid_move, TextbookState._is_self_capture,
       TextbookState._violates_superko)

# %% [markdown]
# ## Who has won?
#
# The game ends when both players pass. White gets *komi* $k$, some points for moving second; half
# a point in it excludes draws. There are two ways to count. By *area* (China, most programs), your
# points are your stones $s$ and the empty points $e$ that only your stones surround. Black leads by
#
# $$m_{\text{area}} = (s_B + e_B) - (s_W + e_W) - k$$
#
# By *territory* (Japan), your points are the empty points $e$ and your prisoners $p$:
#
# $$m_{\text{territory}} = (e_B + p_B) - (e_W + p_W) - k$$
#
# On the next board the stones at B4 and F6 cannot be saved. The players agree that they are dead
# and remove them. By area with $k = 7.5$, Black wins by $(13 + 16) - (13 + 7) - 7.5 = 1.5$ points.
# By territory with $k = 6.5$, it is $(16 + 1) - (7 + 1) - 6.5 = 2.5$.

# %%
rows = ("..xoo..", ".xxoox.", "..xxo..", ".o.xooo", "..xxxoo", "..x.xoo", "...xxo.")
dead = (Point(4, 2), Point(6, 6))
print("area:", score(position(rows), dead).margin)
print("territory:", score(position(rows, komi=6.5), dead, "territory").margin)
position(rows)

# %% [markdown]
# **Try this.** Add a white stone at A1 to the diagram, but not to the dead stones. What happens to
# Black's territory, and why do players capture such a stone before they count by area?
#
# Do both ways name the same winner? Nearly always, and less often in close games:

# %%
ch02.counting.show()

# %% [markdown]
# The thin lines are *95% intervals*: in 95 of 100 repetitions, such an interval contains the true
# value.
#
# Komi should make a game fair. How much is fair depends on the players: random players on 9x9 need
# only 2 or 3 points.

# %%
ch02.komi.show()

# %% [markdown]
# ## How large is the game?
#
# With $b$ legal moves in each position, there are $b^d$ sequences of $d$ moves. The book takes $b =
# 250$ and $d = 150$ for 19x19: $250^{150} = 10^{150 \cdot 2.398} \approx 10^{360}$ games. A
# computer that plays a billion games a second plays about $10^{17}$ in three years. So a program
# must choose what it looks at. The number of legal moves falls with each stone until captures
# begin:

# %%
ch02.moves.show()

# %% [markdown]
# ## A state that never changes
#
# A move makes a *new* state; the old one stays as it is. So a search can try many continuations of
# one position, and you can take back moves.

# %%
start = dlgo.game("go", size=5).start()
one = start.apply_move("C3")
Row(start, one.apply_move("B3"), one.apply_move("C4"), titles=("start", "one future", "another"))

# %% [markdown]
# Each move copies the board. The copy is cheap: both boards share all strings that the move does
# not touch.

# %%
Source(GoString, TextbookState.apply_move)

# %% [markdown]
# ## A bot
#
# The simplest bot chooses a legal move at random. You will meet it again: random games are the
# heart of [Monte Carlo tree search](04_search.py), and every rating list starts at the random bot.
# This bot adds one idea:

# %%
Source(ch03.Centre)

# %% [markdown]
# `sensible_moves` are the legal moves that do not fill an own eye. To test a bot, let it play a
# match against another one, from random openings, each opening once with each colour. 50% means
# equal strength.

# %%
ch03.bots.show()

# %% [markdown]
# **Try this.** Write a bot that captures when it can and plays like `Centre` otherwise. Compare it
# with `dlgo.match("go:size=5,komi=0.5", YourBot, ch03.Centre, pairs=100)`.
#
# ## Why random bots must know eyes
#
# A bot that fills its own eyes kills its own chains. The board empties again, and the game does not
# end. A strict definition of an eye is enough to prevent that:

# %%
Source(is_point_an_eye)

# %%
ch03.eyes.show()

# %% [markdown]
# Here is the end of a random game, with the two lists of moves:

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
# point a random number $r$, and a position the exclusive or of the numbers of its stones:
#
# $$\text{key} = \bigoplus_{\text{stones}} r(\text{colour}, \text{point})$$
#
# With four bits: Black's stone at C3 has 1010, White's at D4 has 0110. A board with both has the
# key $1010 \oplus 0110 = 1100$. White captures C3: $1100 \oplus 1010 = 0110$, the key of D4 alone.
# So a move costs one operation for each stone that appears or disappears.

# %%
Source(ZobristBoard)

# %% [markdown]
# The order of the moves does not matter:

# %%
orders = ("C3", "D4", "E5", "A1"), ("E5", "A1", "C3", "D4")
for moves in orders:
    print(f"{start.play(*moves).key() & (2**64 - 1):016x}")

# %% [markdown]
# ## What makes a board fast
#
# Five boards play the same random games on 9x9. Each row changes one thing:
#
# * *deep copies*: each move copies every string (listing 3.12);
# * *shared strings*: the textbook board, where copies share strings;
# * *Zobrist keys*: superko compares integers;
# * *compiled rules*: Numba compiles the rules, and Python calls them once a move;
# * *compiled games*: Python calls once a game.

# %%
ch03.boards.show()

# %% [markdown]
# Hashing, which has its own section in the book, is the smallest step. Leaving Python is by far the
# largest. Engines use the compiled rules ([Games](../docs/games.md)).
#
# ## What the book says, and what we measured

# %%
Claims(
    ("A chain with two separate eyes can never be captured.", "2.2.2",
     "Confirmed on the board above: both eyes are illegal for the opponent."),
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
     f"Confirmed for copies of all strings: {ch03.boards['deep copies']}, against "
     f"{ch03.boards['shared strings']} with shared strings."),
    ("Looking up a hash is an order of magnitude faster than comparing boards.", "3.5",
     f"Not for whole games: {ch03.boards['Zobrist keys']} instead of "
     f"{ch03.boards['shared strings']}. The slower board looks positions up in a set, too. "
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
# * **Captures come first.** A program that tests for self-capture before it removes captured stones
#   forbids G7 on the board with eyes.
# * **"No repetition" is several rules.** Programs use simple ko, positional or situational superko;
#   `go:ko=simple` chooses one. A pass may always repeat a position. Otherwise two players with
#   nothing left to do could not end the game.
# * **Dead stones are an agreement.** Engines count all stones as alive, so they capture dead stones
#   before they pass. A program that stops as early as people do counts wrongly.
# * **Compare positions, not objects.** The book's ko test compares boards without `__eq__`. It is
#   never true, so the ko rule never applies.
# * **A key needs the player to move.** Situational superko must tell apart the same stones with
#   different players to move. The book's table of Zobrist numbers has no number for that.
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
# **2.** *(easy, 10 minutes)* One white stone is captured, and Black takes two stones back at once
# at the same point. Does a ko rule forbid this *snapback*?
#
# <details markdown="1"><summary>Answer</summary>
#
# No. Ko forbids repeating a position. After a snapback, two stones are missing from the board of
# two moves ago.
#
# </details>
#
# **3.** *(medium, 15 minutes)* A game has 300 positions. How likely do two of them share a key of
# 16 bits? Hint: there are $n (n - 1) / 2$ pairs.
#
# <details markdown="1"><summary>Answer</summary>
#
# 44,850 pairs, each with probability $1 / 65536$. The probability of at least one equal pair is
# $1 - (1 - 1/65536)^{44850} \approx 1 - e^{-0.684} = 50\%$. With 63 bits it is about $5 \cdot
# 10^{-15}$.
#
# </details>
#
# **4.** *(medium, 15 minutes)* How many games does it take to show that a bot that wins 53% of its
# games is better than its opponent? Guess first, then ask `dlgo power --elo 20`.
#
# <details markdown="1"><summary>Answer</summary>
#
# About 2,400. The 95% interval of $n$ games reaches $0.98 / \sqrt{n}$ to either side, and 3 points
# need $n \approx 1{,}100$ to stand out in half of the experiments. A chance of 80% to see the
# difference needs twice as many.
#
# </details>
#
# **5.** *(hard, 1 hour)* Write a board whose `copy` makes a new `GoString` for each string, but
# keeps the sets of points in it. Where does it land in the figure of the five boards?
#
# <details markdown="1"><summary>Answer</summary>
#
# At about 0.6 times the speed of the textbook board, and 8 times that of deep copies. New strings
# cost little. The expensive part of a deep copy is the copy of every point and every set.
#
# </details>
