# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # 4 · Tree search, watched
#
# Here you look over the shoulder of two searches: alpha-beta, which cuts what cannot matter, and
# UCT, which counts what random games bring. Both are one file to read
# ([minimax](../engines/minimax/textbook.py), [UCT](../engines/mcts/textbook.py)); [the chapter's
# page](../docs/chapters/ch04.md) explains them.

# %%
import dlgo
from engines.minimax.textbook import alphabeta, minimax
from engines.watching.recording import watch
from experiments.course.showing import Row, Source, draw_policy
from experiments.figures import draw_bars, draw_scores, drawing

game = dlgo.game("tictactoe")

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
# How many positions does it look at, and how many does alpha-beta? The engines count.

# %%
nodes = {
    name: dlgo.engine(spec, game).select_move(game.start().play("B2")).cost.nodes
    for name, spec in (("minimax", "minimax"), ("alpha-beta", "textbook-alphabeta:depth=9"))
}
with drawing(size=(8, 2)) as (axes,):
    draw_bars(axes, nodes, texts=[f"{count:,}" for count in nodes.values()])
    axes.set(xticks=(), xlim=(0, 1.2 * max(nodes.values())), title="positions looked at after B2")

# %% [markdown]
# **Try this.** The bars depend on the order of moves. Alpha-beta shuffles them: give it other
# seeds, `dlgo.engine(spec, game, seed)`. How far apart are the best and the worst of twenty?

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
# ## The same idea on a larger board
#
# The compiled engine does the same thousands of times a second.

# %%
go5 = dlgo.game("go", size=5, komi=0.5)
start = go5.start()
with drawing(None, 3, 1, (3.8, 4.2)) as axes:
    for axis, sims in zip(axes, (100, 1000, 20_000), strict=True):
        decision = dlgo.engine(f"mcts:sims={sims}", go5, 1).select_move(start)
        draw_policy(axis, start, decision.policy, f"{sims:,} simulations")

# %% [markdown]
# Does more thinking win? Each doubling plays the one before it, 40 games each. Read the bars, not
# their ends.

# %%
scores = {}
for few in (25, 50, 100):
    series = dlgo.match(go5, f"mcts:sims={2 * few}", f"mcts:sims={few}", pairs=20, seed=1)
    scores[f"{2 * few} v {few}"] = series.share, series.margin
with drawing(size=(8, 3)) as (axes,):
    draw_scores(axes, scores)

# %% [markdown]
# **Try this.** How many games does it take before the interval of one doubling leaves out 50%?
# Raise `pairs` until it does, then ask `dlgo power --elo 140`.
