"""Language models in tournaments: the ledger, the report, the demo."""

from __future__ import annotations

import json
import re
import sqlite3
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

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
from engines.registry import build_engine
from experiments.arena.engine_cache import EngineCache
from experiments.arena.inspect_ledger import check_lines, export_games
from experiments.arena.referee import GameTask, play_game
from experiments.arena.schedule import Plan, tasks
from experiments.cli.tournament import tournament
from experiments.llm import demo
from reports.forfeits import answer_frame
from reports.intervals import skill_interval
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
        with pytest.raises(ProgramError, match="has no line `move") as error:
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


SPELLINGS = {
    "whole": KEY, "upper case": KEY.upper(), "backwards": KEY[::-1],
    "hexadecimal": KEY.encode().hex(),
    "address": quote(KEY, safe=""), "JSON": KEY.replace("/", "\\/"), "letters": " ".join(KEY),
    "halves": f"{KEY[:10]} and {KEY[10:]}", "lines": f"{KEY[:5]}\n{KEY[5:12]}\n{KEY[12:]}",
    "masked": f"{KEY[:7]}*****{KEY[-5:]}", "dots": f"{KEY[:7]}...{KEY[-4:]}",
    "bytes": " ".join(f"{byte:02x}" for byte in KEY.encode()),
    **{f"base64, {text}": b64encode(f"{text}{KEY}\n".encode()).decode()
       for text in ("", "Bearer ", "me:", "a")},
    "half of base64": b64encode(KEY.encode()).decode()[8:20],
    "base64 for addresses": urlsafe_b64encode(f"x{KEY}".encode()).decode(),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_key_is_hidden_in_every_spelling(spelling: str, monkeypatch) -> None:
    monkeypatch.setenv("DLGO_LLM_KEY", KEY)
    echo = SPELLINGS[spelling]
    answers = [
        (401, {}, json.dumps({"error": {"message": f"the key {echo} is wrong"}}).encode()),
        (401, {}, f"<p>{echo}</p>".encode()), says(f"the key {echo} is wrong"),
        says(None, choices=[{"message": {"refusal": f"the key {echo} is wrong"}}])]
    for answer in answers:
        with Scripted(lambda request, answer=answer: answer) as server:
            engine = build_engine(f"llm:m,url={server.url},cache=no,retries=0", "tictactoe")
            with pytest.raises(ProgramError) as error:
                engine.select_move(dlgo.game("tictactoe").start())
        text = re.sub("[^a-z0-9]", "", str(error.value).replace("[key]", "").lower())
        text = text.replace("qmvhcmvyi", "")  # `Bearer ` in base64
        flat = re.sub("[^a-z0-9]", "", echo.lower())
        assert not any(flat[start : start + 6] in text for start in range(len(flat) - 5)), text
        assert KEY[-4:] not in str(error.value)
        assert answer[0] == 200 or "[key]" in str(error.value)


@pytest.mark.parametrize("options", [
    "url=http://me:hunter22@127.0.0.1:1/v1", "url=ftp://me:hunter22@h",
    "url=http://h/v1?key=hunter22", "url=http://me:p@hunter22@h",
    "url=http://me:hunter22@[h", 'url="http://me:hunter22@h',
    "http://me:hunter22@h", "key_env=sk-hunter22,url=http://h", "url=http://h,extra=key:hunter22",
    "template=http://me:hunter22@h/t,url=http://h", "url=http://me:first,hunter22@h:1/v1",
    "url=http://me:first/hunter22@h:1/v1", "url=http://me:first hunter22@h:1/v1",
])
def test_no_message_has_a_password(options: str, monkeypatch) -> None:
    monkeypatch.setenv("DLGO_LLM_KEY", "hunter22")
    entrant = f"llm:m,{options}"
    with pytest.raises(dlgo.DlgoError) as error:
        build_engine(entrant, "tictactoe")
    text = f"{error.value} {dlgo.DlgoError(f'{entrant} cannot play')}"  # what a tournament says
    assert "hunter22" not in text and "[hidden]" in text


@pytest.mark.slow
def test_a_password_is_in_no_file(tmp_path) -> None:
    done = CliRunner().invoke(tournament, [
        "--game", "tictactoe", "--engine", "llm:m,url=http://me:hunter22@127.0.0.1:1/v1",
        "--engine", "random", "--pairs", "1", "--ledger", str(tmp_path / "l.sqlite")])
    assert "//[hidden]127.0.0.1:1/v1 cannot play tictactoe" in str(done.exception)
    assert not any(b"hunter22" in file.read_bytes() for file in tmp_path.rglob("*"))


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


def test_an_edge_against_the_centre_is_a_mistake_that_half_of_the_moves_make() -> None:
    moves = iter(("B2", "A2", "A1", "C3", "C1", "B1", "A3"))
    with Scripted(lambda request: says(f"move: {next(moves)}")) as server:
        first, second = (f"llm:model={name},url={server.url},cache=no" for name in "ab")
        record = play_game(GameTask("s", "tictactoe", first, second, 0, (), 1), EngineCache())
    assert record.result == 1 and record.failure is None
    winner, loser = answer_frame([record]).sort_values("entrant").itertuples()
    assert winner.mistakes == 0 and winner.skill == 1
    assert (loser.mistakes, loser.chances, loser.skill) == (1, 0.5, -1)


def test_a_ledger_without_kinds_of_answers_is_read() -> None:
    usage = {"answers": [2], "malformed": [1], "illegal": [0], "tokens_in": [9], "tokens_out": [1],
             "seconds": [1], "money": [0]}
    [row] = answer_frame([replace(
        play_game(GameTask("s", "tictactoe", "random", "random", 0, (4, 1), 1), EngineCache()),
        networks=json.dumps({"first": {"id": "m", "usage": usage}}))]).itertuples()
    assert (row.answers, row.malformed, row.no_move, row.other_form) == (2, 1, 0, 0)
    assert row.chances > 0 and row.skill <= 1


@pytest.mark.parametrize("planted", [0.3, 0.9])
def test_nineteen_of_twenty_intervals_hold_the_skill(planted: float) -> None:
    """Also where mistakes are few, five of 160 moves. Four standard deviations are 0.014."""
    rng = np.random.default_rng(1)
    chances = rng.choice([0, 0, 0.25, 0.5, 0.75], size=(4000, 160))
    mistakes = (rng.random(chances.shape) < (1 - planted) * chances).sum(axis=1)
    found = np.array([
        skill_interval(*numbers) for numbers in
        zip(mistakes, chances.sum(axis=1), (chances**2).sum(axis=1), strict=True)])
    assert 0.93 < np.mean((found[:, 1] < planted) & (planted < found[:, 2])) < 0.97
    assert found[:, 0].mean() == pytest.approx(planted, abs=0.01)


def test_a_skill_of_few_moves_or_none() -> None:
    assert np.isnan(skill_interval(0, 0.0, 0.0)).all()
    _, low, high = skill_interval(20, 10, 6.25)  # 20 moves, all worse than at random
    assert low <= high < 0


@pytest.mark.slow
def test_the_demo_finds_what_was_planted(tmp_path) -> None:
    """With other random numbers, one run in some thousands would fail."""
    done = CliRunner().invoke(demo.main, [
        "--pairs", "15", "--workers", "1", "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    answers, failures = (
        pd.read_csv(tmp_path / f"report/{name}.csv").set_index("entrant").drop(columns="game")
        for name in ("answers", "failures"))
    for name, planted, malformed in demo.MODELS:
        row = answers.loc[name]
        assert (2 * row.skill_low95 - row.skill < planted < 2 * row.skill_high95 - row.skill), row
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
    assert sloppy["malformed_answer"] and answers.loc["strong but sloppy", "no_move"] > 0
    text = (tmp_path / "report/report.html").read_text()
    for row in answers.itertuples():
        assert f"<td>{row.skill:.1%}<small>{row.skill_low95:.1%} to" in text
        assert f"no move: {row.no_move:.0f}" in text
    assert "Lost by failure, lost by play" in text and "Language models" in text
    assert f"malformed answer: {sloppy['failures']:.0f}" in text
