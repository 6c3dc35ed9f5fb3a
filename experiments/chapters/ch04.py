"""Chapter 4: does looking further ahead win, and what does it cost?

    python -m experiments.chapters.ch04 --quick

Rules of thumb, minimax, alpha-beta and Monte Carlo tree search on tic-tac-toe and Go 5x5.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pandas as pd
from matplotlib.axes import Axes

import dlgo
from experiments.chapters.experiment import Row, experiment, match, mean_row, script
from experiments.figures import BLUE, INK, RED, draw_bars, plain_numbers

GO5 = "go:size=5,komi=0.5"
OPENING = ("C3", "C2", "D2")  # 23 legal moves remain


@experiment(quick={"pairs": 100}, full={"pairs": 1000}, reference=50)
def rules(pairs: int) -> Iterator[Row]:
    """Does each rule of thumb beat the ones before it? Perfect play shows what they miss."""
    labels = ("win against random moves", "win + block against win alone",
              "three rules against two", "four rules against three")
    for level, label in enumerate(labels, start=1):
        weaker = f"heuristic:level={level - 1}" if level > 1 else "random"
        yield match("tictactoe", f"heuristic:level={level}", weaker, pairs, label)
    yield match("tictactoe", "heuristic:level=4", "minimax", pairs // 5,
                "four rules against perfect play")


@experiment(quick={"plies": 2}, full={"plies": 0}, unit="positions")
def cuts(plies: int) -> Iterator[Row]:
    """How many positions do minimax and alpha-beta visit to prove that tic-tac-toe is a draw?"""
    game = dlgo.game("tictactoe")
    root = game.start().play(*("B2", "A1")[:plies])
    for label, spec in (("minimax", "minimax"), ("alpha-beta", "alphabeta:depth=9,table=no"),
                        ("alpha-beta and table", "alphabeta:depth=9")):
        decision = dlgo.engine(spec, game, 1).select_move(root)
        yield {"label": label, "value": decision.cost.nodes}


@cuts.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    draw_bars(axes, dict(zip(table["label"], table["value"], strict=True)),
              texts=[f"{value:,}" for value in table["value"]])
    axes.set(xscale="log", xlim=(1, 30 * table["value"].max()), xticks=(1, 100, 10_000),
             xlabel="positions visited")
    plain_numbers(axes)


@experiment(quick={"deepest": 5}, full={"deepest": 7}, unit="positions", size=(8, 5))
def growth(deepest: int) -> Iterator[Row]:
    """How fast does the cost grow with depth on 5x5? Compare the slopes of the two lines."""
    game = dlgo.game(GO5)
    root = game.start().play(*OPENING)
    plain = "cuts=no,deepening=no,table=no"
    for label, options, last in (("minimax", "," + plain, 4), ("alpha-beta", "", deepest)):
        for depth in range(1, last + 1):
            engine = dlgo.engine(f"alphabeta:depth={depth}{options}", game, 1)
            yield {"label": label, "depth": depth, "value": engine.select_move(root).cost.nodes}


@growth.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    for (label, rows), colour in zip(table.groupby("label", sort=False), (RED, BLUE),
                                     strict=True):
        axes.plot(rows["depth"], rows["value"], "o-", color=colour, label=label)
    axes.set(yscale="log", xlabel="depth in plies", ylabel="positions visited")
    axes.legend()


@growth.conclusion
def _(table: pd.DataFrame) -> str:
    four = table[table["depth"] == 4].set_index("label")["value"]
    share = 100 * (1 - four["alpha-beta"] / four["minimax"])
    return (f"At depth 4 alpha-beta visits {four['alpha-beta']:,} positions, minimax "
            f"{four['minimax']:,}: cuts save {share:.1f}%.")


@experiment(quick={"pairs": 40}, full={"pairs": 300}, reference=50)
def depth(pairs: int) -> Iterator[Row]:
    """Does one more ply win on 5x5? Each depth plays the depth before it."""
    for plies in (1, 2, 3, 4):
        shallower = f"alphabeta:depth={plies - 1}" if plies > 1 else "random"
        label = f"depth {plies} against {f'depth {plies - 1}' if plies > 1 else 'random'}"
        yield match(GO5, f"alphabeta:depth={plies}", shallower, pairs, label)


@experiment(quick={"searches": 30}, full={"searches": 200}, unit="", digits=3)
def values(searches: int) -> Iterator[Row]:
    """How near does the value of UCT come to the true one, 0, with more simulations?"""
    game = dlgo.game("tictactoe")
    for sims in (100, 1000, 10_000, 100_000):
        engine, moves = dlgo.engine(f"mcts:sims={sims}", game), []
        for seed in range(searches):
            engine.new_game(seed)
            moves.append(engine.select_move(game.start()).value or 0.0)
        yield mean_row(f"{sims:,} simulations", moves, sims=sims)


@values.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    axes.errorbar(table["sims"], table["value"], (table["high"] - table["low"]) / 2, fmt="o-",
                  color=BLUE, capsize=5)
    axes.axhline(0, color=INK, linestyle="--", linewidth=1.5)
    axes.set(xscale="log", xlabel="simulations", ylabel="value for the first player, -1 to 1",
             ylim=(-0.02, 0.4))
    plain_numbers(axes)


@values.conclusion
def _(table: pd.DataFrame) -> str:
    return ("; ".join(f"{row['label']}: {values.text(row)}" for _, row in table.iterrows())
            + ". The game is a draw: its value is 0.")


@experiment(quick={"pairs": 40}, full={"pairs": 300}, reference=50)
def simulations(pairs: int) -> Iterator[Row]:
    """Does doubling the simulations win on 5x5? Each budget plays half of it."""
    for sims in (100, 200, 400):
        yield match(GO5, f"mcts:sims={sims}", f"mcts:sims={sims // 2}", pairs,
                    f"{sims} against {sims // 2} simulations")
    yield match(GO5, "mcts:sims=800", "alphabeta:depth=3", pairs, "MCTS 800 against alpha-beta 3")


@experiment(quick={"pairs": 20}, full={"pairs": 150}, reference=50)
def exploration(pairs: int) -> Iterator[Row]:
    """Which exploration constant c wins in Connect Four? The default is 0.4, the book's 1.5."""
    for c_uct in (0.0, 0.2, 1.0, 1.5):
        yield match("connect4", "mcts:sims=1000", f"mcts:sims=1000,c_uct={c_uct}", pairs,
                    f"c = 0.4 against {c_uct:g}")


@experiment(quick={"seconds": 0.5}, full={"seconds": 10}, unit="simulations/s", tolerance=0.6,
            size=(8, 5))
def compiled(seconds: float) -> Iterator[Row]:
    """How many simulations of UCT fit in a CPU second, in Python and compiled?

    Searches of 1,000 simulations from the first position.
    """
    for name, spec in (("tic-tac-toe", "tictactoe"), ("Connect Four", "connect4"),
                       ("Go 5x5", GO5), ("Go 9x9", "go9")):
        game = dlgo.game(spec)
        for language, engine_name in (("Python", "textbook-mcts"), ("compiled", "mcts")):
            engine, searches = dlgo.engine(f"{engine_name}:sims=1000", game, 1), 0
            engine.warm_up()  # compile before the clock runs
            begin = time.process_time()
            while (spent := time.process_time() - begin) < seconds or not searches:
                engine.new_game(searches)
                engine.select_move(game.start())
                searches += 1
            yield {"label": f"{name}, {language}", "value": 1000 * searches / spent}


@compiled.drawing
def _(table: pd.DataFrame, axes: Axes) -> None:
    draw_bars(axes, dict(zip(table["label"], table["value"], strict=True)),
              texts=[f"{value:,.0f}" for value in table["value"]])
    axes.set(xscale="log", xlim=(10, 1e8), xlabel="simulations/s")


@compiled.conclusion
def _(table: pd.DataFrame) -> str:
    python, fast = table["value"].iloc[::2], table["value"].iloc[1::2]
    ratios = fast.array / python.array
    return "Compiled against Python: " + ", ".join(
        f"{label.partition(',')[0]} {ratio:,.0f} times as fast"
        for label, ratio in zip(table["label"].iloc[::2], ratios, strict=True)) + "."


if __name__ == "__main__":
    script(__doc__, rules, cuts, growth, depth, values, simulations, exploration, compiled)
