"""The museum of faults.

    python -m experiments.museum                       # all faults, the best hidden first
    python -m experiments.museum no-square-root        # a room: the card, both programs, losses

A room is a folder with the card, the program with the fault, the right one, and a figure of the
losses of both if something is trained. The programs are players for every command:

    dlgo tournament --game connect4 --engine ROOM/no_square_root.py:TextbookPUCT
                    --engine ROOM/right.py:TextbookPUCT
"""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from experiments.command import run
from experiments.figures import BLUE, FAINT, INK, ORANGE, drawing
from experiments.museum.planting import KINDS, Fault, diff, faults, get_fault, write
from experiments.museum.prices import LOSSES, PRICES
from experiments.options import FOLDER
from reports.differences import elo_of_score

_MEASURES = {
    "match": "The search with the fault against the right one in {game}, {games:.0f} games at "
             "equal CPU time (Gumbel's search: at equal simulations)",
    "learning": "{seeds:.0f} trainings with the fault and {seeds:.0f} without it, each for the "
                "same CPU time, then {games:.0f} games between them in {game}",
    "report": "{seeds:.0f} learners, each measured in {game} with the fault and without it: the "
              "price is the error",
}


def cards() -> pd.DataFrame:
    """The rows of prices.csv by fault, the best hidden first; NaN where nothing was measured.

    `visible` is the rating lost against random moves, in Elo; `hidden` is the rest of the price;
    `luck` is true where the price may be none.
    """
    table = pd.read_csv(PRICES, index_col="fault").reindex(list(faults()))
    points = table[["shown", "right_shown"]].clip(0.01, 0.99).map(elo_of_score)
    table["visible"] = (points["right_shown"] - points["shown"]).clip(lower=0)
    table.loc[table["measure"] == "report", "visible"] = 0  # it is what one believes
    table["hidden"] = table["price"] - table["visible"]
    table["luck"] = ~((table["low"] > 0) | (table["high"] < 0))
    return table.sort_values(["luck", "hidden"], ascending=[True, False])


def price_text(row: pd.Series) -> str:
    """The price of a fault: `120 (80 to 160)`."""
    if pd.isna(row["price"]):
        return "not measured"
    text = f"{row['price']:.0f} ({row['low']:.0f} to {row['high']:.0f})"
    return f"{text}, perhaps none" if row["luck"] else text


def table() -> str:
    """All cards as a table in Markdown."""
    lines = ["| fault | about | price in Elo | against random moves |", "|---|---|---:|---:|"]
    for name, row in cards().iterrows():
        fault, shown = get_fault(name), f"{row['shown']:.0%} for {row['right_shown']:.0%}"
        lines.append(f"| {fault.title} (`{name}`) | {KINDS[fault.kind]} | {price_text(row)} | "
                     f"{shown.replace('nan% for nan%', '')} |")
    return "\n".join(lines) + "\n"


def card(fault: Fault) -> str:
    """The card of a fault in Markdown."""
    row = cards().loc[fault.name]
    price = price_text(row) + "."
    if not pd.isna(row["price"]):
        price = (f"{price_text(row)} Elo. {_MEASURES[row['measure']].format(**row)}. Against "
                 f"random moves {row['shown']:.0%} of the points, without the fault "
                 f"{row['right_shown']:.0%}. {row['date']}, {row['machine']}.")
    places = "".join(f"* {place}\n" for place in fault.published) or "We know of no place.\n"
    return (
        f"# {fault.title}\n\n`{fault.name}`, {KINDS[fault.kind]}\n\n"
        f"**What one sees.** {fault.symptom}\n\n**The smallest example.** {fault.smallest}\n\n"
        f"**Price.** {price}\n\n**Published**\n\n{places}\n```diff\n{diff(fault)}```\n"
    )


def draw_losses(fault: Fault, path: Path) -> bool:
    """Draw the losses of trainings with the fault and without it; False if there are none."""
    losses = pd.read_csv(LOSSES).query("fault == @fault.name")
    if losses.empty:
        return False
    curves = losses.pivot(index="step", columns="which", values="loss")
    top, most = 1.2 * max(curves["right"].max(), curves["fault"].median()), curves["fault"].max()
    with drawing(path, size=(8.0, 5.0), title=fault.title) as [axes]:
        for which, label, colour in (("right", "right", BLUE), ("fault", "with the fault", ORANGE)):
            axes.plot(curves.index + 1, curves[which], color=colour, label=label)
        if most > top:
            axes.set_title(f"not shown: it rises to {most:.1g}", color=ORANGE)
        axes.set(xlabel="iteration of training", ylabel="loss, mean of all trainings",
                 ylim=(0, top))
        axes.legend()
    return True


def draw_prices(path: Path) -> None:
    """Draw the price of each fault against what shows in games against random moves."""
    table = cards().dropna(subset="price")
    with drawing(path, size=(9.0, 6.5)) as [axes]:
        axes.axline((0, 0), slope=1, color=INK, linewidth=0.8, linestyle=":")
        for luck, colour in ((True, FAINT), (False, BLUE)):
            part = table[table["luck"] == luck]
            axes.scatter(part["visible"], part["price"], color=colour)
        for name, row in table[~table["luck"]].nlargest(14, "hidden").iterrows():
            axes.annotate(str(name), (row["visible"], row["price"]), fontsize=9,
                          xytext=(6, 2), textcoords="offset points")
        axes.set(xlabel="Elo lost against random moves",
                 ylabel="Elo lost against the right program",
                 title="The price of faults; grey: perhaps none")


@click.command(help=__doc__.replace("\n    ", "\n\b\n    "))
@click.argument("names", nargs=-1, metavar="[FAULT]...")
@click.option("--out", type=FOLDER, default=Path("out/museum"), show_default=True,
              help="Folder for the rooms.")
def main(names: tuple[str, ...], out: Path) -> None:
    if not names:
        for name, row in cards().iterrows():
            print(f"{name:32} {price_text(row):32} {get_fault(name).title}")
        draw_prices(out / "prices.png")
    for fault in map(get_fault, names):
        room = out / fault.name
        room.mkdir(parents=True, exist_ok=True)
        write(fault, room)
        text = card(fault)
        if draw_losses(fault, room / "losses.png"):
            text += "\n![Losses](losses.png)\n"
        (room / "card.md").write_text(text, encoding="utf-8")
        print(text)


if __name__ == "__main__":
    run(main)
