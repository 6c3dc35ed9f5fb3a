"""Pictures of whole systems: AlphaGo, AlphaZero, programs that talk, the course itself."""

from __future__ import annotations

import inspect
from functools import partial

import dlgo
from engines.alphago.bundle import find_bundle
from engines.alphago.engine import LAMBDA_OPTION
from engines.learning.networks.store import load_card
from engines.registry import EngineSpec
from experiments.chapters import microzero
from experiments.course.diagrams.kit import Box, Diagram
from experiments.gtp.server import Server
from experiments.gtp.session import Session


def alphago_pipeline() -> Diagram:
    """AlphaGo's networks: what each learns from, and what the search takes from them."""
    bundle = find_bundle(None, dlgo.game("connect4"))
    cards = {part: load_card(bundle.network(part))[1]
             for part in ("supervised", "reinforced", "value")}
    data = {part: cards[part].training["data"] for part in ("supervised", "value")}
    positions = {part: f"{sizes['positions'] + sizes['test_positions']:,}"
                 for part, sizes in data.items()}
    accuracy = cards["supervised"].accuracy["test"]["accuracy"]
    settings = cards["reinforced"].training["settings"]
    diagram = Diagram(
        "AlphaGo: recorded games train the supervised and the fast policy; self-play improves the "
        "policy; its games train the value network. The search uses the supervised policy's priors "
        "and mixes the value network with rollouts. Sizes of 2016 and of this suite's version for "
        "Connect Four.")
    place = partial(_part, diagram)
    human = place(20, 20, "recorded games", "30 million positions", positions["supervised"],
                  "grey")
    policy = place(570, 20, "supervised policy", "48 planes, 57% of moves",
                   f"{cards['supervised'].shape[2]} planes, {accuracy:.0%}", "blue")
    play = place(1120, 20, "reinforced policy", "1.3 million games",
                 f"{settings['iterations'] * settings['games']:,}", "purple")
    fast = place(20, 330, "fast policy", "24% of moves, in 2 µs", "linear, too", "orange")
    value = place(1120, 330, "value network", "30 million positions", positions["value"],
                  "green")
    search = diagram.box(20, 680, 1560, 120, "PUCT search: a leaf is worth (1 − λ) v + λ z, with "
                         f"λ = {LAMBDA_OPTION.default:g}", size=42, bold=True)
    diagram.text((800, 855), "AlphaGo of 2016 on 19x19; grey: this suite's networks for Connect "
                 "Four", 32, "grey")
    diagram.arrow(human.right, policy.left, thick=7)
    diagram.arrow(policy.right, play.left, thick=7)
    diagram.arrow(human.bottom, fast.top, thick=7)
    diagram.arrow(play.bottom, value.top, thick=7)
    for part, text, colour in ((fast, "result z of a rollout", "orange"),
                               (policy, "prior P", "blue"), (value, "value v", "green")):
        diagram.arrow(part.bottom, (part.bottom[0], search.y), colour=colour, thick=7)
        diagram.text((part.bottom[0] + 24, 615), text, 36, colour, anchor="start", bold=True)
    return diagram


def _part(diagram: Diagram, x: float, y: float, name: str, size: str, here: str,
          colour: str) -> Box:
    box = diagram.box(x, y, 460, 210, colour=colour)
    diagram.text(box.at(0.5, 0.22), name, 40, bold=True)
    diagram.text(box.at(0.5, 0.52), size, 32)
    diagram.text(box.at(0.5, 0.8), f"here: {here}", colour="grey")
    return box


def alphazero_loop() -> Diagram:
    """Self-play, replay buffer, training, network: with the sizes of microzero."""
    sizes = {name: parameter.default for function in (microzero.train, microzero.self_play)
             for name, parameter in inspect.signature(function).parameters.items()}
    diagram = Diagram(
        "AlphaZero's loop: the network guides the search of self-play; the games give positions "
        "with two targets, the visits pi and the result z; training on them gives a better "
        "network. Sizes of microzero.py.", 860)
    network = diagram.box(40, 330, 420, 200, "network\npolicy p, value v", "blue", size=42)
    play = diagram.box(560, 30, 480, 200, f"self-play\n{sizes['simulations']} simulations a move\n"
                       f"{sizes['games']} games", "green", size=38)
    replay = diagram.box(1140, 330, 420, 200, "replay buffer\nnewest "
                         f"{sizes['buffer_size']:,}\npositions", "grey", size=38)
    training = diagram.box(560, 630, 480, 200, "training\nv → z, p → π\n"
                           f"{sizes['batches']} steps", "purple", size=38)
    diagram.text((800, 400), "π: visits of the search\nz: result of the game", 40, bold=True)
    diagram.arrow(network.top, (network.top[0], 130), play.left, thick=8)
    diagram.arrow(play.right, (replay.top[0], 130), replay.top, thick=8)
    diagram.arrow(replay.bottom, (replay.bottom[0], 730), training.right, thick=8)
    diagram.arrow(training.left, (network.bottom[0], 730), network.bottom, thick=8)
    diagram.text((1370, 90), "(s, π, z)", 40, bold=True)
    diagram.text((800, 510), f"repeat {sizes['iterations']} times", 36, "grey")
    return diagram


def gtp_lines() -> list[tuple[str, str]]:
    """Commands of a controller, and the answers of `dlgo gtp`."""
    game = dlgo.game("go", size=5)
    server = Server(Session(game, EngineSpec.parse("mcts:sims=500"), seed=1))
    return [(line, "".join(server.answer(line)).strip())
            for line in ("play black C3", "genmove white")]


def program_between_programs() -> Diagram:
    """GTP in both directions: dlgo as the engine, and as the controller of another engine."""
    diagram = Diagram(
        "The Go Text Protocol: a controller sends commands, an engine answers. dlgo is the engine "
        "for a bridge to a server or for a board program, and the controller of another engine.",
        860)
    diagram.text((575, 50), "controller", 44, bold=True)
    diagram.text((1370, 50), "engine", 44, bold=True)
    rows = ((100, 340, "gtp2ogs,\nSabaki", "dlgo gtp", gtp_lines()),
            (600, 200, "dlgo\ntournament", "gnugo\n--mode gtp", [("genmove white", "= its move")]))
    for y, height, controller, engine, lines in rows:
        ours = "dlgo" in engine
        left = diagram.box(390, y, 370, height, controller, "grey" if ours else "blue", size=42,
                           bold=True)
        right = diagram.box(1190, y, 370, height, engine, "blue" if ours else "grey", size=42,
                            bold=True)
        for i, texts in enumerate(lines):
            for j, text in enumerate(texts):
                level = y + 65 + 150 * i + 70 * j
                ends = (left.right[0], level), (right.left[0], level)
                diagram.arrow(*(ends[::-1] if j else ends), colour="orange" if j else "ink")
                diagram.text((975, level - 28), text, 34, mono=True)
        if ours:
            server = diagram.box(40, y + 100, 220, 140, "server\n(OGS)", size=38)
            diagram.arrow((325, left.left[1]), left.left)
            diagram.arrow((325, left.left[1]), server.right)
    return diagram


def map_of_ideas() -> Diagram:
    """The pages of the course, and which idea needs which."""
    diagram = Diagram(
        "The ideas of the course. Rules lead to tree search and to networks; networks, to honest "
        "tests, to programs that meet others, and to policy gradients, values and actor-critic. "
        "AlphaGo joins search, networks and policy gradients; AlphaZero has one network for both, "
        "as actor-critic has.", 800)
    pages = {
        "rules": (0, 1, "Rules", "02", "grey"),
        "search": (1, 0, "Tree search", "04", "blue"),
        "networks": (1, 1, "Networks", "05", "green"),
        "data": (2, 1, "Honest tests", "07", "green"),
        "programs": (1, 2, "Programs", "08", "green"),
        "gradients": (2, 2, "Policy\ngradients", "09", "orange"),
        "values": (3, 2, "Q-learning", "11", "orange"),
        "critic": (4, 2, "Actor-critic,\nPPO", "12", "orange"),
        "alphago": (3, 0, "AlphaGo", "13", "purple"), "zero": (4, 0, "AlphaZero", "14", "purple"),
    }
    boxes = {name: diagram.box(15 + 325 * column, 20 + 290 * row, 270, 180,
                               f"{title}\n{number}", colour, size=38)
             for name, (column, row, title, number, colour) in pages.items()}
    for left, right in (("rules", "networks"), ("networks", "data"), ("search", "alphago"),
                        ("gradients", "values"), ("values", "critic"), ("alphago", "zero")):
        diagram.arrow(boxes[left].right, boxes[right].left, thick=6)
    diagram.arrow(boxes["rules"].top, (boxes["rules"].top[0], 110), boxes["search"].left, thick=6)
    diagram.arrow(boxes["networks"].bottom, boxes["programs"].top, thick=6)
    diagram.arrow(boxes["data"].bottom, boxes["gradients"].top, thick=6)
    diagram.arrow(boxes["critic"].top, boxes["zero"].bottom, thick=6)
    end = boxes["alphago"].at(0.35, 1)
    diagram.arrow(boxes["data"].right, (end[0], 400), end, thick=6)
    start, end = boxes["gradients"].at(0.8, 0), boxes["alphago"].at(0.65, 1)
    diagram.arrow(start, (start[0], 545), (end[0], 545), end, thick=6)
    return diagram


def engine_contract() -> Diagram:
    """What an engine is given and what it gives back."""
    diagram = Diagram(
        "An engine is a class with a method select_move. It is given a state, which has the "
        "legal moves and makes the next states, and returns a move or a Decision. Tournaments, "
        "the studio, GTP and notebooks all call it so.", 720)
    caller = diagram.box(30, 40, 400, 640)
    diagram.text(caller.at(0.5, 0.2), "dlgo", 48, bold=True)
    diagram.text(caller.at(0.5, 0.55), "tournament\nstudio\nGTP\nnotebook", 42)
    engine = diagram.box(1130, 40, 440, 640, colour="blue")
    diagram.text(engine.at(0.5, 0.2), "your engine", 48, bold=True)
    diagram.text(engine.at(0.5, 0.5), "select_move\n(state)", 42, mono=True)
    diagram.text(engine.at(0.5, 0.8), "the only method\nit needs", 36)
    rows = (("once: game, seed, options", "its constructor", "grey", False),
            ("each turn: a state", "legal_moves() apply_move(m)", "green", False),
            ("a legal move", "or Decision(move, value)", "orange", True))
    for y, (text, code, colour, back) in zip((150, 370, 590), rows, strict=True):
        ends = (caller.right[0], y), (engine.left[0], y)
        diagram.arrow(*(ends[::-1] if back else ends), colour=colour, thick=8)
        diagram.text((780, y - 42), text, 44, bold=True)
        diagram.text((780, y + 44), code, 36, mono=code != "its constructor")
    return diagram
