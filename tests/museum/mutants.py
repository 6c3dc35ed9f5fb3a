"""How many mutants of our readable files does the auditor find, and does it name their kind?

    python -m tests.museum.mutants --count 60 --seed 1

Cosmic Ray changes one place of a file. Which kinds are right for a mutant is decided by the
function that it lies in, before it is audited. Mutants that are no faults are listed with the
reason; those that the museum shows are left out.
"""

from __future__ import annotations

import ast
import collections
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click

from experiments.classroom.mutants import Mutant, generated
from experiments.museum.audit import Report, audit
from experiments.museum.planting import faults
from tests.command import ROOT
from tests.museum.signatures import glued

# file -> {function: the kinds that are right for a change in it}.
PLACES: dict[str, dict[str, tuple[str, ...]]] = {
    "engines/minimax/textbook.py": {
        "alphabeta": ("window", "view", "double move", "results"),
        "result_of": ("view", "results"),
        "TextbookAlphaBeta._value": ("window", "horizon", "double move", "view", "results"),
        "TextbookAlphaBeta._decide": ("horizon", "window", "choice"),
    },
    "engines/mcts/textbook.py": {
        "Node.mover": ("view", "double move"),
        "Node.mean": ("view", "mean", "results", "proof"),
        "Node.proof": ("proof", "results", "view"),
        "TextbookMCTS._select": ("selection", "proof"),
        "TextbookMCTS._score": ("selection", "view", "results"),
        "TextbookMCTS._expand": ("selection", "proof", "results"),
        "TextbookMCTS._prove": ("proof", "results"),
        "TextbookMCTS._simulate": ("rollout", "results"),
        "TextbookMCTS._back_up": ("mean", "view"),
        "TextbookMCTS._favourite": ("choice", "proof", "view"),
    },
    "engines/alphazero/textbook.py": {
        "TextbookPUCT._simulation": ("results", "view", "prior", "proof"),
        "TextbookPUCT._score": ("selection", "view", "results"),
    },
    "engines/alphazero/textbook_gumbel.py": {
        "TextbookGumbel._decide": ("gumbel",),
        "TextbookGumbel._sequential_halving": ("gumbel",),
        "TextbookGumbel._rank": ("gumbel", "proof"),
        "TextbookGumbel._select": ("gumbel", "selection"),
        "TextbookGumbel._furthest_behind": ("gumbel", "selection"),
        "TextbookGumbel._scores": ("gumbel", "view", "results", "prior"),
        "TextbookGumbel._favourite": ("gumbel", "choice", "view"),
        "mixed_value": ("gumbel", "view", "mean"),
    },
    "engines/alphazero/textbook_training.py": {
        "AlphaZeroLoss.value": ("loss",), "AlphaZeroLoss.delta": ("loss",),
        "policy_target": ("target policy", "proof", "view"),
        "TextbookAlphaZero._evaluate": ("prior",),
        "TextbookAlphaZero.self_play": ("target value", "target policy", "temperature",
                                        "double move", "prior"),  # it switches the noise
        "TextbookAlphaZero.train": ("symmetry", "data", "target policy", "loss"),
        "TextbookAlphaZero.learn": ("data",),
    },
    "engines/learning/from_scratch/network.py": {"Network.train": ("data", "loss")},
    "engines/policy_gradient/textbook.py": {
        "TextbookReinforce.credit": ("target value",),
        "TextbookReinforce.score": ("evaluation",),
    },
}
# Changes that are no faults: (file, text that only the changed line has, reason).
EQUIVALENT: tuple[tuple[str, str, str], ...] = (
    ("engines/minimax/textbook.py", "next_player==", "players are members of an enumeration"),
    ("engines/minimax/textbook.py", "else~1", "without cut-offs, a wider window changes nothing"),
    ("engines/minimax/textbook.py", '=={"depth"}', "a budget is never empty"),
    ("engines/minimax/textbook.py", '{"depth"}else0', "an iteration more, at a depth of 0"),
    ("engines/minimax/textbook.py", "budget.nodes),1", "a budget of one node less"),
    ("engines/alphazero/textbook.py", "mover==", "players are members of an enumeration"),
    ("engines/alphazero/textbook.py", "/self.settings", "another value of unvisited moves"),
    ("engines/alphazero/textbook_gumbel.py", "mover==", "players are members of an enumeration"),
    ("engines/alphazero/textbook_training.py", "mover==", "players are members of an enumeration"),
    ("engines/alphazero/textbook_gumbel.py", "node==self.root", "nodes are compared as objects"),
    ("engines/minimax/textbook.py", "moves[i>>1:]", "after the last move, a cut changes nothing"),
    ("engines/minimax/textbook.py", "moves[i+2:]", "one move more is looked at, or none"),
    ("engines/mcts/textbook.py", "{move:-1.0}", "UCT has no priors; all are alike"),
    ("engines/mcts/textbook.py", "{move:1.0}", "UCT has no priors; all are alike"),
    ("engines/mcts/textbook.py", "player==", "players are members of an enumeration"),
    ("engines/mcts/textbook.py", "wins=(1*", "the same number less for all children"),
    ("engines/mcts/textbook.py", "wins=(2+", "the same number more for all children"),
    ("engines/alphazero/textbook_training.py", "(2ifonly_lost", "shares are divided by their sum"),
    ("engines/alphazero/textbook_training.py", "strict=False", "both have the same length"),
    ("engines/alphazero/textbook_gumbel.py", "strict=False", "both have the same length"),
    ("engines/alphazero/textbook_gumbel.py", "!=LOST", "no score is lower"),
    ("engines/minimax/textbook.py", "moves[i&1:]", "after the last move, a cut changes nothing"),
)


@dataclass(frozen=True)
class Case:
    """A mutant, and the kinds that are right for it."""

    file: str
    function: str
    kinds: tuple[str, ...]
    mutant: Mutant


def functions(text: str) -> dict[str, range]:
    """The lines of each function, by its name with that of its class."""
    found = {}
    for node in ast.parse(text).body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for one in inner:
            if isinstance(one, ast.FunctionDef):
                name = f"{node.name}.{one.name}" if one is not node else one.name
                found[name] = range(one.body[0].lineno, one.end_lineno + 1)
    return found


def cases(count: int, seed: int) -> list[Case]:
    """A random sample of mutants, without those of the museum."""
    shown = {fault.wrong for fault in faults().values()}
    found = []
    for file, places in PLACES.items():
        text = (ROOT / file).read_text(encoding="utf-8")
        lines = functions(text)
        written = {line for name in places for line in lines[name]}
        for mutant in generated(text, written):
            number = int(mutant.place.removeprefix("line "))
            name = next(name for name in places if number in lines[name])
            if mutant.source not in shown and not any(
                file == other and mutant.has(part) for other, part, _ in EQUIVALENT
            ) and not any(word in mutant.before for word in ("listener", "skipped")):  # watchers
                found.append(Case(file, name, places[name], mutant))
    random.Random(seed).shuffle(found)
    return found[:count]


def examine(case: Case) -> Report:
    """The audit of a mutant."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mutant.py"
        path.write_text(case.mutant.source, encoding="utf-8")
        return audit(glued(path, case.file), seconds=10)


@click.command()
@click.option("--count", default=60, show_default=True, help="Number of mutants.")
@click.option("--seed", default=1, show_default=True, help="Seed of the sample.")
def main(count: int, seed: int) -> None:
    """Audit a sample of mutants; print those that are not found or not named."""
    totals: collections.Counter[str] = collections.Counter()
    for case in cases(count, seed):
        report = examine(case)
        named = list(report.suspects())[:3]
        crashes = "crash" in named and "in mutant.py, line " in str(report)
        verdict = "missed" if not report.findings else (
            "named by the line of its crash" if crashes else
            "named" if set(named) & set(case.kinds) else "misnamed")
        totals[verdict] += 1
        click.echo(f"{verdict}: {case.file} {case.mutant.place}, {case.function}: "
                   f"{case.mutant.before} -> {case.mutant.after}")
        if verdict == "misnamed":
            click.echo(f"    {', '.join(named)}; right: {', '.join(case.kinds)}; "
                       f"{report.findings[0].name}: {report.findings[0].text[:150]}")
    click.echo(", ".join(f"{number} {verdict}" for verdict, number in totals.items()))


if __name__ == "__main__":
    main()
