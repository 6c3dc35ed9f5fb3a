"""Losses by failure kept apart from losses by play, and what the answers of language models cost.

A rating of all games takes a failure for a loss like any other. The games that the rules decided
say how strong the play is. They are not a fair sample: an entrant that fails in hard positions has
fewer of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dlgo.full_search import Solve, full_search
from dlgo.games import get_game
from dlgo.readers import MALFORMED, read_json
from dlgo.records.failures import AnswerKind, Failure
from dlgo.records.game_record import GameRecord
from dlgo.text import one_line
from reports.intervals import proportion_interval, skill_interval
from reports.tables import by_entrant, rate_games, ratings_frame

if TYPE_CHECKING:
    import pandas as pd

# Column of the table -> kind of failure, as ledgers have it.
KINDS = {kind.replace(" ", "_"): str(kind) for kind in Failure}
# Columns of `ratings_frame`, for all games and for those that the rules decided.
_RATED = ["games", "score", "rating", "low95", "high95"]
# Fields of a ledger for each move that a language model was asked for.
_SUMS = ("answers", "malformed", "illegal", "tokens_in", "tokens_out", "seconds", "money")
# Column of the table -> kind of answer. Older ledgers do not have them.
ANSWERS = {kind.column: str(kind) for kind in AnswerKind}
# Of a player in games that full search solves: mistakes, a random player's chances of them.
_SKILL = ("mistakes", "chances", "squares")
_SOLVED = ("tictactoe",)


def failure_frame(
    games: pd.DataFrame, ratings: pd.DataFrame, anchor: tuple[str, float] | None = None,
    first_move: bool = True,
) -> pd.DataFrame:
    """One row for each entrant of each game in which an engine failed; the options as for
    `rate_games`.

    Columns: number of games, score and rating as in `ratings` (of `ratings_frame`); the same of
    the games that the rules decided (`decided_games`, ...; NaN where there are none); `failures`
    and how many of each kind.
    """
    import pandas as pd

    keys, counted = ["game", "entrant"], games[games["counted"]]
    decided = counted[~counted["failed"]]
    has_anchor = anchor is not None and anchor[0] in {*decided["first"], *decided["second"]}
    tables = rate_games(decided, anchor if has_anchor else None, first_move)
    again = ratings_frame(decided, tables)
    sides = by_entrant(counted)
    failed = sides[sides["failed"]]
    kinds = pd.DataFrame({
        column: (failed["failure"] == kind) for column, kind in KINDS.items()
    }).groupby([failed[name] for name in keys]).sum()
    frame = ratings[ratings["game"].isin(failed["game"])][[*keys, *_RATED]]
    for columns in (
        again.reindex(columns=[*keys, *_RATED]).set_index(keys).add_prefix("decided_"), kinds,
    ):
        frame = frame.join(columns, on=keys)
    counts = ["decided_games", *KINDS]
    frame[counts] = frame[counts].fillna(0).astype(int)
    frame["failures"] = frame[[*KINDS]].sum(axis=1)
    return frame


def kinds_text(row: Any, kinds: Mapping[str, str]) -> str:
    """The numbers of a row of `failure_frame` or `answer_frame`, by kind: `malformed answer: 3`."""
    counts = {kind: getattr(row, column) for column, kind in kinds.items()}
    return ", ".join(f"{kind}: {count:.0f}" for kind, count in counts.items() if count)


def answer_frame(records: Iterable[GameRecord]) -> pd.DataFrame:
    """One row for each entrant of each game that pays for answers, such as a language model.

    Columns: sums over all its moves, also those that failed, and numbers of answers by kind; shares
    of malformed, illegal and loosely written answers, with Wilson's 95% intervals; `skill`, how
    often it plays well instead of at random (NaN in games that are not solved), with its interval;
    the models, as their server calls them, with the prompt.
    """
    import pandas as pd

    sums = ["games", "moves", *_SUMS, *ANSWERS, *_SKILL]
    solve = {game: full_search(get_game(game)) for game in _SOLVED}
    rows = []
    for record in records:
        for side in ("first", "second"):
            model, usage = _usage(record.networks, side)
            if usage:
                rows.append({
                    "game": one_line(record.game), "entrant": one_line(getattr(record, side)),
                    "model": one_line(model), "games": 1, "moves": len(usage["answers"]),
                    **{name: sum(numbers) for name, numbers in usage.items()},
                    **_mistakes(record, side == "second", solve.get(record.game)),
                })
    frame = pd.DataFrame(rows, columns=["game", "entrant", "model", *sums])
    frame = frame.groupby(["game", "entrant"], as_index=False).agg(
        {"model": lambda models: "; ".join(dict.fromkeys(filter(None, models))),
         **dict.fromkeys(sums, "sum")})
    for name in ("malformed", "illegal", AnswerKind.OTHER_FORM.column):
        spans = list(map(proportion_interval, frame[name], frame["answers"]))
        frame[f"{name}_share"] = frame[name] / frame["answers"]
        frame[f"{name}_low95"] = [low for low, _ in spans]
        frame[f"{name}_high95"] = [high for _, high in spans]
    skills = [skill_interval(*row) for row in frame[[*_SKILL]].itertuples(index=False)]
    frame[["skill", "skill_low95", "skill_high95"]] = pd.DataFrame(skills, frame.index, range(3))
    return frame.drop(columns="squares")


def _mistakes(record: GameRecord, player: int, solve: Solve | None) -> dict[str, float]:
    """How often a player of a solved game has erred, and a random one would have."""
    counts = dict.fromkeys(_SKILL, 0.0)
    if solve is None:
        return counts
    states = list(record.positions())
    for cost in record.costs:
        if cost.player == player:
            [outcomes] = solve([states[cost.ply].actions()])
            best = max(outcomes.values())
            chance = sum(value < best for value in outcomes.values()) / len(outcomes)
            counts["mistakes"] += outcomes[states[cost.ply + 1].actions()[-1]] < best
            counts["chances"] += chance
            counts["squares"] += chance**2
    return counts


def _usage(networks: str | None, side: str) -> tuple[str, dict[str, list[float]]]:
    """The model of one player, and what its answers cost; empty if the ledger has none."""
    try:
        player = read_json(networks or "{}")[side]
        stored = dict.fromkeys(ANSWERS, ()) | player["usage"]
        usage = {name: [float(number) for number in stored[name]] for name in (*_SUMS, *ANSWERS)}
    except MALFORMED:
        return "", {}
    return str(player.get("id", "")), usage
