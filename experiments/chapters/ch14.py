# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 14 · AlphaGo Zero in a table
#
# A network proposes, a search improves on it, the network learns from the search. In tic-tac-toe
# the network may be a table: one row for each position. So the whole loop runs here in seconds,
# without any library for learning. [The chapter's page](../../docs/chapters/ch14.md) has the same
# with networks, up to Go on 9x9.

# %%
import numpy as np

import dlgo
from dlgo import kernels
from dlgo.encoders import get_encoder
from dlgo.symmetry import symmetries
from engines.alphazero.config import SelfPlaySettings
from engines.alphazero.self_play import SelfPlay
from engines.alphazero.textbook import TextbookPUCT
from engines.base import Budget, Decision
from engines.treesearch import tree as ts
from engines.treesearch.batched_search import BatchedSearch
from engines.treesearch.gumbel import GUMBEL_SCALES, Gumbel, best_child
from engines.treesearch.leaf_evaluator import LeafEvaluator, UniformEvaluator
from engines.treesearch.rules import PUCT
from engines.watching.recording import watch
from experiments.chapters.script import begin, size
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import BLUE, COLOURS, ORANGE, drawing
from experiments.measures.tictactoe import every_line

begin()

# %% [markdown]
# ## The search asks the network
#
# Connect Four, with the network that comes with the package: what it proposes, and what the search
# makes of that.

# %%
connect4 = dlgo.game("connect4")
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
# ## What the network dismisses
#
# Here is a network that likes the centre and takes every position for even. Noise in the priors of
# the root gives visits to column 1 as well, whose prior is 1%.


# %%
class Biased(LeafEvaluator):
    """Likes the centre, and takes every position for even."""

    priors = np.array([0.01, 0.04, 0.15, 0.5, 0.2, 0.06, 0.04], np.float32)

    def evaluate(self, leaves, n):
        return np.tile(self.priors, (n, 1)), np.zeros(n, np.float32)


def visits(rule, noise, sims, state, seed=1):
    """Visits of each column, and the column to play."""
    search = BatchedSearch(connect4, 1, 20_000, rule, Biased(), room=50)
    kernels.copy_into(kernels.row(search.roots, 0), state.kernel_state)
    search.seed(0, seed)
    search.set_root(0)
    search.start(0, sims, noise, 10.0)
    while search.remaining[0] > 0:
        search.step()
    tree, counts = search.tree(0), [0] * 7
    first = int(tree.first_child[ts.ROOT])
    for child in range(first, first + int(tree.n_children[ts.ROOT])):
        counts[int(tree.action[child])] = int(tree.visits[child])
    best = best_child(rule, tree) if isinstance(rule, Gumbel) else ts.most_visited(tree, ts.ROOT)
    return counts, int(tree.action[best]) + 1


def draw_visits(axes, title, rows):
    """Bars for each column, beside each other for each name."""
    width = 0.8 / len(rows)
    for k, (name, counts) in enumerate(rows.items()):
        places = np.arange(1, 8) + (k - (len(rows) - 1) / 2) * width
        axes.bar(places, counts, width, color=COLOURS[k], label=name)
    axes.set(title=title, xlabel="column", ylabel="visits", xticks=range(1, 8))
    axes.legend()


puct, rows = PUCT(0.9, 0.1), {}
for seed, noise in ((0, 0.0), (2, 0.25), (3, 0.5)):
    rows[f"noise {noise:.0%}"], best = visits(puct, noise, 200, connect4.start(), seed)
    print(f"noise {noise:.0%}: {rows[f'noise {noise:.0%}']}, plays {best}")
with drawing(size=(8, 4)) as (axes,):
    draw_visits(axes, "200 visits, priors favour column 4", rows)

# %% [markdown]
# Now column 1 wins at once, and there are only eight simulations. PUCT follows the prior; Gumbel
# AlphaZero's rule (Danihelka et al. 2022), which is newer than the book, gives the move a chance.

# %%
winning, rows = connect4.start().play(*"121314"), {}
for name, rule in (("PUCT", puct), ("Gumbel", Gumbel(16, *GUMBEL_SCALES))):
    rows[name], best = visits(rule, 0.0, 9, winning)
    print(f"{name:<7} {rows[name]}, plays {best}")
with drawing(size=(8, 4)) as (axes,):
    draw_visits(axes, "8 visits; column 1 wins at once", rows)

# %% [markdown]
# ## A search in batches
#
# Many games at once ask the network about all their leaves in one call.

# %%
for at_once in size((1, 4, 16), (1, 16, 64)):
    settings = SelfPlaySettings(sims=32, fast_sims=8, games_at_once=at_once)
    selfplay = SelfPlay(connect4, UniformEvaluator(connect4), settings, seed=1)
    plies = [len(game.actions) for _, game in selfplay.play(range(size(16, 200)))]
    stats = selfplay.stats
    print(f"{at_once:>3} games at once: {len(plies)} games of {np.mean(plies):.0f} plies, "
          f"{stats['evaluations']:,} leaves in {stats['steps']:,} calls, "
          f"{stats['evaluations'] / stats['steps']:.1f} a call")

# %% [markdown]
# ## A table instead of a network
#
# A network sees that a board and its mirror image are alike. A table has to be told: all eight
# images of a position share the row of the one that comes first.

# %%
tictactoe = dlgo.game("tictactoe")
images = symmetries(tictactoe)
encoder = get_encoder("oneplane", tictactoe)


def place(state):
    """The row of a position, and which symmetry leads to it."""
    boards = encoder.encode(state).ravel()[images.cells]
    which = max(range(len(images)), key=lambda k: boards[k].tolist())
    return tuple(boards[which].tolist()), which


# %% [markdown]
# The textbook's engine asks one method for priors and a value. This one looks them up; of a
# position that is not in the table, it thinks nothing.


# %%
class TablePUCT(TextbookPUCT):
    """AlphaZero's search over a table: for each row weights of nine cells, results, visits."""

    def __init__(self, table, sims):
        super().__init__(tictactoe, Budget(sims=sims))
        self.table = table

    def _set_up(self):
        """Nothing: there is no network to load."""

    def _evaluate(self, state):
        moves, (row, which) = state.legal_moves(), place(state)
        if row not in self.table:
            return dict.fromkeys(moves, 1 / len(moves)), 0.0
        weights, results, visits = self.table[row]
        shares = weights[[images.action(which, tictactoe.action_of(move)) for move in moves]] + 0.01
        return dict(zip(moves, (shares / shares.sum()).tolist(), strict=True)), results / visits


# %% [markdown]
# An iteration: play games, draw moves from the search's visits, and add to the table what the
# search has found and who has won. What an earlier, weaker table has taught counts half.


# %%
def play_games(table, number, sims, rng):
    """Play games with search; write what came of them into the table."""
    new, engine = {}, TablePUCT(table, sims)
    for _ in range(number):
        engine.new_game(int(rng.integers(2**31)))
        state, path = tictactoe.start(), []
        while not state.is_over():
            policy = engine.select_move(state).policy
            weights, (row, which) = np.zeros(9), place(state)
            for move, share in policy.items():
                weights[images.action(which, tictactoe.action_of(move))] = share
            path.append((row, weights, state.next_player.index))
            moves, shares = list(policy), np.array(list(policy.values()))
            if rng.random() < 0.25:  # now and then any move, so that other positions are met
                moves = state.legal_moves()
                shares = np.ones(len(moves))
            state = state.apply_move(moves[rng.choice(len(moves), p=shares / shares.sum())])
        for row, weights, player in path:
            old = new.get(row, (0, 0, 0))
            new[row] = old[0] + weights, old[1] + state.result() * (1, -1)[player], old[2] + 1
    for row, (weights, results, visits) in new.items():
        old = table.get(row, (0, 0, 0))
        table[row] = old[0] / 2 + weights, old[1] / 2 + results, old[2] / 2 + visits


class Favourite:
    """Plays the table's likeliest move, without any search; by chance where it knows nothing."""

    def __init__(self, table):
        self.table = table

    def new_game(self, seed):
        self.rng = np.random.default_rng(seed)

    def select_move(self, state):
        moves, (row, which) = state.legal_moves(), place(state)
        if row not in self.table:
            return Decision(moves[self.rng.integers(len(moves))])
        weights = self.table[row][0]
        return Decision(max(
            moves, key=lambda move: weights[images.action(which, tictactoe.action_of(move))]
        ))


# %% [markdown]
# How good is the table *without search*? Tic-tac-toe is small, so nobody has to play: let the
# other side try everything, and count the lines of play that the table loses. There is no chance
# in that, and no interval.


# %%
def lines_lost(engine):
    """The share of all lines that end in a loss, moving first and moving second."""
    sides = [every_line(engine, side) for side in (0, 1)]
    return [side.lost / (side.won + side.drawn + side.lost) for side in sides]


rng = np.random.default_rng(1)
table, curve = {}, []
for iteration in range(6):
    if iteration:
        play_games(table, number=50, sims=20, rng=rng)
    first, second = lines_lost(Favourite(table))
    curve.append((50 * iteration, 100 * first, 100 * second))
    print(f"after {50 * iteration:>3} games: {len(table):>4} rows; "
          f"lines lost moving first {first:.1%}, second {second:.1%}")
with drawing(size=(8, 4)) as (axes,):
    games, firsts, seconds = zip(*curve, strict=True)
    axes.plot(games, firsts, "o-", color=BLUE, label="moving first")
    axes.plot(games, seconds, "s--", color=ORANGE, label="moving second")
    axes.set(xlabel="games learned from", title="lines lost by the table alone, %", ylim=(0, None))
    axes.legend()

# %% [markdown]
# What has it learned about the first move, and about an answer to the corner?

# %%
start = tictactoe.start()
corner = start.apply_move("A1")
with drawing(None, 2, 1, (3.8, 4)) as axes:
    for axis, state, title in ((axes[0], start, "the first move"), (axes[1], corner, "after A1")):
        draw_policy(axis, state, TablePUCT(table, 1)._evaluate(state)[0], title)

# %% [markdown]
# **Try this.** Learn from the moves *played* instead of the search's visits (put `{move: 1.0}`
# into `path`). How many more games does it take to lose as few lines?

# %% [markdown]
# ## How much the search hides
#
# An *empty* table under searches of more and more simulations: a search makes up for a lack of
# knowledge, at a price for every move.

# %%
searched = [(sims, *(100 * share for share in lines_lost(TablePUCT({}, sims))))
            for sims in (2, 10, 40)]
for sims, first, second in searched:
    print(f"{sims:>3} simulations: lines lost moving first {first:.1f}%, second {second:.1f}%")

# %% [markdown]
# **Try this.** How many simulations does the empty table need to lose no line? And the one that
# has learned?
