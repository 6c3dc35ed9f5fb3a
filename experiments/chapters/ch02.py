# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 2 · The rules, asked on small boards
#
# Chapter 2 puts Go on one page. Here you put stones on a board and ask the rules what they think
# of it. [The chapter's page](../../docs/chapters/ch02.md) has the reasons.

# %%
import numpy as np

import dlgo
from dlgo import Player, Point, kernels
from dlgo.games.go.scoring import score
from dlgo.games.go.textbook import Board
from experiments.arena.series import share_margin
from experiments.chapters.script import begin, size
from experiments.course.showing import Row
from experiments.figures import drawing

begin()


def position(rows, player=Player.black, komi=7.5):
    """The position of a diagram, highest row first: x black, o white, a point for empty."""
    stones = {mark: [Point(row, col) for row, line in enumerate(reversed(rows), 1)
                     for col, cell in enumerate(line, 1) if cell == mark] for mark in "xo"}
    game = dlgo.game("go", size=len(rows), komi=komi)
    return game.position(stones["x"], stones["o"], player)


def textbook_board(state):
    """The same stones on the book's board, which knows chains and their liberties."""
    board = Board(state.game.size)
    for point in board.points():
        if owner := state.game.cell(state, point.row, point.col):
            board.place_stone(owner, point)
    return board


def count(state, colour):
    """Stones of a colour."""
    board = textbook_board(state)
    return sum(board.get(point) is colour for point in board.points())


board = position((".....", ".oxo.", ".ox..", "..xo.", "....."), Player.white)
board

# %% [markdown]
# Three black stones hang together. How many moves does White need to take them, and where?

# %%
free = textbook_board(board).get_go_string(Point(3, 3)).liberties
[board.game.move_text(board.game.move_of((p.row - 1) * 5 + p.col - 1)) for p in sorted(free)]

# %% [markdown]
# Now White plays all four, and Black passes each time. Look at the last board: it is the fourth
# stone alone that takes something.

# %%
boards = [board]
for moves in (("C5",), ("pass", "D3"), ("pass", "B2"), ("pass", "C1")):
    boards.append(boards[-1].play(*moves))
print("White has taken", count(board, Player.black) - count(boards[-1], Player.black), "stones")
Row(*boards[-2:], titles=("one liberty left", "none left"))

# %% [markdown]
# **Try this.** Let Black play `E3` instead of the first pass. What is the chain's number of
# liberties then, and does White still catch it?

# %%
escape = board.play("C5", "E3", "D3")
print(len(textbook_board(escape).get_go_string(Point(3, 3)).liberties), "liberties")
escape

# %% [markdown]
# ## Eyes
#
# Black would like to play inside White's chains. The game lists what may be played; A1, C1 and G7
# are the three points inside.

# %%
eyes = position(("...xoo.", "....xoo", ".....xo", "......x", "xxxx...", "oooox..", ".o.ox.."))
legal = {eyes.game.move_text(move) for move in eyes.legal_moves()}
print({point: point in legal for point in ("A1", "C1", "G7")})
after = eyes.play("G7")
print("G7 takes", count(eyes, Player.white) - count(after, Player.white), "stones")
Row(eyes, after, titles=("Black to move", "after G7"))

# %% [markdown]
# ## Ko
#
# `why_illegal` says what a player is told who tries it all the same.

# %%
ko = position((".....", ".xo..", "xo.o.", ".xo..", ".....")).play("C3")
print(ko.game.why_illegal(ko, ko.game.parse_move(ko, "B3")))
elsewhere = ko.play("E5", "E1")
print("after a move of each elsewhere:", elsewhere.is_valid_move("B3"))
Row(ko, elsewhere)

# %% [markdown]
# **Try this.** Play the ko with `dlgo.game("go", size=5, ko="simple")`. When does the answer differ
# from that of the default rule?

# %%
simple = dlgo.game("go", size=5, ko="simple")
print(simple, "and", ko.game)

# %% [markdown]
# ## Who has won?
#
# On this board the stones at B4 and F6 cannot be saved. Both players agree that they are dead, and
# they come off. White gets `komi` points for moving second.

# %%
rows = ("..xoo..", ".xxoox.", "..xxo..", ".o.xooo", "..xxxoo", "..x.xoo", "...xxo.")
end, dead = position(rows), (Point(4, 2), Point(6, 6))
area = score(end, dead)
territory = score(position(rows, komi=6.5), dead, "territory")
for name, found in (("area", area), ("territory", territory)):
    print(f"{name}: {found.black} to {found.white} and komi {found.komi:g}: "
          f"Black wins by {found.margin:g}")
end

# %% [markdown]
# Now random players fill boards. How far ahead is Black before komi, and do both ways of counting
# name the same winner?

# %%
games = size(120, 1000)
bot, margins, agree = dlgo.engine("random", "go9"), [], 0
for seed in range(1, games + 1):
    bot.new_game(seed)
    state = position((".........",) * 9)
    while not state.is_over():
        state = state.apply_move(bot.select_move(state).move)
    area, territory = score(state), score(state, rules="territory")
    margins.append(area.margin + area.komi)
    agree += (area.margin > 0) == (territory.margin + 1 > 0)  # with a komi of 6.5
share = agree / games
print(f"both counts agree in {share:.1%} +-{share_margin(share, games):.1%} of {games} games")
with drawing(size=(8, 3.5)) as (axes,):
    axes.hist(margins, bins=range(-82, 83, 8))
    axes.set(xlabel="Black's points less White's, without komi", ylabel="games")

# %% [markdown]
# **Try this.** Which komi would be fair for random players? Is it fair for `mcts:sims=100`, too?
# (Fewer games will do; see how wide the histogram is first.)

# %%
print(f"half of the games end below {sorted(margins)[games // 2]:.0f}")

# %% [markdown]
# ## How many moves are there?
#
# The legal moves before each of the first 150 plies of random games on 19x19.

# %%
go19, rng = dlgo.game("go19"), np.random.default_rng(1)
start, actions = go19.new_kernel_state(), np.empty(go19.num_actions, np.int64)
state = go19.scratch_state(start, 150)  # superko remembers all positions
numbers = np.zeros((size(20, 50), 150))
for line in numbers:
    kernels.copy_into(state, start)
    for ply in range(150):
        line[ply] = n = kernels.legal_actions(state, actions)
        kernels.play(state, actions[rng.integers(n)])
for name, values in (("at first", numbers[:, 0]), ("on average", numbers.mean(axis=1)),
                     ("at the end", numbers[:, -1])):
    margin = 1.96 * values.std(ddof=1) / len(values) ** 0.5
    print(f"legal moves {name}: {values.mean():.1f} +-{margin:.1f}")
with drawing(size=(8, 3.5)) as (axes,):
    axes.plot(numbers.mean(axis=0))
    axes.set(xlabel="ply", ylabel="legal moves", ylim=(0, None))
