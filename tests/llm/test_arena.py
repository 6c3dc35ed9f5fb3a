"""Language models in tournaments: the ledger, the report, the demo."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.stats import binomtest

import dlgo
from dlgo.records.failures import Failure
from dlgo.records.game_record import slot_of
from dlgo.records.ledger import GameRecord, Ledger
from engines.isolation.describe import read_spec
from engines.programs.program import ProgramError
from experiments.arena.engine_cache import EngineCache
from experiments.arena.inspect_ledger import check_lines, export_games
from experiments.arena.referee import GameTask, play_game
from experiments.arena.schedule import Plan, tasks
from experiments.llm import demo
from reports.report import write_report
from tests.llm.test_answers import Http, Scripted, says

KEY = "sk-secret/Zw0rt.42=="


def play(ledger: Path, entrants: Sequence[str], pairs: int = 1) -> list[GameRecord]:
    """Play a round robin of tic-tac-toe; the games."""
    plan = Plan(games=("tictactoe",), entrants=tuple(entrants), pairs=pairs).canonical()
    engines = EngineCache()
    records = [play_game(task, engines) for task in tasks(plan)]
    engines.close()
    with Ledger(ledger) as opened:
        opened.set_meta("plan", plan.to_json())
        opened.add(*records)
    return records


def failing(kind: Failure) -> Http | None:
    """An answer that fails in this way."""
    return {Failure.MALFORMED: says("?"), Failure.ILLEGAL_MOVE: says("move: A1"),
            Failure.NONSENSE: (200, {}, b"{}"), Failure.UNREACHABLE: (404, {}, b"first, second"),
            }[kind]


@pytest.mark.parametrize("kind", [Failure.MALFORMED, Failure.ILLEGAL_MOVE, Failure.NONSENSE,
                                  Failure.UNREACHABLE])
@pytest.mark.parametrize("player", [0, 1])
def test_every_failure_is_told_apart_in_the_ledger(
    kind: Failure, player: int, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr("engines.llm.client._FIRST_PAUSE", 0.0)
    with Scripted(lambda request: failing(kind)) as server:
        model = f"llm:model=m,url={server.url},cache=no"
        names = ("random", model)[:: -1 if player == 0 else 1]
        task = GameTask(slot_of("tictactoe", *names, 0), "tictactoe", *names, 0, (0, 1), 1)
        record = play_game(task, EngineCache())
    assert record.failure is kind and record.result == player
    usage = json.loads(record.networks)[("first", "second")[player]]["usage"]
    answered = 3 if kind in (Failure.MALFORMED, Failure.ILLEGAL_MOVE) else 0
    assert usage["answers"][-1] == answered
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.add(record)
    [(line, is_bad), *_] = check_lines(str(tmp_path / "l.sqlite"))
    assert not is_bad, line


def test_a_bot_that_asks_a_model_fails_as_the_model_does(tmp_path, monkeypatch) -> None:
    bot = tmp_path / "asks.py"
    bot.write_text("""
from engines.registry import build_engine

class Asks:
    def select_move(self, state):
        return build_engine("llm:m,cache=no,retries=0", state.game).select_move(state).move
""")
    with Scripted(lambda request: says("?")) as server:
        monkeypatch.setenv("DLGO_LLM_URL", server.url)
        engine = read_spec(f"{bot}:Asks").build(dlgo.get_game("tictactoe"))
        with pytest.raises(ProgramError, match="does not end with a line") as error:
            engine.select_move(dlgo.game("tictactoe").start())
        engine.close()
    assert error.value.failure is Failure.MALFORMED


def test_the_key_is_nowhere(tmp_path, monkeypatch, capfd) -> None:
    """Neither where it belongs to, in a header, nor where a server repeats it."""
    monkeypatch.setenv("DLGO_LLM_KEY", KEY)
    monkeypatch.setenv("DLGO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("engines.llm.client._FIRST_PAUSE", 0.0)
    seen: list[str] = []

    def respond(request: dict) -> Http:
        assert KEY not in json.dumps(request)
        number = len(seen)
        seen.append(number)
        echo = f"Your key is {KEY}, and once more {KEY}."
        return [
            says(echo, model=f"model {KEY}"), says(f"{echo}\nmove: {KEY}"),
            (401, {}, json.dumps({"error": {"message": "x" * 190 + echo}}).encode()),
            (400, {}, echo.replace("/", "\\/").encode()), (500, {"Retry-After": KEY}, b"no"),
            says(f"{echo}\nmove: B2"), (302, {"Location": f"/{KEY}/{KEY}"}, b""),
            *[(200, {}, json.dumps({"error": {"message": echo}}).encode())] * 5,
        ][number % 12]

    with Scripted(respond) as server:
        monkeypatch.setenv("DLGO_LLM_URL", server.url)  # not in the name, which makes the seeds
        records = play(tmp_path / "l.sqlite", ["llm:model=m,retries=1", "random"], pairs=8)
    assert any("moved to" in record.reason for record in records)
    write_report(tmp_path / "l.sqlite", tmp_path / "report")
    print(*check_lines(str(tmp_path / "l.sqlite")))
    print(*export_games(str(tmp_path / "l.sqlite"), str(tmp_path / "games.csv"), None, None))
    assert KEY not in "".join(capfd.readouterr())
    assert {record.failure for record in records} >= {
        Failure.MALFORMED, Failure.UNREACHABLE, Failure.NONSENSE}
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert any(file.parent.parent.name == "llm" for file in files), "nothing was kept"
    for file in files:
        content = file.read_bytes()
        for part in (KEY, KEY[:12], KEY.replace("/", "\\/")):
            assert part.encode() not in content, file
    with sqlite3.connect(tmp_path / "l.sqlite") as database:
        assert KEY not in "\n".join(database.iterdump())


def test_the_key_is_sent_to_its_server_alone(monkeypatch) -> None:
    monkeypatch.setenv("DLGO_LLM_KEY", KEY)
    headers: list[str] = []

    class Listening(Scripted):
        def process_request(self, request, address) -> None:
            headers.append(request.recv(4000, 2).decode())  # 2: MSG_PEEK
            super().process_request(request, address)

    with Listening(lambda request: says("move: B2")) as other, Listening(
            lambda request: (302, {"Location": f"{other.url}/chat/completions"}, b"")) as server:
        task = GameTask("s", "tictactoe", f"llm:model=m,url={server.url},cache=no", "random", 0,
                        (0, 1), 1)
        record = play_game(task, EngineCache())
    assert record.failure is Failure.UNREACHABLE and "302" in record.reason
    assert len(headers) == 1 and f"\nAuthorization: Bearer {KEY}\r" in headers[0]


@pytest.mark.parametrize("key", ["two words", 'quo"te', "back\\slash", "schlüssel", "line\nbreak"])
def test_a_key_that_cannot_be_sent_is_not_printed(key: str, monkeypatch) -> None:
    from dlgo.errors import SpecError
    from engines.registry import build_engine

    monkeypatch.setenv("DLGO_LLM_KEY", f"  {key}\n")
    with pytest.raises(SpecError, match="copy it again") as error:
        build_engine("llm:m,url=http://localhost:1/v1", "tictactoe")
    assert key not in str(error.value)


@pytest.mark.parametrize("planted", [0.3, 0.9])
def test_nineteen_of_twenty_intervals_hold_the_skill(planted: float) -> None:
    """Also where mistakes are few, five of 160 moves. Four standard deviations are 0.014."""
    rng = np.random.default_rng(1)
    chances = rng.choice([0, 0, 0.25, 0.5, 0.75], size=(4000, 160))
    mistakes = (rng.random(chances.shape) < (1 - planted) * chances).sum(axis=1)
    found = [demo.good_moves(*move) for move in zip(mistakes.tolist(), chances, strict=True)]
    held = sum(skill.low95 < planted < skill.high95 for skill in found) / len(found)
    assert 0.93 < held < 0.97
    assert np.mean([skill.value for skill in found]) == pytest.approx(planted, abs=0.01)


def test_a_skill_of_few_moves_or_none() -> None:
    assert np.isnan(demo.good_moves(0, [0.0, 0.0]).value)
    skill = demo.good_moves(20, [0.25, 0.75] * 10)  # worse than at random
    assert skill.low95 <= skill.high95 < 0


@pytest.mark.slow
def test_the_demo_finds_what_was_planted(tmp_path) -> None:
    """With other random numbers, one run in some thousands would fail."""
    done = CliRunner().invoke(demo.main, [
        "--pairs", "15", "--workers", "1", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    with Ledger(tmp_path / "games.sqlite") as ledger:
        records = list(ledger.games())
        entrants = {name: spec for spec, name in ledger.get_meta("plan")["names"].items()}
    answers, failures = (
        pd.read_csv(tmp_path / f"report/{name}.csv").set_index("entrant").drop(columns="game")
        for name in ("answers", "failures"))
    for name, planted, malformed in demo.MODELS:
        found = demo.skill(records, entrants[name], z=4)
        assert found.low95 < planted < found.high95, found
        row = answers.loc[name]
        assert binomtest(int(row.malformed), int(row.answers), malformed).pvalue > 1e-4
        assert f"{row.malformed_low95:.1%} to {row.malformed_high95:.1%}" in done.stdout
    assert (answers["answers"] == answers["moves"] + answers["malformed"]
            - failures["malformed_answer"].reindex(answers.index)).all()
    assert answers["money"].to_numpy() == pytest.approx(
        (answers["tokens_in"] + 5 * answers["tokens_out"]).to_numpy() / 1e6)
    # It loses games by its form, and few of those that the rules decide.
    sloppy, rival = failures.loc["strong but sloppy"], failures.loc["random"]
    assert sloppy["failures"] == sloppy["malformed_answer"] > 0 and rival["failures"] == 0
    assert sloppy["decided_games"] == sloppy["games"] - sloppy["failures"]
    assert sloppy["decided_score"] > sloppy["score"]
    assert sloppy["decided_rating"] - rival["decided_rating"] > sloppy["rating"] - rival["rating"]
    text = (tmp_path / "report/report.html").read_text()
    assert "Lost by failure, lost by play" in text and "Language models" in text
    assert f"malformed answer: {sloppy['failures']:.0f}" in text
