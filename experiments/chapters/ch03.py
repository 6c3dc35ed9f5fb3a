# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 3 · A board, a bot, and their speed
#
# You write a bot of ten lines, let it play, and find out what makes a board fast. [The chapter's
# page](../../docs/chapters/ch03.md) shows the board's code.

# %%
import copy
import random
import time

import numpy as np

import dlgo
from dlgo import Move, kernels
from dlgo.games.go.textbook import Board, TextbookState, is_point_an_eye
from dlgo.games.go.textbook_zobrist import ZobristState
from dlgo.rng import make_rng
from engines.base import Cost, Decision, Engine
from experiments.chapters.script import begin, size
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import draw_bars, draw_scores, drawing

begin()

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
# ## Bot against bot
#
# Two random bots play a whole game, and it ends by itself. Where any legal move may come, even into
# an own eye, how many of 20 games end within 1,000 moves?

# %%
go9 = dlgo.game("go9")
bots = [dlgo.engine("random", go9, seed) for seed in (1, 2)]
states = [go9.start()]
while not states[-1].is_over():
    state = states[-1]
    states.append(state.apply_move(bots[state.next_player.index].select_move(state).move))
print(f"After {len(states) - 1} moves: {go9.result_text(states[-1])}.")
parts = [round(part * (len(states) - 1)) for part in (0.2, 0.5, 0.8, 1)]
Row(*(states[plies] for plies in parts), titles=tuple(f"after {plies} moves" for plies in parts))


# %%
def ends(seed, most=1000):
    """Whether a game of any legal moves, passes only when there is no other, ends in time."""
    start, rng = go9.new_kernel_state(), np.random.default_rng(seed)
    state = go9.scratch_state(start, most)  # superko remembers all positions
    kernels.copy_into(state, start)
    actions = np.empty(go9.num_actions, np.int64)
    for _ in range(most):
        if kernels.terminal(state):
            return True
        n = kernels.legal_actions(state, actions)  # the last one is the pass
        kernels.play(state, actions[rng.integers(n - 1) if n > 1 else 0])
    return False


print(f"Without the rule about eyes {sum(map(ends, range(1, 21)))} of 20 games end.")

# %% [markdown]
# To play against such a bot yourself: `dlgo play go9 --second random`.
#
# ## How fast is a board?
#
# The same random games on four boards in Python, then games inside compiled code. Each row changes
# one thing:
#
# * *deep copies*: a copy of the textbook board copies every string, as in listing 3.12;
# * *sets*: strings are immutable, so the copies share them;
# * *Zobrist keys*: superko compares one integer instead of all stones (chapter 3.5);
# * *compiled rules*: the same rules as Numba kernels, called from Python once a move;
# * *compiled rollout*: the whole game in one compiled call (it knows the simple ko only).
#
# The biggest gain on the textbook board is not the hashing. Boards that play the same seed must end
# with the same score, which is checked.


# %%
class DeepCopyBoard(Board):
    """The textbook board without the idea that strings can be shared."""

    def copy(self):
        return copy.deepcopy(self)


class DeepCopyState(TextbookState):
    board_class = DeepCopyBoard


def textbook_game(state_class, seed):
    """Play one random game; its number of moves and Black's margin."""
    choose, moves = random.Random(seed).choice, 0
    state = state_class.new_game(go9.size, go9.komi)
    while not state.is_over():
        plays = [move for move in state.legal_moves() if move.is_play
                 and not is_point_an_eye(state.board, move.point, state.next_player)]
        state = state.apply_move(choose(plays) if plays else Move.pass_turn())
        moves += 1
    return moves, state.margin()


def compiled_game(seed):
    """The same game on the fast board: `search_actions` lists the moves that fill no eye."""
    choose, moves = random.Random(seed).choice, 0
    actions, state = np.empty(go9.num_actions, np.int64), go9.start()
    while not state.is_over():
        n = kernels.search_actions(state.kernel_state, actions)
        plays = actions[: n - 1].tolist()  # the last action is the pass
        state = state.apply_move(go9.move_of(choose(plays) if plays else go9.pass_action))
        moves += 1
    return moves, go9.margin(state)


def timed(play, seconds):
    """Call `play` with 0, 1, 2, ... for about `seconds` of CPU time: calls/s, what it returned."""
    results, begin = [], time.process_time()
    while (spent := time.process_time() - begin) < seconds or not results:
        results.append(play(len(results)))
    return len(results) / spent, results


empty, rng = go9.new_kernel_state(), make_rng(1)
work, batch, seconds = go9.scratch_state(empty), 100, size(0.5, 30)
compiled_game(0), kernels.rollouts(empty, work, rng, 1)  # compile before the clock runs
speeds, longest = {}, []
for name, play in (
    ("deep copies", lambda seed: textbook_game(DeepCopyState, seed)),
    ("sets", lambda seed: textbook_game(TextbookState, seed)),
    ("Zobrist keys", lambda seed: textbook_game(ZobristState, seed)),
    ("compiled rules", compiled_game),
):
    speeds[name], played = timed(play, seconds)
    assert all(a == b for a, b in zip(longest, played, strict=False)), f"{name}: other games"
    longest = max(longest, played, key=len)
per_call, _ = timed(lambda _: kernels.rollouts(empty, work, rng, batch), seconds)
speeds["compiled rollout"] = batch * per_call
for name, speed in speeds.items():
    print(f"{name:<17}{speed:>10,.2f} games/s")
with drawing(size=(10, 5)) as (axes,):
    draw_bars(axes, speeds, texts=[f"{speed:,.{speed < 100:d}f}" for speed in speeds.values()])
    axes.set(xscale="log", xlim=(0.1, 2e6), xlabel="random games on 9x9 a second, one thread")

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
# How much is White's komi of 7.5 worth to random bots? And where do they begin, and where does a
# search that uses them as rollouts?

# %%
mean = kernels.rollouts(empty, work, make_rng(1), 2000) / 2000
print(f"Black's mean result with komi 7.5: {mean:+.3f} "
      f"+-{1.96 * ((1 - mean**2) / 2000) ** 0.5:.3f} (+1 wins, -1 loses)")
decision = dlgo.engine("mcts:sims=2000", start.game, seed=1).select_move(start)
uniform = dict.fromkeys(start.sensible_moves(), 1 / 25)
with drawing(None, 2, 1, (4, 4)) as axes:
    draw_policy(axes[0], start, uniform, "a random bot")
    draw_policy(axes[1], start, decision.policy, "2,000 games of random bots")
