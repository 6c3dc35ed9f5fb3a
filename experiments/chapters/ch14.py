# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 14 · AlphaZero in one file, and larger
#
# A network proposes, a search improves on it, the network learns from the search.
# [microzero.py](microzero.py) holds all of this for tic-tac-toe in 199 lines of NumPy. Here you
# train it, change it, and then look at the same search with networks for larger games. [The
# chapter's page](../../docs/chapters/ch14.md) goes through the file line by line.

# %%
import time

import numpy as np

import dlgo
from engines.alphazero.textbook import TextbookPUCT
from engines.alphazero.textbook_gumbel import TextbookGumbel
from engines.base import Budget
from engines.watching.recording import watch
from experiments.chapters import microzero
from experiments.chapters.ch14_without import WITHOUT, trained
from experiments.chapters.script import begin, size
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import BLUE, COLOURS, ORANGE, drawing

begin()
tictactoe, empty = dlgo.game("tictactoe"), np.zeros(9, dtype=int)

# %% [markdown]
# ## Training
#
# An iteration plays games and learns from their positions. How good is the network *without
# search*? Tic-tac-toe is small, so nobody has to play: let the other side try everything, and count
# the lines of play that the network loses.

# %%
Source(microzero.self_play, microzero.train)

# %%
network = microzero.train(seed=1, iterations=size(12, 60), progress=lambda text: None)
untrained = microzero.Network(np.random.default_rng(1))
for name, one in (("untrained", untrained), ("trained", network)):
    for simulations in (1, 10, 40):
        first, second = (microzero.lost_lines(empty, one, simulations, moves_first)
                         for moves_first in (True, False))
        print(f"{name}, {simulations:>2} simulations: {first} lines lost moving first, "
              f"{second} moving second")

# %% [markdown]
# A search makes up for a lack of knowledge, at a price for every move. What does the network
# think of the first move, and of the answer to a corner?

# %%
start = tictactoe.start()
with drawing(None, 2, 1, (3.8, 4)) as axes:
    for axis, state, title in ((axes[0], start, "the first move"),
                               (axes[1], start.apply_move("A1"), "after A1")):
        policy, value = network.evaluate(-empty if state is start else microzero.play(empty, 0))
        draw_policy(axis, state, {move: policy[tictactoe.action_of(move)]
                                  for move in state.legal_moves()}, f"{title}, {value:+.2f}")

# %% [markdown]
# **Try this.** Play against it: `microzero.game(network)`. Then against the untrained network.

# %% [markdown]
# ## One line changed
#
# What happens when one idea is left out? Each entry replaces a piece of one line of the file.

# %%
for name, (piece, instead) in list(WITHOUT.items())[1:]:
    print(f"without {name}:\n    {piece}\n    {instead}")

# %%
curves = {name: list(trained(name, 1, size(12, 60))) for name in ("nothing", "the sign")}
with drawing(size=(8, 4)) as (axes,):
    for (name, rows), colour in zip(curves.items(), (BLUE, ORANGE), strict=True):
        axes.plot([row["iteration"] for row in rows], [row["mistakes"] for row in rows], "o-",
                  color=colour, label=f"without {name}")
        print("without {left_out}: {mistakes}% losing mistakes, {lines_alone} lines lost without "
              "search".format(**rows[-1]))
    axes.set(xlabel="iteration", title="losing mistakes, % of all positions", ylim=(0, None))
    axes.legend()

# %% [markdown]
# **Try this.** Add an idea of yours to `WITHOUT`: learn from the move that was *played* instead
# of the search's visits, or from the value of the search instead of the game's result.

# %% [markdown]
# ## What the network dismisses
#
# Here is a network that likes the centre, takes every position for even and gives the first cell
# 1%. Noise in the priors of the root gives visits to that cell as well.


# %%
class Biased:
    """Likes the centre, and takes every position for even."""

    priors = np.array([0.01, 0.05, 0.05, 0.05, 0.64, 0.05, 0.05, 0.05, 0.05])

    def evaluate(self, board):
        priors = np.where(board == 0, self.priors, 0)
        return priors / priors.sum(), 0.0


visits = {"no noise": microzero.search(empty, Biased(), 60)}
for seed in (1, 4):
    visits[f"noise, seed {seed}"] = microzero.search(empty, Biased(), 60,
                                                     np.random.default_rng(seed))
with drawing(size=(8, 4)) as (axes,):
    for k, (name, shares) in enumerate(visits.items()):
        print(f"{name}: {np.round(60 * shares).astype(int).tolist()}")
        axes.bar(np.arange(9) + 0.28 * (k - 1), 60 * shares, 0.28, color=COLOURS[k], label=name)
    axes.set(title="60 visits", xlabel="cell", xticks=range(9))
    axes.legend()

# %% [markdown]
# Now Connect Four: column 1 wins at once, has a prior of 1%, and there are only eight simulations.
# PUCT follows the prior; Gumbel AlphaZero's rule (Danihelka et al. 2022), which is newer than the
# book, tries all moves that it can.


# %%
class Centre:
    """The same opinion for Connect Four, in place of a network."""

    def _set_up(self):
        self._runtime = None

    def _evaluate(self, state):
        shares = np.array([0.01, 0.04, 0.15, 0.5, 0.2, 0.06, 0.04])
        moves = state.legal_moves()
        priors = shares[[state.game.action_of(move) for move in moves]]
        return dict(zip(moves, (priors / priors.sum()).tolist(), strict=True)), 0.0


connect4 = dlgo.game("connect4")
winning = connect4.start().play(*"121314")
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    for axis, (name, kind) in zip(axes, (("PUCT", TextbookPUCT), ("Gumbel", TextbookGumbel)),
                                  strict=True):
        engine = type(name, (Centre, kind), {})(connect4, Budget(sims=9))
        engine.new_game(1)
        decision = engine.select_move(winning)
        print(f"{name} plays {connect4.move_text(decision.move)}")
        draw_policy(axis, winning, decision.policy, f"{name}, 8 visits")

# %% [markdown]
# ## The search asks a network
#
# The network that comes with the package: what it proposes, and what the search makes of that.

# %%
state = connect4.start().play(*"443345")
recording = watch(dlgo.engine("textbook-puct:sims=60", connect4, 1), state)
priors = {connect4.parse_move(state, recording.tree().nodes[child].move):
          recording.tree().nodes[child].prior for child in recording.tree().root.children}
with drawing(None, 2, 1, (4.4, 4.2)) as axes:
    draw_policy(axes[0], state, priors, "the network's priors")
    draw_policy(axes[1], state, recording.decision.policy, "visits of the search")

# %%
Row(recording.svg(most_nodes=10))

# %% [markdown]
# Which child is followed? Its value so far and a bonus, which the prior makes large and visits
# make small.

# %%
Source(TextbookPUCT._score)

# %% [markdown]
# **Try this.** Watch `textbook-puct:sims=60,c_puct=0` and `c_puct=5`. Which of them trusts the
# network, which its own values? What does `textbook-gumbel:sims=8` do with so few simulations?

# %% [markdown]
# The book's figure 14.3 has three branches of a node with three visits. With c = 1 the one with the
# good mean is followed, with c = 4 the one that is least explored.

# %%
for c in (1.0, 4.0):
    scores = {name: q + c * prior * 3**0.5 / (1 + n) for name, q, n, prior in (
        ("A", 0.1, 2, 0.068), ("B", -0.5, 1, 0.042), ("C", 0.0, 0, 0.038))}
    listed = "  ".join(f"{name} {score:+.3f}" for name, score in scores.items())
    print(f"c = {c:g}: {listed}   -> {max(scores, key=scores.__getitem__)}")

# %% [markdown]
# ## Why games are played side by side
#
# A network answers for many boards in hardly more time than for one. So a fast program plays many
# games at once and asks about all their leaves in one call.

# %%
costs = {}
for boards in (1, 8, 64, 512):
    begun = time.perf_counter()
    for _ in range(200):
        network.forward(np.zeros((boards, 9), int))
    costs[boards] = 1e6 * (time.perf_counter() - begun) / 200 / boards
    print(f"{boards:>3} boards a call: {costs[boards]:.1f} microseconds a board")

# %% [markdown]
# ## It takes the whole board
#
# Go on 5x5 is solved (van der Werf 2004): Black opens in the centre and owns all 25 points. The
# network that comes with the package was trained with a komi of 24.5, which leaves nothing else to
# win by. It plays Black from the empty board.

# %%
go5, ends = dlgo.game("go:size=5,komi=24.5"), {}
for other in size(("random", "mcts:sims=100"), ("random", "alphabeta:depth=4", "mcts:sims=10000")):
    players = [dlgo.engine("alphazero:model=go5-alphazero,sims=50", go5, 1),
               dlgo.engine(other, go5, 1)]
    state = go5.start()
    while not state.is_over():
        state = state.apply_move(players[state.next_player.index].select_move(state).move)
    ends[other] = state
    opening = go5.move_text(state.moves()[0])
    print(f"against {other}: opens at {opening}, {go5.result_text(state)}")
Row(*ends.values(), titles=tuple(ends))

# %% [markdown]
# **Try this.** With the usual komi (`"go:size=5,komi=0.5"`) a win by one point is a win. Does the
# network still take the whole board?
