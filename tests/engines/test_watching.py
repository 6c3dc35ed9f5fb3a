"""What a search tells of itself: its events, played back, are the search; and their picture."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from dlgo import GameState, get_game
from engines.registry import build_engine
from engines.watching.events import BackedUp, CutOff, Event, Halved
from engines.watching.recording import Recording, watch
from engines.watching.tree import SearchTree
from tests.command import assert_one_line, dlgo_here
from tests.engines import test_search as exact

SVG = "{http://www.w3.org/2000/svg}"
TREE_SEARCHES = ("textbook-mcts:sims=60", "textbook-puct:sims=60", "textbook-gumbel:sims=33")


def position(name: str, *moves: str) -> GameState:
    return get_game(name).start().play(*moves)


# Played when a test wants it: to play moves while tests are collected compiles in every process.
ENDING = ("tictactoe", "B2", "A1", "A3", "C1", "B1")


def ending() -> GameState:
    return position(*ENDING)


def recorded(spec: str, state: GameState, seed: int = 3) -> Recording:
    return watch(build_engine(spec, state.game, seed), state)


@pytest.mark.parametrize("spec", TREE_SEARCHES)
@pytest.mark.parametrize("line", [
    ("tictactoe", "B2"), ENDING, ("connect4", "4", "3"), ("draughts",), ("go:size=5", "C3"),
], ids=["tictactoe", "ending", "connect4", "draughts", "go"])
def test_after_every_event_the_tree_is_that_of_the_engine(spec: str, line: tuple[str]) -> None:
    state = position(*line)
    engine = build_engine(spec, state.game, 1)
    tree = SearchTree(state)
    steps = 0

    def compare(event: Event) -> None:
        nonlocal steps
        tree.apply(event)
        steps += 1
        nodes = [engine.root]
        for node in nodes:
            seen = tree.nodes[node.number]
            assert (seen.visits, seen.total, seen.proven) == (node.visits, node.total, node.proven)
            assert seen.children == [child.number for child in node.children]
            if node.parent is not None:
                assert seen.move == state.game.move_text(node.move)
                assert seen.mover == node.mover.name
                assert (seen.prior or 0.0) == node.prior
            nodes += node.children
        assert len(nodes) == len(tree.nodes)

    engine.listener = compare
    decision = engine.select_move(state)
    assert tree.root.visits == decision.cost.simulations
    assert steps > 3 * decision.cost.simulations / 2


@pytest.mark.parametrize("spec", [*TREE_SEARCHES, "textbook-alphabeta:depth=4"])
def test_to_be_watched_changes_nothing(spec: str) -> None:
    state = position("connect4", "4", "4", "3")
    engine = build_engine(spec, state.game, 3)
    watched = watch(engine, state).decision
    assert engine.listener is None
    engine.new_game(3)
    alone = engine.select_move(state)
    assert (alone.move, alone.value, alone.visits, alone.values, alone.pv) == (
        watched.move, watched.value, watched.visits, watched.values, watched.pv
    )
    assert alone.cost.nodes == watched.cost.nodes


def test_a_tree_can_be_seen_at_any_step_and_written_as_json() -> None:
    recording = recorded("textbook-mcts:sims=30", position("tictactoe"))
    backed_up = [n for n, event in enumerate(recording.events, 1) if isinstance(event, BackedUp)]
    assert len(backed_up) == 30
    for visits, step in enumerate(backed_up, start=1):
        assert recording.tree(step - 1).root.visits == visits - 1
        assert recording.tree(step).root.visits == visits
    for spec in (*TREE_SEARCHES, "textbook-alphabeta:nodes=300", "minimax"):
        record = json.loads(json.dumps(recorded(spec, ending()).to_json(), allow_nan=False))
        assert record["moves"] == ["B2", "A1", "A3", "C1", "B1"] and record["mover"] == "white"
        assert all(isinstance(event["event"], str) for event in record["events"])
        assert record["choice"] == record["line"][0]


def test_gumbel_tells_of_its_plan() -> None:
    """16 simulations beside the root's, 4 moves: 2 visits for each of 4, then 4 for each of 2."""
    recording = recorded("textbook-gumbel:sims=17,considered=4", position("connect4"))
    phases = [event for event in recording.events if isinstance(event, Halved)]
    assert [(len(phase.candidates), phase.visits) for phase in phases] == [(4, 2), (2, 4)]
    assert sorted(recording.decision.visits.values()) == [2, 2, 6, 6]
    tree = recording.tree()
    assert {tree.nodes[n].visits for n in phases[1].candidates} == {6}


def test_what_alpha_beta_has_found_out_is_true_of_every_node() -> None:
    recording = recorded("textbook-alphabeta:depth=9", ending())
    tree = recording.tree()
    assert len(tree.nodes) == recording.decision.cost.nodes + 1
    cuts = [event.node for event in recording.events if isinstance(event, CutOff)]
    assert len(cuts) > 2
    for number, node in tree.nodes.items():
        state = tree.position(number)
        sign = 1 if state.next_player.name == "black" else -1
        low, high = tree.bounds(number)
        assert low <= sign * exact.minimax(state) <= high
        assert (node.skipped != ()) == (number in cuts)
        if node.parent is not None:  # windows only get narrower
            least, most = tree.nodes[node.parent].window
            assert least <= node.window[0] < node.window[1] <= most
        if not state.is_over():
            moves = [tree.nodes[child].move for child in node.children] + [*node.skipped]
            assert sorted(moves) == sorted(map(state.game.move_text, state.legal_moves()))
    assert tree.bounds(0) == (0, 0) == (recording.decision.value,) * 2


# The picture --------------------------------------------------------------------------------


def groups(svg: str) -> dict[str, ElementTree.Element]:
    image = ElementTree.fromstring(svg)
    return {group.get("data-node"): group for group in image.iter(f"{SVG}g")}


@pytest.mark.parametrize(("spec", "line"), [
    ("textbook-mcts:sims=30", ("tictactoe",)), ("textbook-alphabeta:depth=9", ENDING),
    ("textbook-puct:sims=40", ("connect4",)), ("textbook-gumbel:sims=9", ENDING),
])
@pytest.mark.parametrize("most", [1, 12, 1000])
def test_a_picture_has_a_group_for_each_node_inside_its_parents(spec, line, most) -> None:
    recording = recorded(spec, position(*line))
    svg, tree = recording.svg(most_nodes=most), recording.tree()
    drawn = groups(svg)
    assert min(most, 9) <= len(drawn) <= most
    for number, group in drawn.items():
        for below in group.findall(f"{SVG}g"):
            assert below.get("data-parent") == number
            assert tree.nodes[int(below.get("data-node"))].parent == int(number)
        # One card with the position, and the text of its move.
        assert len(group.findall(f"{SVG}svg")) == 1
        title = group.find(f"{SVG}text").text.partition(":")[0]
        assert title == (tree.nodes[int(number)].move or "root")
        missing = len(tree.nodes[int(number)].children) - len(group.findall(f"{SVG}g"))
        left_out = sum(
            int(count) for text in group.findall(f"{SVG}text")
            for count in re.findall(r"^(?:and )?(\d+) (?:more|not tried)$", text.text)
        )
        assert left_out == missing
    if most == 1:
        assert "not tried" in svg or "more" in svg


# The command --------------------------------------------------------------------------------


def test_the_command_tells_the_steps_and_writes_the_files(tmp_path: Path, capsys) -> None:
    tree, events = tmp_path / "tree.svg", tmp_path / "events.json"
    done = dlgo_here(capsys, "watch", "tictactoe", "--tree", tree, "--events", events)
    assert done.returncode == 0, done.stderr
    about, lines = (part.splitlines() for part in done.stdout.rsplit("\n\n", 1))
    assert about[:4] == [" 3  .  .  .", " 2  .  .  .", " 1  .  .  .", "    A  B  C"]
    assert about[4] == "X to move" and "back up   add the result" in "".join(about[6:])
    assert not any(line.startswith("cut off") for line in about), "only what is told of"
    assert lines[0].split()[1:3] == ["expand", "root:"]
    assert lines[-3].startswith("It plays ")
    assert lines[-2:] == [f"tree: {tree} (open it in a browser)", f"events: {events}"]
    assert sum("back up" in line for line in lines) == 30
    assert len(groups(tree.read_text())) == 31
    assert len(json.loads(events.read_text())["events"]) == len(lines) - 3
    done = dlgo_here(
        capsys, "watch", "tictactoe", "--engine", "textbook-alphabeta:depth=9", "--moves",
        "B2 A1 A3 C1 B1", "--steps", 12,
    )
    assert "O to move" in done.stdout
    assert len(done.stdout.rsplit("\n\n", 1)[1].splitlines()) == 12
    assert "(result)" in done.stdout and "-0.000" not in done.stdout
    done = dlgo_here(capsys, "watch", "connect4", "--engine", "textbook-gumbel:sims=9")
    assert "halve" in done.stdout and "evaluate" in done.stdout


def test_the_command_refuses_in_one_line(capsys) -> None:
    assert_one_line(dlgo_here(capsys, "watch", "connect4", "--engine", "mcts"), "cannot be watched")
    assert_one_line(dlgo_here(capsys, "watch", "tictactoe", "--moves", "A1 A1"), "move 2")
