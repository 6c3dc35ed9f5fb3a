"""Chapter 4: alpha-beta against a plain material minimax that another program's rules drive.

    python -m experiments.ch04_draughts_pydraughts [--games 100] [--seconds 1] [--seed 1]
    python -m experiments.ch04_draughts_pydraughts --quick

The opponent is written on pydraughts (variant "english"): it looks four moves ahead and counts
men as 1 and kings as 1.5; among equal moves it chooses at random. Our side has `--seconds` of
CPU time a move. Games start after four random plies, each opening played twice with colours
swapped. `--log FILE` keeps every game; run again with it to go on after an interruption.

What to look for: four moves of material are seen through by a search three times as deep, which
wins nearly every game. When last run (2026-11-21): see docs/engines/alphabeta.md.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import click
import numpy as np

from dlgo import GameState, Player, get_game
from dlgo.rng import derive_seed
from engines.registry import build_engine

GAME = get_game("draughts")
OPENING_PLIES = 4


def material(game) -> float:
    """Men and half as much again for kings, for the player to move; a pydraughts game."""
    worth = dict.fromkeys((1, 2), 0.0)
    for piece in game.board.searcher.uncaptured_pieces:
        worth[piece.player] += 1.5 if piece.king else 1.0
    return worth[game.whose_turn()] - worth[3 - game.whose_turn()]


def minimax(game, depth: int, alpha: float, beta: float) -> float:
    """Material after `depth` whole moves for the player to move; cuts change no value."""
    moves = game.get_possible_moves()
    if not moves:
        return -100.0 - depth  # who cannot move has lost, and sooner is worse
    if depth == 0:
        return material(game)
    for move in moves:
        alpha = max(alpha, after(game, move, depth, alpha, beta))
        if alpha >= beta:
            break
    return alpha


def after(game, move, depth: int, alpha: float, beta: float) -> float:
    """The value of a step or jump for the player who makes it; a capture may go on."""
    child = game.copy_fast()
    child.move(move)
    if child.whose_turn() == game.whose_turn():
        return minimax(child, depth, alpha, beta)
    return -minimax(child, depth - 1, -beta, -alpha)


def opponent_move(state: GameState, depth: int, generator: np.random.Generator):
    """One of the best steps or jumps at `depth`, by pydraughts' rules, as our Move."""
    from draughts.core.game import Game

    game = Game("english", GAME.fen(state))
    while True:  # until the turn is complete
        moves, best, chosen = game.get_possible_moves(), -math.inf, []
        for move in moves:
            value = after(game, move, depth, best - 0.25, math.inf) if len(moves) > 1 else 0
            if value > best:
                best, chosen = value, []
            if value == best:
                chosen.append(move)
        move = chosen[generator.integers(len(chosen))]
        turn = game.whose_turn()
        game.move(move)
        yield GAME.parse_move(state, f"{move[0]}-{move[1]}")
        if game.whose_turn() != turn:
            return


def play(number: int, engine, depth: int, seed: int) -> dict:
    """Play game `number`; two with one opening follow each other."""
    generator = np.random.default_rng(derive_seed("pydraughts", seed, number // 2) % 2**32)
    state = GameState.new_game(GAME)
    while len(state.moves()) < OPENING_PLIES or state.kernel_state.words[4]:
        moves = state.legal_moves()
        state = state.apply_move(moves[generator.integers(len(moves))])
    ours = Player.from_index(number % 2)
    engine.new_game(number)
    spent = []
    while not state.is_over():
        if state.next_player is ours:
            decision = engine.select_move(state)
            spent.append(decision.cost.cpu_seconds)
            state = state.apply_move(decision.move)
        else:
            for move in opponent_move(state, depth, generator):
                state = state.apply_move(move)
    winner = state.winner()
    result = "draw" if winner is None else "win" if winner is ours else "loss"
    return {
        "number": number, "result": result, "why": GAME.result_text(state), "we": ours.name,
        "most_cpu": max(spent), "moves": GAME.move_list_text(state),
    }


@click.command()
@click.option("--games", default=100, show_default=True)
@click.option("--seconds", default=1.0, show_default=True, help="CPU seconds of our moves.")
@click.option("--depth", default=4, show_default=True, help="Moves the opponent looks ahead.")
@click.option("--seed", default=1, show_default=True)
@click.option("--log", type=click.Path(path_type=Path), help="A file with a line per game.")
@click.option("--quick", is_flag=True, help="Two games against depth 1, 0.05 seconds a move.")
def main(games: int, seconds: float, depth: int, seed: int, log: Path | None, quick: bool) -> None:
    """Play, and print the score as it stands after each game."""
    try:
        import draughts  # noqa: F401
    except ImportError:
        sys.exit("pydraughts is not installed: pip install pydraughts")
    if quick:
        games, seconds, depth = 2, 0.05, 1
    engine = build_engine(f"alphabeta:cpu={seconds}", GAME)
    engine.warm_up()
    lines = log.read_text().splitlines() if log and log.exists() else []
    done = {record["number"]: record for record in map(json.loads, lines)}
    print(f"alphabeta:cpu={seconds} - pydraughts, material at depth {depth}")
    count = dict.fromkeys(("win", "draw", "loss"), 0)
    for number in range(games):
        record = done.get(number)
        if record is None:
            record = play(number, engine, depth, seed)
            if log:
                with log.open("a") as file:
                    file.write(json.dumps(record) + "\n")
        count[record["result"]] += 1
        print(f"{number + 1:>4}  {record['we']}: {record['why']}", flush=True)
    points = count["win"] + count["draw"] / 2
    low, high = wilson(points, games)
    print("wins {win}, draws {draw}, losses {loss}".format(**count))
    print(f"{points:g} points of {games}: {points / games:.1%}, 95% interval {low:.1%}-{high:.1%}")


def wilson(points: float, games: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a share; it stays sensible close to all or nothing."""
    share, spread = points / games, z * z / games
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / games + spread / games / 4) / (1 + spread)
    return middle - half, middle + half


if __name__ == "__main__":
    main()
