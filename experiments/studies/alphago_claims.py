"""Chapter 13: the claims of AlphaGo's paper, put to the test on networks of one's own.

    dlgo train alphago --game connect4
    python -m experiments.studies.alphago_claims --game connect4 --model out/alphago/connect4

Each claim is a match with a threshold, and both were written down (docs/chapters/ch13.md) before
a game was played. A claim is confirmed where the whole 95% interval of the score, over pairs of
games, is above the threshold; refuted where all of it is below; else undecided. All are printed,
whatever came out. Two more claims need networks that are trained for them: `alphago_value.py` and
`alphago_accuracy.py`.

`ledger.sqlite` and `claims.csv` stay in the folder of --out; the same command continues.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import pandas as pd

from dlgo.games import get_game
from engines.isolation.describe import read_spec
from experiments.arena.schedule import Plan
from experiments.command import run
from experiments.options import cluster_option, out_option, quick_option, workers_option
from experiments.studies.rated import play_match
from reports.tables import write_csv

_SEARCH = "alphago:model={model},sims=400"
# Drawn as the network says, like the moves of the policies that were reinforced.
_SUPERVISED = "supervised:model={model}/supervised,choose=sample,temperature=1"
_RAW = "policy_gradient:model={model}/model/reinforced,choose=sample"
# As docs/engines/gtp.md has it, so that both programs play and count by the same rules.
_GNU_GO = (
    "gtp:gnugo --mode gtp --level {level} --chinese-rules --capture-all-dead --never-resign "
    "--situational-superko --seed {{{{seed}}}}"
)


@dataclass(frozen=True)
class Claim:
    """A match that decides about a sentence.

    Attributes:
        name: a short one. text: what is claimed.
        one, other: the engines; {model} stands for the folder of the run.
        pairs: openings, each played with both colours.
        threshold: share of points that `one` is claimed to exceed.
        equal: the claim is that both are equally strong: confirmed where the interval holds the
            threshold, refuted where it does not.
        games: names of games for which it is asked; none: all.
    """

    name: str
    text: str
    one: str
    other: str
    pairs: int
    threshold: float = 0.5
    equal: bool = False
    games: tuple[str, ...] = ()


CLAIMS = (
    Claim("start", "before reinforcement the policy is the supervised one",
          "policy_gradient:model={model}/reinforced/nets/0000,choose=sample",
          _SUPERVISED, 100, equal=True),
    Claim("reinforced", "the reinforced policy beats the supervised one (paper: over 80%)",
          _RAW, _SUPERVISED, 200),
    Claim("reinforced 75%", "it does so with more than 75%",
          _RAW, _SUPERVISED, 200, threshold=0.75),
    Claim("no search", "the reinforced policy alone beats 1,000 rollouts a move",
          "policy_gradient:model={model}/model/reinforced", "mcts:sims=1000", 100),
    Claim("mixture, value", "value and rollout mixed beat the value network alone",
          _SEARCH, _SEARCH + ",lambda=0", 100),
    Claim("mixture, rollouts", "value and rollout mixed beat rollouts alone",
          _SEARCH, _SEARCH + ",lambda=1", 100),
    Claim("rollouts, value", "rollouts alone beat the value network alone (paper: 239 Elo)",
          _SEARCH + ",lambda=1", _SEARCH + ",lambda=0", 100),
    Claim("prior", "in the search the supervised policy's priors beat the reinforced one's",
          _SEARCH, _SEARCH + ",prior=reinforced", 100),
    Claim("fast policy", "at equal CPU time rollouts by the fast policy beat random ones",
          "alphago:model={model},lambda=1,cpu=0.05",
          "alphago:model={model},lambda=1,rollout=light,cpu=0.05", 100),
    Claim("heavy rollouts", "at equal CPU time they beat the game's own heavy rollouts",
          "alphago:model={model},lambda=1,cpu=0.05",
          "alphago:model={model},lambda=1,rollout=heavy,cpu=0.05", 100),
    Claim("level 10", "with 400 simulations it wins over 60% against GNU Go, level 10",
          _SEARCH, _GNU_GO.format(level=10), 50, threshold=0.6,
          games=("go",)),
    Claim("level 1, no search", "the reinforced policy alone beats GNU Go, level 1",
          "policy_gradient:model={model}/model/reinforced",
          _GNU_GO.format(level=1), 50, games=("go",)),
    Claim("trees", "at equal CPU time it beats heavy rollouts with RAVE",
          "alphago:model={model},cpu=0.1", "mcts:rule=rave,rollout=heavy,cpu=0.1", 50,
          games=("go",)),
    Claim("plain trees", "at equal CPU time it beats the tree search with random rollouts",
          "alphago:model={model},cpu=0.1", "mcts:cpu=0.1", 50),
    Claim("alphazero", "at equal CPU time it beats AlphaZero, which came after it",
          "alphago:model={model},cpu=0.1", "alphazero:cpu=0.1", 50),
)


def named(claim: Claim, model: Path) -> tuple[str, str]:
    """The two engines, as the arena names them."""
    return read_spec(claim.one.format(model=model)).text, read_spec(
        claim.other.format(model=model)).text


def judge(claim: Claim, low: float, high: float) -> str:
    """The verdict on a claim, by the 95% interval of its score."""
    if claim.equal:
        return "confirmed" if low <= claim.threshold <= high else "refuted"
    if low > claim.threshold:
        return "confirmed"
    return "refuted" if high < claim.threshold else "undecided"


def put_to_the_test(
    claims: Sequence[Claim], game: str, model: Path, out: Path, pairs: int | None = None,
    workers: int | None = None, cluster: str | None = None,
) -> pd.DataFrame:
    """Play what has not been played, and judge: a row for each claim.

    Args:
        model: folder of a run of `dlgo train alphago`. out: folder for ledger and table.
        pairs: in place of those of the claims.
    """
    rows = []
    for claim in claims:
        one, other = named(claim, model)
        print(f"\n{claim.name}: {claim.text}", flush=True)
        plan = Plan((game,), (one, other), pairs=pairs or claim.pairs, seed=13)
        ledger = out / f"{claim.name.split(' ')[0].strip(',')}-{claim.pairs}.sqlite"
        match, score = play_match(plan, ledger, workers, cluster)
        rows.append({
            "claim": claim.name, "text": claim.text, "games": len(match.scores),
            "threshold": claim.threshold, "score": score.value, "low95": score.low95,
            "high95": score.high95, "verdict": judge(claim, score.low95, score.high95),
        })
        print(f"{score.value:.1%} ({score.low95:.1%} to {score.high95:.1%}): "
              f"{rows[-1]['verdict']}", flush=True)
    frame = pd.DataFrame(rows)
    write_csv(frame, out / "claims.csv")
    return frame


@click.command()
@click.option("--game", default="go9", show_default=True, help="What is played.")
@click.option("--model", type=click.Path(path_type=Path, exists=True, file_okay=False),
              required=True, help="Folder of the run of `dlgo train alphago`.")
@click.option("--claim", "names", multiple=True, help="Only this claim; may be repeated.")
@workers_option
@cluster_option
@out_option("out/alphago_claims")
@quick_option("Two pairs of games for each claim")
def main(
    game: str, model: Path, names: tuple[str, ...], workers: int | None, cluster: str | None,
    out: Path, quick: bool,
) -> None:
    """Test the claims of AlphaGo's paper on one's own networks."""
    spec = get_game(game)
    claims = [
        claim for claim in CLAIMS
        if (not names or claim.name in names) and (not claim.games or spec.name in claim.games)
    ]
    unknown = set(names) - {claim.name for claim in CLAIMS}
    if unknown:
        raise click.UsageError(f"no claim is called {', '.join(sorted(unknown))}; claims are "
                               f"{', '.join(claim.name for claim in CLAIMS)}")
    frame = put_to_the_test(claims, str(spec), model, out / spec.slug, 2 if quick else None,
                            workers, cluster)
    print(f"\n{'score':>6}  {'95% interval':<15} verdict     claim")
    for row in frame.itertuples(index=False):
        print(f"{row.score:6.1%}  {f'{row.low95:.1%} to {row.high95:.1%}':<15} "
              f"{row.verdict:<11} {row.text} (over {row.threshold:.0%}, {row.games} games)")


if __name__ == "__main__":
    run(main)
