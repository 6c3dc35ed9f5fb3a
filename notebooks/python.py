# ---
# jupyter:
#   kernelspec: {display_name: Python 3, language: python, name: python3}
# ---

# %% [markdown]
# # From Python
#
# [Its page](../docs/python.md) lists what `import dlgo` offers. This notebook takes about a minute.

# %%
import tempfile
from pathlib import Path

import dlgo

folder = Path(tempfile.mkdtemp())  # of what this notebook writes; take one of yours to keep it
game = dlgo.game("connect4")
state = game.start().play("4", "3", "4")
state

# %% [markdown]
# ## An engine's opinion
#
# `analyse` says what the engine thinks of each move.

# %%
engine = dlgo.engine("mcts:sims=2000", game)
opinion = engine.analyse(state)
opinion

# %%
opinion.to_frame().set_index("move")["visits"]

# %% [markdown]
# <!-- try: opinion -->
#
# **Try this.** Ask `dlgo.engine("alphabeta:depth=8", game)` and `dlgo.engine("alphazero", game)`,
# which has a network. Which columns are empty, and why?

# %% [markdown]
# ## A bot of your own, in a tournament
#
# A bot is a class with `select_move(state)`. If you interrupt the cell, run it again: it continues.


# %%
class MyBot:
    """Wins where it can, else plays near the middle."""

    def select_move(self, state):
        moves = state.legal_moves()
        for move in moves:
            if state.play(move).winner() == state.next_player:
                return move
        return moves[len(moves) // 2]


t = dlgo.tournament(game, ["random", MyBot, "mcts:sims=10", "mcts:sims=100"], pairs=10,
                    ledger=folder / "t.sqlite")
t

# %% [markdown]
# Ratings and games are DataFrames.

# %%
t.games.groupby("first")["result"].agg(["mean", "size"])

# %%
t.plot(cost="cpu_ms")

# %%
t.report(folder / "report")

# %% [markdown]
# The last line is a page with tables, plots, and games to replay; open it in your browser.
#
# **Try this.** Let `MyBot` stop the opponent's four in a row as well, and run the two cells again.
# The edited class is another entrant: how many Elo has it gained?

# %% [markdown]
# ## A network
#
# The search plays against itself, and a network learns to predict its moves. Training needs
# TensorFlow; without it, the cell says how to install it.

# %%
data = dlgo.generate(game, "mcts:sims=50", games=60, out=folder / "data")
try:
    net = dlgo.train.supervised(data, network="cnn", epochs=3, out=folder / "model")
    print(net.history[["epoch", "accuracy", "test_accuracy"]])
    print(dlgo.match(game, net.best, "random", pairs=10))
except dlgo.DlgoError as error:
    print(error)

# %% [markdown]
# **Try this.** More games, more epochs; and `net.engine(sims=50)`, which searches with the
# network's advice. `dlgo.train.alphazero(game, iterations=2, games=20)` learns without any games of
# others: look at its `.history`, and ask its `.doctor()` what is wrong with so short a training.
