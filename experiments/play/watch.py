"""`dlgo watch`: a search step by step, its tree as a picture, its events as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from dlgo.api import GameState
from dlgo.display import side_text
from dlgo.files import write_file
from engines.registry import build_engine
from engines.watching import events as search_events
from engines.watching.recording import watch
from engines.watching.tree import SearchTree

_WORDS = {1: "black wins", 0: "a draw", -1: "white wins"}
_KINDS = {
    "Selected": "select    go down to the move with the best score",
    "Expanded": "expand    add one move, or all moves, to the tree",
    "Simulated": "simulate  play a random game from the new position",
    "Evaluated": "evaluate  ask the network, or the game, for the value of the position",
    "BackedUp": "back up   add the result to every position on the path",
    "Proved": "prove     the result is certain",
    "Halved": "halve     keep the better half of the moves",
    "Entered": "enter     search a position; only values between alpha and beta matter",
    "Valued": "value     the value for the player to move",
    "CutOff": "cut off   skip the other moves: they cannot change the result",
}


def watch_search(
    state: GameState, engine: str, seed: int, tree: Path | None, events: Path | None,
    most_nodes: int, steps: int | None,
) -> Iterator[str]:
    """Lines that describe the search; the files are written at the end.

    Args:
        tree, events: files for the picture (SVG) and for the events (JSON), or None.
        most_nodes: nodes in the picture.
        steps: number of events to print and draw; None: all.

    Raises:
        SpecError: for an engine that cannot be watched, or does not play the game.
    """
    recording = watch(build_engine(engine, state.game, seed), state)
    player = state.next_player
    yield f"{state}\n{side_text(state.game, player)} to move\n"
    kinds = {type(event).__name__ for event in recording.events}
    yield from (text for kind, text in _KINDS.items() if kind in kinds)
    yield ""
    search_tree = SearchTree(state)
    for number, event in enumerate(recording.events[:steps], start=1):
        search_tree.apply(event)
        yield f"{number:>5}  {_sentence(event, search_tree)}"
    if steps is None or steps >= len(recording.events):
        yield f"It plays {recording.decision}"
    if tree is not None:
        write_file(tree, recording.svg(steps, most_nodes=most_nodes).encode())
        yield f"tree: {tree} (open it in a browser)"
    if events is not None:
        write_file(events, json.dumps(recording.to_json()).encode())
        yield f"events: {events}"


def _sentence(event: search_events.Event, tree: SearchTree) -> str:
    """An event in words; `tree` is the tree after it."""
    match event:
        case search_events.Selected(node, child, scores):
            children = [tree.nodes[number].move for number in tree.nodes[node].children]
            siblings = ", ".join(
                f"{move} {score:.3f}" for move, score in zip(children, scores, strict=True)
            )
            return f"select    {tree.path(child)}  (scores: {siblings})"
        case search_events.Expanded(node, children):
            new = ", ".join(
                child.move if child.prior is None else f"{child.move} {child.prior:.1%}"
                for child in children
            )
            return f"expand    {tree.path(node)}: {new}"
        case search_events.Simulated(node, moves, value):
            return f"simulate  {tree.path(node)}: {' '.join(moves)}, {_WORDS[int(value)]}"
        case search_events.Evaluated(node, value):
            return f"evaluate  {tree.path(node)}: {_signed(value)} for black"
        case search_events.BackedUp(path, value):
            counts = ", ".join(
                f"{tree.nodes[n].move or 'root'} {tree.nodes[n].visits}" for n in path
            )
            return f"back up   {_signed(value)} for black; visits: {counts}"
        case search_events.Proved(node, result):
            return f"prove     {tree.path(node)}: {_WORDS[result]}"
        case search_events.Halved(candidates, visits):
            texts = ", ".join(tree.nodes[number].move or "" for number in candidates)
            return f"halve     {visits} more visits each for {texts}"
        case search_events.Entered(node, _, _, mover, depth, alpha, beta):
            window = f"alpha {_signed(alpha)}, beta {_signed(beta)}"
            return f"enter     {tree.path(node)}: {mover} to move, depth {depth:g}, {window}"
        case search_events.Valued(node, value, reason):
            cause = "best of its moves" if reason == "moves" else reason
            mover = tree.nodes[node].mover
            return f"value     {tree.path(node)}: {_signed(value)} for {mover} ({cause})"
        case search_events.CutOff(node, value, _, beta, skipped):
            cause = f"{_signed(value)} is not below beta {_signed(beta)}"
            return f"cut off   {tree.path(node)}: {cause}; not searched: {', '.join(skipped)}"


def _signed(value: float) -> str:
    return f"{value + 0.0:+.3f}"  # there is no -0
