# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 3 · A board, a bot, and their speed
#
# You write a bot of ten lines, let it play, and find out what makes a board fast. [The chapter's
# page](../docs/chapters/ch03.md) shows the board's code.

# %%
import random
import time

import dlgo
from dlgo import Move
from dlgo.games.go.textbook import TextbookState, is_point_an_eye
from dlgo.games.go.textbook_zobrist import ZobristState
from engines.base import Cost, Decision, Engine
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import draw_bars, draw_scores, drawing

# %% [markdown]
# ## A state is a value
#
# A move makes a new state. The old one is still there, so two futures of it can be compared.

# %%
start = dlgo.game("go", size=5).start()
one = start.apply_move("C3")
Row(start, one.apply_move("B3"), one.apply_move("C4"), titles=("start", "a future", "another"))

# %% [markdown]
# ## A bot
#
# A bot is a class with `_decide`. This one likes the middle: it draws five legal moves and plays
# the one nearest to the centre.


# %%
class Centre(Engine):
    """Of a few random moves, the one nearest to the middle of the board."""

    name = "centre"
    summary = "likes the middle"

    def new_game(self, seed):
        self.rng = random.Random(seed)

    def _decide(self, state, budget):
        moves = [move for move in state.sensible_moves() if move.is_play]
        middle = (state.game.board_rows + 1) / 2
        drawn = self.rng.sample(moves, min(5, len(moves))) or [Move.pass_turn()]
        best = min(drawn, key=lambda move: 0 if not move.is_play else
                   (move.point.row - middle) ** 2 + (move.point.col - middle) ** 2)
        return Decision(best, cost=Cost(nodes=1))


series = dlgo.match("go:size=5,komi=0.5", Centre, "random", pairs=60, seed=1)
with drawing(size=(8, 1.8)) as (axes,):
    draw_scores(axes, {"centre\nv random": (series.share, series.margin)})

# %% [markdown]
# **Try this.** Let it prefer the *edge* (`max` instead of `min`). Is it worse than random beyond
# the interval? Then give it one rule about captures and see what that is worth.

# %% [markdown]
# ## The rule about eyes
#
# Here is the whole difference between a game that ends and one that never does.

# %%
Source(is_point_an_eye)

# %% [markdown]
# `sensible_moves` leaves own eyes alone, `legal_moves` does not. Where do they differ at the end
# of a random game?

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
# ## How fast is a board?
#
# The same random game on four boards. The first two are plain Python and differ in how they notice
# a repeated position; the third runs compiled rules from Python, a move at a time; the last stays
# in compiled code for the whole game.


# %%
def textbook_game(state, choose):
    while not state.is_over():
        plays = [move for move in state.legal_moves() if move.is_play
                 and not is_point_an_eye(state.board, move.point, state.next_player)]
        state = state.apply_move(choose(plays) if plays else Move.pass_turn())


def compiled_game(state, choose):
    while not state.is_over():
        state = state.apply_move(choose(state.sensible_moves()))


go9 = dlgo.game("go", size=9)
games = {
    "compare stones": (1, lambda: textbook_game(TextbookState.new_game(9, 7.5), choose)),
    "Zobrist keys": (2, lambda: textbook_game(ZobristState.new_game(9, 7.5), choose)),
    "compiled rules": (20, lambda: compiled_game(go9.start(), choose)),
}
speeds = {}
for name, (repeats, game) in games.items():
    choose = random.Random(1).choice
    begin = time.process_time()
    for _ in range(repeats):
        game()
    speeds[name] = repeats / (time.process_time() - begin)

rollouts = dlgo.engine("mcts:sims=3000", go9, seed=1)
begin = time.process_time()
rollouts.select_move(go9.start())
speeds["inside MCTS"] = 3000 / (time.process_time() - begin)
with drawing(size=(9, 3.2)) as (axes,):
    draw_bars(axes, speeds, texts=[f"{speed:,.0f}" for speed in speeds.values()])
    axes.set(xscale="log", xlim=(1, 3 * max(speeds.values())), xlabel="games of 9x9 a second")

# %% [markdown]
# ## Zobrist keys
#
# A move changes the key by one exclusive or. So the same stones give the same key in whatever
# order they came.

# %%
orders = ("C3", "D4", "E5", "A1"), ("E5", "A1", "C3", "D4")
states = [start.game.start().play(*moves) for moves in orders]
print(*(f"{state.key() & (2**64 - 1):016x}" for state in states))
Row(*states)

# %% [markdown]
# **Try this.** Find two orders with the same stones and *different* keys. (Whose turn is it?)

# %% [markdown]
# ## Nothing but chance
#
# Where do random bots begin, and where does a search that uses them as rollouts?

# %%
decision = dlgo.engine("mcts:sims=2000", start.game, seed=1).select_move(start)
uniform = dict.fromkeys(start.sensible_moves(), 1 / 25)
with drawing(None, 2, 1, (4, 4)) as axes:
    draw_policy(axes[0], start, uniform, "a random bot")
    draw_policy(axes[1], start, decision.policy, "2,000 games of random bots")
