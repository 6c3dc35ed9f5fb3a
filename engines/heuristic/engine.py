"""Four rules of thumb that look one or two moves ahead (chapter 4.2).

1. Win at once.
2. Otherwise leave the opponent no win at once.
3. Otherwise force a win with the move after this one.
4. Otherwise leave the opponent no such two-move win.

Each rule applies the rule before it to every position that a move leads to. If no rule decides, the
move is random. A move is one action; the rules check whose turn follows, since in draughts a player
may move again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dlgo import kernels
from dlgo.api import GameState
from dlgo.errors import SpecError
from dlgo.jit import kernel
from dlgo.rng import below, make_rng
from dlgo.specs import Option
from engines.base import Budget, Cost, Decision, Engine, Kernels

RULES = 4
# Maximum number of positions a move; about a second.
_MOST_POSITIONS = 1_000_000


class HeuristicEngine(Engine):
    """Wins, blocks, forks, stops forks; otherwise plays a random move."""

    name = "heuristic"
    summary = "four rules of thumb: win, block, fork, stop a fork; else a random move"
    options = (
        Option("level", RULES, "number of rules to use, in their order", low=1, high=RULES),
    )

    def _set_up(self) -> None:
        level = self.settings["level"]
        # Rule n examines n plies; in the last ply one reply can refute a move.
        moves = len(GameState.new_game(self.game).legal_actions())
        positions = moves ** max(1, level - 1)
        if positions > _MOST_POSITIONS:
            raise SpecError(
                f"engine heuristic: level={level} would examine {positions:,} positions a move "
                f"in {self.game}; use level={level - 1}"
            )
        self._actions = np.zeros((RULES, self.game.num_actions), np.int64)

    def new_game(self, seed: int) -> None:
        self._rng = make_rng(seed)

    def _decide(self, state: GameState, budget: Budget) -> Decision:
        filtering, choice = self._arguments(self.game.scratch_state(state.kernel_state, RULES))
        won = filter_moves(*filtering)
        action = random_action_of(*choice)
        _, _, _, _, visited = filtering
        return Decision(
            self.game.move_of(action), value=1.0 if won else None, cost=Cost(nodes=int(visited[0]))
        )

    def kernels(self, state: GameState) -> Kernels:
        filtering, choice = self._arguments(state.kernel_state)
        return Kernels("heuristic", {
            "filter_moves": (filter_moves, filtering),
            "random_action_of": (random_action_of, choice),
        }, {"options": ["level"]})

    def _arguments(self, root: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Those of `filter_moves` and of `random_action_of`; `root` has room for the search."""
        filtering = filter_arguments(root, self._actions, self.settings["level"])
        states, _, _, allowed, _ = filtering
        return filtering, (
            kernels.row(states, 0), allowed, self.game.pass_action, self._actions[0], self._rng)


def filter_arguments(root: Any, actions: np.ndarray, level: int) -> tuple[Any, ...]:
    """Those of `filter_moves`, with all moves allowed; `root` has room for `RULES` plies."""
    states = kernels.make_batch(root, RULES + 1)
    kernels.copy_into(kernels.row(states, 0), root)
    return states, actions, level, np.ones(actions.shape[1], np.bool_), np.zeros(1, np.int64)


@kernel
def filter_moves(states, actions, level, allowed, visited):
    """Keep in `allowed` (bool[num_actions]) only the moves that the first `level` rules choose.

    Args:
        states: batch of 5 states; row 0 is the position.
        actions: int64[4, num_actions], scratch.
        visited: int64[1], counts the positions examined.

    Returns whether these moves win by force.
    """
    root, child = kernels.row(states, 0), kernels.row(states, 1)
    player = kernels.to_move(root)
    for rule in range(1, level + 1):
        n = kernels.legal_actions(root, actions[0])
        n_good = 0
        for i in range(n):
            if not allowed[actions[0, i]]:
                continue
            kernels.copy_into(child, root)
            kernels.play(child, actions[0, i])
            visited[0] += 1
            if rule == 1:
                good = won_by(child, player)
            elif rule == 2:
                good = not won_by(child, 1 - player) and not wins_at_once(
                    states, actions, 1, 1 - player, visited
                )
            elif rule == 3:
                good = wins_next(states, actions, 1, player, visited)
            else:
                good = not wins_in_two(states, actions, 1, 1 - player, visited)
            if good:
                actions[0, n_good] = actions[0, i]
                n_good += 1
        if n_good > 0:  # skip a rule that no move obeys
            allowed[:] = False
            for i in range(n_good):
                allowed[actions[0, i]] = True
            if rule == 1 or rule == 3:
                return True
    return False


@kernel
def won_by(state, player):
    """Whether the game is over and `player` has won; a draw is not a win."""
    return kernels.terminal(state) and kernels.result(state) == 1 - 2 * player


@kernel
def wins_at_once(states, actions, ply, player, visited):
    """Whether `player` is to move at `ply` and has a move that wins (listing 4.1)."""
    state, child = kernels.row(states, ply), kernels.row(states, ply + 1)
    if kernels.terminal(state) or kernels.to_move(state) != player:
        return False
    for i in range(kernels.legal_actions(state, actions[ply])):
        kernels.copy_into(child, state)
        kernels.play(child, actions[ply, i])
        visited[0] += 1
        if won_by(child, player):
            return True
    return False


@kernel
def wins_next(states, actions, ply, player, visited):
    """Whether `player`, who has just moved, wins with the next move after any reply.

    If it is still their turn, there is no reply, and one winning move is enough. Otherwise they
    must be able to win at once after each reply (listing 4.3).
    """
    state, child = kernels.row(states, ply), kernels.row(states, ply + 1)
    if kernels.terminal(state):
        return won_by(state, player)
    if kernels.to_move(state) == player:
        return wins_at_once(states, actions, ply, player, visited)
    for i in range(kernels.legal_actions(state, actions[ply])):
        kernels.copy_into(child, state)
        kernels.play(child, actions[ply, i])
        visited[0] += 1
        if not won_by(child, player) and not wins_at_once(
            states, actions, ply + 1, player, visited
        ):
            return False
    return True


@kernel
def wins_in_two(states, actions, ply, player, visited):
    """Whether `player` is to move at `ply` and can force a win with the next but one move."""
    state, child = kernels.row(states, ply), kernels.row(states, ply + 1)
    if kernels.terminal(state) or kernels.to_move(state) != player:
        return False
    for i in range(kernels.legal_actions(state, actions[ply])):
        kernels.copy_into(child, state)
        kernels.play(child, actions[ply, i])
        visited[0] += 1
        if wins_next(states, actions, ply + 1, player, visited):
            return True
    return False


@kernel
def random_action_of(state, allowed, pass_action, actions, rng):
    """A random allowed action: a sensible one if possible, a pass only if nothing else is left."""
    for choice in range(3):
        if choice < 2:
            n = kernels.search_actions(state, actions)
        else:
            n = kernels.legal_actions(state, actions)
        n_left = 0
        for i in range(n):
            if allowed[actions[i]] and (choice > 0 or actions[i] != pass_action):
                actions[n_left] = actions[i]
                n_left += 1
        if n_left > 0:
            return actions[below(rng, n_left)]
    return -1
