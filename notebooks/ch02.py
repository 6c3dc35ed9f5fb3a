# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 2 · The rules, asked on small boards
#
# Chapter 2 puts Go on one page. Here you put stones on a board and ask the rules what they think
# of it. [The chapter's page](../docs/chapters/ch02.md) has the reasons.

# %%
import dlgo
from dlgo import Player, Point
from dlgo.games.go.scoring import score
from experiments.chapters.diagrams import count, liberties, play, position
from experiments.course.showing import Row
from experiments.figures import drawing

board = position((".....", ".oxo.", ".ox..", "..xo.", "....."), Player.white)
board

# %% [markdown]
# Three black stones hang together. How many moves does White need to take them, and where?

# %%
free = liberties(board, Point(3, 3))
[board.game.move_text(board.game.move_of((p.row - 1) * 5 + p.col - 1)) for p in sorted(free)]

# %% [markdown]
# Now White plays all four, and Black passes each time. Look at the last board: it is the fourth
# stone alone that takes something.

# %%
boards = [board]
for moves in (("C5",), ("pass", "D3"), ("pass", "B2"), ("pass", "C1")):
    boards.append(play(boards[-1], *moves))
Row(*boards[-2:], titles=("one liberty left", "none left"))

# %% [markdown]
# **Try this.** Let Black play `E3` instead of the first pass. What is the chain's number of
# liberties then, and does White still catch it?

# %%
escape = play(board, "C5", "E3", "D3")
print(len(liberties(escape, Point(3, 3))), "liberties")
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
after = play(eyes, "G7")
print("G7 takes", count(eyes, Player.white) - count(after, Player.white), "stones")
Row(eyes, after, titles=("Black to move", "after G7"))

# %% [markdown]
# ## Ko
#
# `why_illegal` says what a player is told who tries it all the same.

# %%
ko = play(position((".....", ".xo..", "xo.o.", ".xo..", ".....")), "C3")
print(ko.game.why_illegal(ko, ko.game.parse_move(ko, "B3")))
elsewhere = play(ko, "E5", "E1")
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
# Two random players fill a board. Both ways of counting look at the same last position.

# %%
bot = dlgo.engine("random", "go9", seed=5)
state = position((".........",) * 9)
while not state.is_over():
    state = state.apply_move(bot.select_move(state).move)
area, territory = score(state), score(state, rules="territory")
print(f"area: {area.black} to {area.white}; territory: {territory.black} to {territory.white}; "
      f"komi {area.komi:g}")
state

# %% [markdown]
# One game shows nothing. How far ahead is Black in 120 of them, before komi?

# %%
margins = []
for seed in range(120):
    bot.new_game(seed)
    state = position((".........",) * 9)
    while not state.is_over():
        state = state.apply_move(bot.select_move(state).move)
    margins.append(score(state).margin + 7.5)
with drawing(size=(8, 3.5)) as (axes,):
    axes.hist(margins, bins=range(-82, 83, 8))
    axes.set(xlabel="Black's points less White's, without komi", ylabel="games")

# %% [markdown]
# **Try this.** Which komi would be fair for random players? Is it fair for `mcts:sims=100`, too?
# (Fewer games will do; see how wide the histogram is first.)

# %%
print(f"half of the games end below {sorted(margins)[60]:.0f}")
