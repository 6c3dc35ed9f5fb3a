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
import numpy as np
import pandas as pd

from experiments.command import run
from experiments.figures import BLUE, INK, ORANGE, drawing
from experiments.museum.planting import KINDS, Fault, diff, faults, get_fault, right_source, write
from experiments.museum.prices import LOSSES, PRICES
from experiments.options import FOLDER
from reports.differences import elo_of_score

_MEASURES = {
    "match": "The search with the fault against the right one in {game}, {games:.0f} games at "
             "equal CPU time",
    "learning": "{seeds:.0f} trainings with the fault and {seeds:.0f} without it, each for the "
                "same CPU time, then {games:.0f} games of their networks in {game}",
    "report": "{seeds:.0f} learners, each measured in {game} with the fault and without it",
}


def cards() -> pd.DataFrame:
    """All faults with their prices, by name; the best hidden come first.

    `visible` is the rating lost against random moves, in Elo, and `hidden` the rest of the price.
    """
    table = pd.DataFrame([{"fault": one.name, "title": one.title, "kind": one.kind}
                          for one in faults().values()])
    table = table.merge(pd.read_csv(PRICES), how="left", on="fault").set_index("fault")
    points = table[["shown", "right_shown"]].clip(0.01, 0.99).map(elo_of_score)
    table["visible"] = points["right_shown"] - points["shown"]
    table["hidden"] = table["price"] - table["visible"].clip(lower=0)
    table["luck"] = (table["low"] <= 0) & (table["high"] >= 0)
    table["missing"] = table["price"].isna()
    return table.sort_values(["missing", "luck", "hidden"], ascending=[True, True, False])


def price_text(row: pd.Series) -> str:
    """The price of a fault: `-120 (80 to 160)`."""
    if row["missing"]:
        return "not measured"
    text = f"{row['price']:.0f} ({row['low']:.0f} to {row['high']:.0f})"
    return f"{text}, perhaps none" if row["luck"] else text


def table() -> str:
    """All cards as a table in Markdown."""
    lines = ["| fault | about | price in Elo | against random moves |", "|---|---|---:|---:|"]
    for row in cards().itertuples():
        shown = "" if row.missing else f"{row.shown:.0%} for {row.right_shown:.0%}"
        text = price_text(pd.Series(row._asdict()))
        lines.append(f"| {row.title} (`{row.Index}`) | {KINDS[row.kind]} | {text} | {shown} |")
    return "\n".join(lines) + "\n"


def card(fault: Fault) -> str:
    """The card of a fault in Markdown."""
    row = cards().loc[fault.name]
    price = "not measured." if row["missing"] else (
        f"{price_text(row)} Elo. {_MEASURES[row['measure']].format(**row)}. Against random moves "
        f"{row['shown']:.0%} of the points, without the fault {row['right_shown']:.0%}. "
        f"{row['date']}, {row['machine']}.")
    places = "".join(f"* {place}\n" for place in fault.published) or "We know of no place.\n"
    return (
        f"# {fault.title}\n\n`{fault.name}`, {KINDS[fault.kind]}\n\n"
        f"**What one sees.** {fault.symptom}\n\n**The smallest example.** {fault.smallest}\n\n"
        f"**Price.** {price}\n\n**Published**\n\n{places}\n```diff\n{diff(fault)}```\n"
    )


def draw_losses(fault: Fault, path: Path) -> bool:
    """Draw the losses of the trainings with the fault and without it; False if there are none."""
    losses = pd.read_csv(LOSSES)
    losses = losses[losses["fault"] == fault.name]
    if losses.empty:
        return False
    with drawing(path, size=(8.0, 5.0), title=fault.title) as [axes]:
        for which, colour in (("right", BLUE), ("fault", ORANGE)):
            part = losses[losses["which"] == which]
            axes.plot(part["step"], part["loss"], color=colour, label=which)
        axes.set(xlabel="step of training", ylabel="loss, mean of all seeds",
                 yscale="log")
        axes.legend()
    return True


def draw_prices(path: Path) -> None:
    """Draw the price of each fault against what shows in games against random moves."""
    table = cards().dropna(subset="price")
    with drawing(path, size=(9.0, 6.5)) as [axes]:
        colours = np.where(table["luck"], "none", BLUE)
        axes.scatter(table["visible"], table["price"], facecolors=colours, edgecolors=BLUE)
        for name, row in table[~table["luck"]].nlargest(14, "hidden").iterrows():
            axes.annotate(str(name), (row["visible"], row["price"]), fontsize=9,
                          xytext=(6, 2), textcoords="offset points")
        axes.axline((0, 0), slope=1, color=INK, linewidth=0.8, linestyle=":")
        axes.set(xlabel="Elo lost against random moves",
                 ylabel="Elo lost against the right program",
                 title="Faults; hollow: perhaps no price")


@click.command(help=__doc__.replace("\n    ", "\n\b\n    "))
@click.argument("names", nargs=-1, metavar="[FAULT]...")
@click.option("--out", type=FOLDER, default=Path("out/museum"), show_default=True,
              help="Folder for the rooms.")
def main(names: tuple[str, ...], out: Path) -> None:
    if not names:
        for name, row in cards().iterrows():
            print(f"{name:32} {price_text(row):32} {row['title']}")
        out.mkdir(parents=True, exist_ok=True)
        draw_prices(out / "prices.png")
    for fault in map(get_fault, names):
        room = out / fault.name
        room.mkdir(parents=True, exist_ok=True)
        path = write(fault, room)
        path.with_name("right.py").write_text(right_source(fault), encoding="utf-8")
        text = card(fault)
        if draw_losses(fault, room / "losses.png"):
            text += "\n![Losses](losses.png)\n"
        (room / "card.md").write_text(text, encoding="utf-8")
        print(text)


if __name__ == "__main__":
    run(main)
