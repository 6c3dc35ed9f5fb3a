"""The view Inside: searches in all their steps, sent in parts, and what the presets promise."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dlgo import GameState, get_game
from engines.registry import build_engine
from engines.watching.events import BackedUp, CutOff, Halved, as_json
from engines.watching.recording import Recording, transcript, watch
from engines.watching.tree import SearchTree
from experiments.studio.course import BY_NAME, state_of
from experiments.studio.inside import MOST_SIMULATIONS
from tests.studio.client import OWN_GAME, Studio, Watcher

Search = dict[str, Any]
SEARCHES = ("textbook-mcts:sims=40", "textbook-puct:sims=40", "textbook-gumbel:sims=24",
            "textbook-alphabeta:depth=4", "minimax:depth=3")


def position(game: str, moves: str = "") -> GameState:
    state = GameState.new_game(get_game(game))
    for text in moves.split():
        for move in state.game.parse_moves(state, text):
            state = state.apply_move(move)
    return state


def ask_search(studio: Studio, **asked: Any) -> tuple[Search, list[Any]]:
    """A search: what is said before and after its events, and these."""
    watcher = Watcher(studio, "/api/inside/search", asked)
    assert watcher.answer == {"status": 200}
    about, events = {}, []
    for news in watcher.until_end():
        if "part" in news:
            assert len(news["part"]) < 200_000  # a large search comes in small parts
            events += json.loads(news["part"])
        else:
            about |= news
    return about, events


def sent(recording: Recording) -> list[Any]:
    """The events as a transcript writes them: the page computes the scores itself."""
    events = json.loads(json.dumps([as_json(event) for event in recording.events]))
    return [{name: value for name, value in event.items() if name != "scores"} for event in events]


# What is sent ------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", SEARCHES)
@pytest.mark.parametrize(("game", "moves"), [("tictactoe", "B2 A1"), (OWN_GAME, "A1 B2 A2")])
def test_a_transcript_has_the_events_of_the_search(spec: str, game: str, moves: str) -> None:
    state = position(game, moves)
    recording = watch(build_engine(spec, state.game, 5), state)
    record = transcript(build_engine(spec, state.game, 5), state, part_bytes=2000)
    events = [event for part in record.parts for event in json.loads(part)]
    assert events == sent(recording)
    assert record.steps == len(events) and len(record.parts) > 2
    assert max(map(len, record.parts)) < 4000
    assert record.decision.move == recording.decision.move
    if recording.decision.visits:
        children = recording.tree().root.children
        visits = {recording.tree().nodes[n].move: recording.tree().nodes[n].visits
                  for n in children}
        assert {m: n for m, n in visits.items() if n} == {
            state.game.move_text(m): n for m, n in record.decision.visits.items()
        }


def test_a_search_that_tells_too_much_is_ended() -> None:
    state = position("connect4")
    engine = build_engine("textbook-alphabeta:depth=20", state.game, 1)
    for ended, limits in (
        ("steps", {"most_steps": 500}), ("bytes", {"most_bytes": 50_000}),
        ("seconds", {"most_seconds": 0.0}), ("stop", {"stop": lambda: True}),
    ):
        record = transcript(engine, state, **limits)
        assert record.decision is None and record.limit == ended
        assert record.steps <= 500 + 100 * ("most_bytes" in limits)
        assert sum(len(json.loads(part)) for part in record.parts) == record.steps
        assert engine.listener is None
        assert sum(map(len, record.parts)) < 60_000


def test_a_search_of_the_studio_is_the_engines_own(studio: Studio) -> None:
    state, spec = position("connect4", "4 3 4"), "textbook-puct:sims=30"
    told, events = ask_search(studio, game="connect4", moves="4 3 4", engine=spec, seed=7)
    recording = watch(build_engine(spec, state.game, 7), state)
    assert events == sent(recording)
    assert told["steps"] == len(events) and told["hasNetwork"] and told["seed"] == 7
    visits = {move["text"]: move.get("visits", 0) for move in told["decision"]["moves"]}
    tree = recording.tree()
    assert visits == {tree.nodes[n].move: tree.nodes[n].visits for n in tree.root.children}
    assert told["settings"]["c_puct"] == 0.9 and told["mover"] == "white"


def test_the_same_seed_is_the_same_search(studio: Studio) -> None:
    asked = {"game": "tictactoe", "engine": "textbook-mcts:sims=20"}
    first, other, again = (ask_search(studio, **asked, seed=seed)[1] for seed in (7, 8, 7))
    assert first == again != other


def test_a_game_from_outside_in_which_a_player_moves_twice(studio: Studio) -> None:
    told, events = ask_search(studio, game=OWN_GAME, engine="textbook-puct:sims=60", seed=1)
    assert not told["hasNetwork"]
    movers = {0: told["mover"]}
    twice = 0
    for event in events:
        if event["event"] == "Expanded":
            for child in event["children"]:
                movers[child["node"]] = child["mover"]
                twice += child["mover"] == movers[event["node"]]
    assert twice > 10


def test_a_game_of_the_studio_can_be_searched(studio: Studio) -> None:
    data = b"(;GM[1]SZ[5]AB[cc]AW[dc]PL[W])"  # no moves lead there
    _, made = studio.ask("/api/games/load?name=x.sgf", data, content_type="text/plain")
    source = {"from": made["id"], "moves": "A1"}
    status, told = studio.ask("/api/inside/position", source)
    assert status == 200 and sum(cell >= 0 for cell in told["position"]["cells"]) == 3
    assert told["moves"] is None
    told, events = ask_search(studio, **source, engine="textbook-mcts:sims=5", seed=1)
    assert told["mover"] == "black" and sum(e["event"] == "BackedUp" for e in events) == 5
    status, answer = studio.ask("/api/inside/positions", {**source, "paths": [[], ["B2"]]})
    assert [sum(c >= 0 for c in p["cells"]) for p in answer["positions"]] == [3, 4]


def test_closing_the_page_gives_its_place_to_others(studio: Studio) -> None:
    studio.wait_for_quiet()
    asked = {"game": "go:size=19", "engine": f"textbook-mcts:sims={MOST_SIMULATIONS}"}
    watcher = Watcher(studio, "/api/inside/search", asked)
    studio.wait(lambda: studio.ask("/api/status")[1]["running"] == 1, "a search")
    watcher.close()
    studio.wait(lambda: studio.ask("/api/status")[1]["running"] == 0, "its end")


# What the presets promise ------------------------------------------------------------------


def recorded(name: str) -> Recording:
    preset = BY_NAME[name]
    state = state_of(preset)
    return watch(build_engine(preset.engine, state.game, preset.seed), state)


def visits(tree: SearchTree) -> dict[str, int]:
    """Of the moves of the root."""
    return {tree.nodes[n].move: tree.nodes[n].visits for n in tree.root.children}


def by_simulation(recording: Recording) -> list[dict[str, int]]:
    """The visits after each simulation."""
    tree, counts = SearchTree(recording.state), []
    for event in recording.events:
        tree.apply(event)
        if isinstance(event, BackedUp):
            counts.append(visits(tree))
    return counts


def test_a_threat_must_be_met() -> None:
    recording = recorded("uct")
    tree, counts = recording.tree(), by_simulation(recording)
    losing = [tree.nodes[n] for n in tree.root.children if tree.nodes[n].move != "A3"]
    assert len(losing) == 5 and all(node.proven == 1 for node in losing)  # 1: x wins
    assert set(counts[5].values()) == {1}  # first every move once
    ahead = next(i for i, c in enumerate(counts, 1) if i > 6 and c["A3"] > sum(c.values()) / 2)
    seen, events = SearchTree(recording.state), iter(recording.events)
    while seen.root.visits < ahead:
        seen.apply(next(events))
    assert any(seen.nodes[node.number].proven is None for node in losing)


def test_the_prior_misses_a_win_in_one() -> None:
    recording = recorded("overlooked-win")
    tree = recording.tree()
    priors = {tree.nodes[n].move: tree.nodes[n].prior for n in tree.root.children}
    assert recording.state.apply_move("5").is_over()
    assert round(priors["1"], 2) == 0.94 and priors["5"] < 0.05
    assert visits(tree) == {"1": 33, "5": 1} | dict.fromkeys("23467", 0)
    assert recording.decision.proven == 1 and recording.line() == ["5"]
    assert not any(count["5"] for count in by_simulation(recording)[:-1])


def test_gumbels_plan_finds_it_at_once() -> None:
    recording = recorded("gumbel")
    assert recording.decision.cost.simulations == 3 and recording.line() == ["5"]
    plan = next(event for event in recording.events if isinstance(event, Halved))
    assert (len(plan.candidates), plan.visits) == (7, 1)


def test_visits_leave_the_priors_favourite() -> None:
    recording = recorded("visits-shift")
    tree, counts = recording.tree(), by_simulation(recording)
    priors = {tree.nodes[n].move: tree.nodes[n].prior for n in tree.root.children}
    assert max(priors, key=priors.get) == "4" and priors["4"] > 3 * priors["7"]
    leaders = [max(count, key=count.get) for count in counts]
    assert leaders[5] == "4" and set(leaders[20:]) == {"7"}
    assert counts[-1]["7"] > 3 * counts[-1]["4"] and recording.decision.proven == 1


def test_halving_spends_its_plan() -> None:
    recording = recorded("halving")
    plan = [(len(e.candidates), e.visits) for e in recording.events if isinstance(e, Halved)]
    assert plan[:3] == [(7, 1), (3, 3), (2, 5)]
    assert recording.decision.cost.simulations == 32


def test_cuts_leave_out_what_does_not_matter() -> None:
    with_cuts, without = recorded("cut-off"), recorded("no-cuts")
    assert (with_cuts.decision.cost.nodes, without.decision.cost.nodes) == (32, 50)
    assert with_cuts.decision.value == without.decision.value == 0
    cuts = [event for event in with_cuts.events if isinstance(event, CutOff)]
    tree = with_cuts.tree()
    assert with_cuts.line()[0] == "B3" == tree.nodes[tree.root.children[0]].move
    for number in tree.root.children[1:]:  # one answer of x was enough
        assert number in {cut.node for cut in cuts}
    assert not any(isinstance(event, CutOff) for event in without.events)


def test_the_ko_cannot_be_taken_back_at_once() -> None:
    recording = recorded("ko")
    tree, state = recording.tree(), recording.state
    assert not state.is_valid_move("C2") and "C2" not in visits(tree)
    assert recording.line()[2] == "C2"  # black again, after a move of each side
    assert tree.position(tree.line(recording.line()[:2])[-1]).is_valid_move("C2")


def test_a_player_moves_twice() -> None:
    tree = recorded("twice").tree()
    first = tree.nodes[tree.line(["10x17"])[-1]]
    second = tree.nodes[tree.line(["10x17", "22x13"])[-1]]
    assert first.mover == second.mover == "white" != tree.root.mover
    assert first.value == second.value


def test_alphagos_leaves_prefer_another_move_than_its_policy() -> None:
    recording = recorded("alphago")
    tree = recording.tree()
    priors = {tree.nodes[n].move: tree.nodes[n].prior for n in tree.root.children}
    assert max(priors, key=priors.get) == "3" and round(priors["3"], 2) == 0.28
    assert visits(tree)["4"] == 24 == max(visits(tree).values())
    assert recording.decision.cost.simulations == 40
