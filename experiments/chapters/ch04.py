# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 4 · Tree search, watched
#
# Here you look over the shoulder of two searches: alpha-beta, which cuts what cannot matter, and
# UCT, which counts what random games bring. Both are one file to read
# ([minimax](../../engines/minimax/textbook.py), [UCT](../../engines/mcts/textbook.py)); [the
# chapter's page](../../docs/chapters/ch04.md) explains them.

# %%
import statistics

import dlgo
from engines.minimax.textbook import alphabeta, minimax
from engines.watching.recording import watch
from experiments.chapters.script import begin, size
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import BLUE, INK, RED, draw_bars, draw_scores, drawing

begin()
game = dlgo.game("tictactoe")


def meet(game, pairs, *matches):
    """Print and return the first engine's score in each match, with half its 95% interval."""
    scores = {}
    for one, other in matches:
        series = dlgo.match(game, one, other, pairs=pairs, seed=1)
        print(series)
        scores[f"{one}\nv {other}"] = series.share, series.margin
    return scores


# %% [markdown]
# ## Four rules of thumb
#
# Win if you can; do not leave a win; make two threats at once; do not let the other do so. Here x
# can make a fork, and only the third rule sees it:

# %%
fork = game.start().play("A1", "A3", "C1", "B1")
for level in (1, 2, 3):
    engine, moves = dlgo.engine(f"heuristic:level={level}", game), set()
    for seed in range(50):
        engine.new_game(seed)
        moves.add(game.move_text(engine.select_move(fork).move))
    print(f"{level} rule{'s' * (level > 1)}: {' or '.join(sorted(moves))}")
fork

# %% [markdown]
# Each rule helps, and all four together still lose to perfect play, since a loss can be more than
# two moves away. Each match is played from random openings, with both colours.

# %%
scores = meet(game, size(100, 500), ("heuristic:level=1", "random"),
              *((f"heuristic:level={n}", f"heuristic:level={n - 1}") for n in (2, 3, 4)),
              ("heuristic:level=4", "alphabeta:depth=9"))
with drawing(size=(8, 4.5)) as (axes,):
    draw_scores(axes, scores)

# %% [markdown]
# ## Everything there is
#
# Plain minimax in ten lines:

# %%
Source(minimax)

# %% [markdown]
# It answers with 1, 0 or -1 for the player to move. Ask it about each move in a position. (Whoever
# moves next sees the value the other way round, hence the minus.)

# %%
state = game.start().play("B2", "A1", "A3", "C1")
for move in state.legal_moves():
    print(game.move_text(move), -minimax(state.apply_move(move)))
state

# %% [markdown]
# How many positions does it look at from the first move on, and how many does alpha-beta? The
# engines count. (In Jupyter two moves have been made already.)

# %%
root = game.start().play(*size(("B2", "A1"), ()))
nodes = {}
for name, spec in (("full minimax", "minimax"), ("alpha-beta", "alphabeta:depth=9")):
    decision = dlgo.engine(spec, game).select_move(root)
    nodes[name] = decision.cost.nodes
    print(f"{name}: {('draw', 'win', 'loss')[decision.proven]}, {nodes[name]:,} states visited")
with drawing(size=(8, 2)) as (axes,):
    draw_bars(axes, nodes, texts=[f"{count:,}" for count in nodes.values()])
    axes.set(xticks=(), xlim=(0, 1.2 * max(nodes.values())), title="positions looked at")

# %% [markdown]
# **Try this.** The bars depend on the order of moves. `textbook-alphabeta:depth=9` shuffles them:
# give it other seeds, `dlgo.engine(spec, game, seed)`. How far apart are the best and the
# worst of twenty?

# %% [markdown]
# ## What is cut
#
# In the picture a red line says which moves were *not* looked at, and so what the cut has saved.

# %%
ending = game.start().play("B2", "A1", "A3", "C1", "B1")
watch(dlgo.engine("textbook-alphabeta:depth=9", game, 3), ending)

# %% [markdown]
# **Try this.** Call `alphabeta` with a narrow window: `alphabeta(state, 0, 1)` asks only whether
# the player to move can *win*. What does it return where they can merely draw?

# %%
print([alphabeta(game.start().play("B2", "B1"), *window) for window in ((-1, 1), (0, 1), (-1, 0))])

# %% [markdown]
# ## Depth, on a larger board
#
# In Go the end is too far away, so the search stops at a depth and estimates the rest. Each ply
# costs many times the one before, yet far less than the number of legal moves, which is what plain
# minimax pays.

# %%
go5 = dlgo.game("go", size=5, komi=0.5)
middle = go5.start().play("C3", "C2", "D2")
counts = {"plain minimax": [], "alpha-beta": []}
for depth in range(1, size(6, 8)):
    decision = dlgo.engine(f"alphabeta:depth={depth}", go5, 1).select_move(middle)
    counts["alpha-beta"].append(decision.cost.nodes)
    print(f"depth {depth}: {decision.cost.nodes:,} positions, best line",
          " ".join(map(go5.move_text, decision.pv)))
    if depth < 5:
        plain = dlgo.engine(f"alphabeta:depth={depth},cuts=no,deepening=no,table=no", go5, 1)
        counts["plain minimax"].append(plain.select_move(middle).cost.nodes)
print("plain minimax:", ", ".join(f"{count:,}" for count in counts["plain minimax"]))
scores = meet(go5, size(50, 100), ("alphabeta:depth=1", "random"),
              *((f"alphabeta:depth={n}", f"alphabeta:depth={n - 1}") for n in (2, 3, 4)))
with drawing(None, 2, 1, (6.5, 4.5), width_ratios=(1, 1.2)) as axes:
    for (name, found), colour in zip(counts.items(), (RED, BLUE), strict=True):
        axes[0].plot(range(1, len(found) + 1), found, "o-", color=colour, label=name)
    axes[0].set(yscale="log", xlabel="depth in plies", title="positions looked at")
    axes[0].legend()
    draw_scores(axes[1], scores)

# %% [markdown]
# ## UCT, step by step
#
# Each step is an event. `recording.svg(n)` is the tree after `n` of them.

# %%
recording = watch(dlgo.engine("textbook-mcts:sims=60", game, 1), state)
for event in recording.events[:9]:
    print(event)

# %%
Row(*(recording.svg(steps, most_nodes=9) for steps in (24, 60)),
    titles=("after 24 steps", "after 60 steps"))

# %% [markdown]
# At the end the most visited move is played. `value` is for the player to move, from -1 to 1.

# %%
recording.decision

# %% [markdown]
# Which move has the best share of wins when, and how often is it tried? Follow the visits of each
# first move through the search.

# %%
curves, marks = {}, range(20, len(recording.events) + 1, 10)
for steps in marks:
    tree = recording.tree(steps)
    for child in tree.root.children:
        node = tree.nodes[child]
        curves.setdefault(node.move, []).append((steps, node.visits))
with drawing(size=(8, 4)) as (axes,):
    for move, points in curves.items():
        axes.plot(*zip(*points, strict=True), label=move)
    axes.set(xlabel="events", ylabel="visits")
    axes.legend(title="first move")

# %% [markdown]
# **Try this.** Give `textbook-mcts` the option `c_uct=0` (it never explores), then `c_uct=3`. What
# becomes of the curves? Which of the two can miss the best move for good?

# %% [markdown]
# UCT knows nothing but random games. How near does its value come to the right one, 0, with more
# of them?

# %%
budgets, means, margins = (100, 1000, 10_000), [], []
for sims in budgets:
    engine, values = dlgo.engine(f"mcts:sims={sims}", game), []
    for seed in range(30):
        engine.new_game(seed)
        values.append(engine.select_move(root).value)
    means.append(statistics.fmean(values))
    margins.append(1.96 * statistics.stdev(values) / 30**0.5)
    print(f"MCTS {sims:>6,}: value {means[-1]:+.3f} +-{margins[-1]:.3f}, mean of 30 searches")
with drawing(size=(8, 4)) as (axes,):
    axes.errorbar(budgets, means, margins, fmt="o-", color=BLUE, capsize=5)
    axes.axhline(0, color=INK, linestyle="--", linewidth=1.5)
    axes.set(xscale="log", xlabel="simulations", title="value by MCTS; in truth 0")

# %% [markdown]
# ## The same idea on a larger board
#
# The compiled engine does the same thousands of times a second. The visits gather on few moves near
# the centre. The value creeps up slowly: Black can win the whole 5x5 board, but random games do not
# show that.

# %%
start = go5.start()
with drawing(None, 3, 1, (3.8, 4.2)) as axes:
    for axis, sims in zip(axes, (100, 1000, 50_000), strict=True):
        decision = dlgo.engine(f"mcts:sims={sims}", go5, 1).select_move(start)
        draw_policy(axis, start, decision.policy, f"{sims:,} simulations")
        shares = "  ".join(f"{go5.move_text(move)} {share:.0%}"
                           for move, share in list(decision.policy.items())[:5])
        print(f"{sims:>6,} simulations: value {decision.value:+.2f}, visits {shares}")

# %% [markdown]
# Does more thinking win? Each doubling plays the one before it. Read the bars, not their ends.

# %%
scores = meet(go5, size(50, 100), ("mcts:sims=50", "random"),
              *((f"mcts:sims={2 * few}", f"mcts:sims={few}") for few in (50, 100, 200)),
              ("mcts:sims=800", "alphabeta:depth=3"))
with drawing(size=(8, 4.5)) as (axes,):
    draw_scores(axes, scores)

# %% [markdown]
# **Try this.** How many games does it take before the interval of one doubling leaves out 50%?
# Raise `pairs` until it does, then ask `dlgo power --elo 140`.
