"""The museum of faults.

    python -m experiments.museum                       # all faults, the most deceptive first
    python -m experiments.museum no-square-root        # one fault, and a room for it
    python -m experiments.museum --measure             # measure the missing prices

A room is a folder with a card, the program with the fault, the right one, and a figure of both
losses if something is trained. Every command can use both programs as engines.
"""

from __future__ import annotations

from pathlib import Path

import click
import pandas as pd

from dlgo.files import make_folder, write_file
from experiments.command import run
from experiments.figures import BLUE, FAINT, ORANGE, drawing
from experiments.museum import KINDS
from experiments.museum.planting import Fault, faults, get_fault, write
from experiments.museum.prices import LOSSES, PRICES, measure
from experiments.options import FOLDER
from reports.tables import read_csv


def cards() -> pd.DataFrame:
    """The rows of prices.csv by fault, the best hidden first; NaN where nothing was measured.

    `hidden` is the price times the share of the points against random moves that remains with the
    fault; `text` and `random` tell the price and the points against random moves.
    """
    table = read_csv(PRICES, index_col="fault").reindex(list(faults()))
    table["title"] = [fault.title for fault in faults().values()]
    table["hidden"] = table["price"] * (table["shown"] / table["right_shown"]).clip(upper=1)
    table["luck"] = ~((table["low"] > 0) | (table["high"] < 0))
    table["text"], table["random"] = zip(*(
        ("not measured", "") if pd.isna(row.price) else
        (f"{row.price:.0f} ({row.low:.0f} to {row.high:.0f})"
         + (", perhaps none" if row.luck else ", a gain" if row.price < 0 else ""),
         f"{row.shown:.0%} for {row.right_shown:.0%}") for row in table.itertuples()), strict=True)
    return table.sort_values(["luck", "hidden"], ascending=[True, False])


def card(fault: Fault) -> str:
    """The card of a fault in Markdown."""
    row = cards().loc[fault.name]
    price = "not measured" if pd.isna(row["price"]) else (
        "{text} Elo: {games:.0f} games of {game}. Points against random moves: {random} without "
        "the fault. {date}, {machine}").format(**row)
    places = "".join(f"* {place}\n" for place in fault.published) or "We have found no place.\n"
    return (
        f"# {fault.title}\n\n`{fault.name}`, {KINDS[fault.kind]}\n\n"
        f"**Symptoms.** {fault.symptom}\n\n**The smallest example.** {fault.smallest}\n\n"
        f"**Price.** {price}.\n\n**Published**\n\n{places}\n```diff\n{fault.diff}```\n"
    )


def draw_losses(fault: Fault, path: Path) -> None:
    """Draw the losses of trainings with the fault and without it."""
    losses = read_csv(LOSSES).query("fault == @fault.name")
    curves = losses.pivot(index="step", columns="which", values="loss")
    wrong, right = curves["fault"], curves["right"]
    with drawing(path, size=(8.0, 5.0), title=fault.title) as [axes]:
        axes.plot(curves.index + 1, right, color=BLUE, label="right")
        axes.plot(curves.index + 1, wrong, color=ORANGE,
                  label=f"with the fault, at most {wrong.max():.3g}")
        axes.set(xlabel="iteration of training", ylabel="loss, mean of all trainings",
                 ylim=(0, 1.4 * max(right.max(), wrong.median())))  # what explodes is cut off
        axes.legend()


def draw_prices(path: Path) -> None:
    """Draw the prices of all faults with their intervals; the best hidden stand at the top."""
    table = cards().dropna(subset="price")[::-1]
    with drawing(path, size=(9.0, 12.0), title="The price of faults; grey: perhaps none") as [axes]:
        axes.hlines(range(len(table)), table["low"], table["high"], color=FAINT)
        axes.scatter(table["price"], range(len(table)), zorder=2,
                     color=[FAINT if luck else BLUE for luck in table["luck"]])
        axes.set_yticks(range(len(table)), [f"{name}, {share:.0%}" for name, share
                                            in table["shown"].items()], fontsize=10)
        axes.set(xlabel="Elo lost against the right program, 95% interval",
                 ylabel="fault, its points against random moves", ylim=(-1, len(table)))


@click.command(help=__doc__.replace("\n\n    ", "\n\n\b\n    "))
@click.argument("names", nargs=-1, metavar="[FAULT]...")
@click.option("--measure", "measured", is_flag=True,
              help="Measure the prices of these faults, by default the missing ones, and store "
              "them in the package. A price takes minutes.")
@click.option("--out", type=FOLDER, default=Path("out/museum"), show_default=True,
              help="Folder for the rooms.")
def main(names: tuple[str, ...], measured: bool, out: Path) -> None:
    chosen = [get_fault(name) for name in names]
    if measured:
        missing = cards().query("text == 'not measured'").index
        if missing.empty and not chosen:
            print("all prices are measured; to measure one again, name its fault")
        for fault in chosen or map(get_fault, missing):
            print(measure(fault), flush=True)
    elif not names:
        for name, row in cards().iterrows():
            print(f"{name:32} {row['text']:32} {row['title']}")
        draw_prices(out / "prices.png")
    for fault in chosen:
        room, text = make_folder(out / fault.name), card(fault)
        write(fault, room)
        if fault.name in set(read_csv(LOSSES)["fault"]):
            draw_losses(fault, room / "losses.png")
            text += "\n![Losses](losses.png)\n"
        write_file(room / "card.md", text)
        print(f"{text}\nroom: {room}")


if __name__ == "__main__":
    run(main)
