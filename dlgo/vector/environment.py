"""`VectorEnv`: many games of one kind side by side, for learners that choose many moves at once.

    env = VectorEnv("connect4", 1000, seed=1)
    step = env.reset()
    while True:
        actions = choose(step.observations, step.masks)     # int[1000]
        step = env.step(actions)

It is to a learner what Gymnasium's vector environments are, for games of two players: a step plays
one move on every board, whoever's turn it is there. Rules, observations and random starts are
compiled (`stepping.py`); what is here checks the arguments and hands out the arrays.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.encoders import Encoder, default_encoder, get_encoder
from dlgo.encoders.base import make_shape
from dlgo.errors import DlgoError, IllegalMoveError, SpecError
from dlgo.games import get_game
from dlgo.rng import derive_seed, make_rng
from dlgo.specs import check_number
from dlgo.vector.stepping import (
    MAX_PLIES,
    WINDOW,
    Blind,
    Boards,
    draw_actions,
    encode_boards,
    first_illegal,
    play_actions,
    seed_boards,
    start_games,
)

PLAYERS = 2
DEFAULT = "default"
ERROR, LOSS = "error", "loss"


def longest_game(game: GameSpec) -> int:
    """Plies after which a game of a learner is cut, unless something else is asked for.

    Cycles of Go longer than a ko can last for ever; sensible games are much shorter than this.
    """
    return 4 * game.board_rows * game.board_cols + 100


class TimeStep(NamedTuple):
    """What a step shows; n boards, every array with a row for each.

    The arrays are read-only views of memory that the next step overwrites: copy what is kept. Of
    a game that has ended, rewards and flags tell the end; observation, mask and player are
    already those of the next game on that board.

    Attributes:
        observations: float32[n, rows, cols, planes], seen by the player to move.
        masks: bool[n, num_actions], which actions are legal.
        players: int8[n], who is to move: 0 (moves first) or 1.
        rewards: float32[n, 2], of player 0 and of player 1: 1 for a game won by this step, -1 for
            one lost, 0 for a draw, a cut, and as long as the game goes on.
        movers: int8[n], who has just moved; -1 after a reset.
        terminated: bool[n], whether the game has ended by its rules (or an illegal action).
        truncated: bool[n], whether it was cut for its length.
    """

    observations: np.ndarray
    masks: np.ndarray
    players: np.ndarray
    rewards: np.ndarray
    movers: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray

    def rewards_of(self, players: int | np.ndarray) -> np.ndarray:
        """float32[n]: the rewards as one player sees them, or on each board a player of its own.

        `step.rewards_of(step.movers)` are those of who has just moved. Turns need not alternate,
        so this is not the opposite of what the player to move gets.
        """
        return self.rewards[np.arange(len(self.rewards)), players]

    @property
    def ended(self) -> np.ndarray:
        """bool[n]: terminated or truncated."""
        return self.terminated | self.truncated


class VectorEnv:
    """`count` games side by side. The same seed and the same actions give the same games.

    Each board has generators of its own: its games do not depend on how many boards there are
    beside it, nor on `threads`. A copy (`deepcopy`, `pickle`) goes on from where the original
    stands, by itself.

    Args:
        game: a game, or its specification, such as "go:size=9".
        count: how many boards.
        encoder: what the observations are: the name of an encoder (`dlgo encoders GAME`), or an
            `Encoder`; by default the one that is usual for the game; None: no planes.
        seed: of random starts and random actions.
        random_plies: a game starts after 0 to this many random legal plies, each number alike
            (if the game ends on the way: once more, with fewer). They count as plies, and their
            positions as history.
        max_plies: a game is cut after so many plies; by default `longest_game(game)`.
        illegal: "error": an illegal action raises; "loss": it loses the game for who chose it.
        threads: over how many threads a step is divided.

    Attributes:
        time_step: what the last step or reset has shown.
        illegal: bool[count], whether the last step ended a game by an illegal action.
        plies: int64[count], plies of the game so far.
        final_observations: float32[count, rows, cols, planes]; where a game has ended with the
            last step, its last position, seen by `final_players`. Other rows hold what an earlier
            end has left there. The same holds for:
        final_masks: bool[count, num_actions]; nothing is legal where the game was terminated.
        final_players: int8[count], who would have been to move.
        final_plies: int64[count], how long the game was.

    Raises:
        SpecError: for a game, an encoder or a number that cannot be used.
    """

    def __init__(
        self, game: str | GameSpec, count: int, encoder: str | Encoder | None = DEFAULT,
        seed: int = 0, *, random_plies: int = 0, max_plies: int | None = None,
        illegal: str = ERROR, threads: int = 1,
    ) -> None:
        owner = "VectorEnv"
        self.game = get_game(game)
        self.count = int(check_number(count, f"{owner}: count", int, low=1))
        self.encoder = _find_encoder(encoder, self.game)
        longest = longest_game(self.game) if max_plies is None else max_plies
        # What counts plies and remembers positions: far below what memory holds.
        longest = int(check_number(longest, f"{owner}: max_plies", int, low=1, high=10**6))
        opening = int(check_number(
            random_plies, f"{owner}: random_plies", int, low=0, high=longest - 1
        ))
        if illegal not in (ERROR, LOSS):
            raise SpecError(f"{owner}: illegal={illegal!r} is not one of {ERROR}, {LOSS}")
        self._illegal_loses = illegal == LOSS
        threads = int(check_number(threads, f"{owner}: threads", int, low=1, high=1024))

        start = self.game.new_kernel_state()
        if kernels.terminal(start):
            raise SpecError(f"{owner}: {self.game} is over before its first move")
        self._start = start
        planes = Blind(make_shape(self.game, 0)) if self.encoder is None else self.encoder.kernel
        self._boards = self._allocate(longest, opening, planes)
        self._choices = np.zeros((self.count, 1), np.uint64)
        self._everywhere = np.ones(self.count, bool)
        self._ended = np.zeros(self.count, bool)
        shape = (self.count, *planes.shape[:3].tolist())
        self._observations, self._final_observations = np.zeros((2, *shape), np.float32)
        self._actions = np.empty(self.count, np.int64)
        self._random = np.empty(self.count, np.int64)
        self._parts = _divide(self.count, threads, planes, self.game.num_actions)
        self._pool = ThreadPoolExecutor(len(self._parts) - 1) if len(self._parts) > 1 else None

        shown = self._boards
        self.time_step = TimeStep(_read_only(self._observations), *(
            _read_only(getattr(shown, name)) for name in TimeStep._fields[1:]
        ))
        self.final_observations = _read_only(self._final_observations)
        self.final_masks, self.final_players = map(
            _read_only, (shown.final_masks, shown.final_players)
        )
        self.final_plies, self.plies, self.illegal = map(
            _read_only, (shown.final_plies, shown.plies, shown.illegal)
        )
        self.reset(seed)

    def _allocate(self, longest: int, opening: int, planes: Any) -> Boards:
        n, actions = self.count, self.game.num_actions
        shape = tuple(planes.shape[:3].tolist())
        window = int(planes.shape[3]) + 1
        model = self.game.scratch_state(self._start, room=longest + 1)
        observed = 4 * int(np.prod(shape)) + actions
        needed = n * (window * sum(field.nbytes for field in model) + 2 * observed + 100)
        memory = needed  # where the system does not say
        if hasattr(os, "sysconf"):
            memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        if needed > memory:
            raise SpecError(
                f"VectorEnv: count={n} boards of {self.game} need {needed / 2**30:,.1f} GiB, this "
                f"machine has {memory / 2**30:,.1f}; take at most {n * memory // needed:,}, or a "
                "smaller max_plies or an encoder without history"
            )
        return Boards(
            limits=np.array([longest, opening, window], np.int64),
            states=kernels.make_batch(model, n * window),
            known=np.zeros(n, np.int64),
            openings=np.zeros((n, 1), np.uint64),
            counts=np.zeros(n, np.int64),
            masks=np.zeros((n, actions), bool), players=np.zeros(n, np.int8),
            movers=np.zeros(n, np.int8),
            rewards=np.zeros((n, PLAYERS), np.float32),
            terminated=np.zeros(n, bool), truncated=np.zeros(n, bool), illegal=np.zeros(n, bool),
            plies=np.zeros(n, np.int64),
            final_masks=np.zeros((n, actions), bool), final_players=np.zeros(n, np.int8),
            final_plies=np.zeros(n, np.int64),
        )

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        name = self.encoder.name if self.encoder else None
        return f"VectorEnv({str(self.game)!r}, {self.count}, encoder={name!r})"

    def __getstate__(self) -> dict[str, Any]:
        longest, opening, _ = self._boards.limits.tolist()
        return {
            "arguments": (self.game, self.count, self.encoder),
            "options": {
                "random_plies": opening, "max_plies": longest, "threads": len(self._parts),
                "illegal": LOSS if self._illegal_loses else ERROR,
            },
            "memory": self._memory(),
        }

    def __setstate__(self, kept: dict[str, Any]) -> None:
        # Made anew, so that what a copy shows is the memory that its own steps write.
        self.__init__(*kept["arguments"], **kept["options"])
        for own, array in zip(self._memory(), kept["memory"], strict=True):
            if own.flags.writeable:  # tables that all states share are there already
                np.copyto(own, array)

    def _memory(self) -> list[np.ndarray]:
        """All arrays that steps write."""
        boards = self._boards
        return [
            *boards.states, *(getattr(boards, name) for name in Boards._fields if name != "states"),
            self._choices, self._ended, self._observations, self._final_observations,
            self._actions, self._random,
        ]

    @property
    def num_actions(self) -> int:
        """How many actions the game has."""
        return self.game.num_actions

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Rows, columns and planes of an observation."""
        return self._observations.shape[1:]

    @property
    def max_plies(self) -> int:
        """After so many plies a game is cut."""
        return int(self._boards.limits[MAX_PLIES])

    def reset(self, seed: int | None = None) -> TimeStep:
        """Start a new game on every board.

        Args:
            seed: as if the environment had been made with it; None: the generators go on.
        """
        if seed is not None:
            number = check_number(seed, "VectorEnv: seed", int)
            rng = make_rng(derive_seed("vector", number))
            seed_boards(rng, self._boards.openings, self._choices)
        self._in_parts(self._start_part)
        return self.time_step

    def step(self, actions: np.ndarray) -> TimeStep:
        """Play one action on each board; a game that ends is followed by a new one.

        Args:
            actions: int[count], numbers of the game's actions. (Of `turned` planes the network's
                order is another one: `env.encoder.as_seen`.)

        Raises:
            IllegalMoveError: for an illegal action, unless that is a loss; no board has moved.
            DlgoError: if `actions` is not one whole number for each board.
        """
        given = np.asarray(actions)
        if given.shape != (self.count,) or given.dtype.kind not in "iu":
            raise DlgoError(
                f"VectorEnv.step: actions are {given.dtype}{list(given.shape)}; give a whole "
                f"number for each board, int64[{self.count}]"
            )
        np.copyto(self._actions, given, casting="same_kind")
        if not self._illegal_loses:
            board = int(first_illegal(self._boards.masks, self._actions))
            if board >= 0:
                raise IllegalMoveError(self._why_illegal(board, int(given[board])))
        self._in_parts(self._step_part)
        return self.time_step

    def random_actions(self) -> np.ndarray:
        """int64[count]: a legal action for each board, each with the same chance.

        The memory is overwritten by the next call. Random starts do not depend on these draws.
        """
        draw_actions(self._boards.masks, self._boards.counts, self._choices, self._random)
        return self._random

    def state(self, board: int) -> GameState:
        """A copy of the position on one board, for people, engines and tests; without its past.

        Raises:
            DlgoError: if there is no such board.
        """
        if not 0 <= board < self.count:
            raise DlgoError(f"VectorEnv: there is no board {board}, only 0 to {self.count - 1}")
        window = int(self._boards.limits[WINDOW])
        source = kernels.row(self._boards.states, board * window)
        target = self.game.scratch_state(source)
        kernels.copy_into(target, source)
        return GameState(self.game, target)

    def _start_part(self, part: _Part) -> None:
        start_games(self._boards, self._start, part.scratch, True, part.first, part.last)
        self._encode(part, self._everywhere, self._observations)

    def _step_part(self, part: _Part) -> None:
        boards, rows = self._boards, slice(part.first, part.last)
        play_actions(boards, self._actions, part.first, part.last)
        np.logical_or(boards.terminated[rows], boards.truncated[rows], out=self._ended[rows])
        self._encode(part, self._ended, self._final_observations)
        start_games(boards, self._start, part.scratch, False, part.first, part.last)
        self._encode(part, self._everywhere, self._observations)

    def _encode(self, part: _Part, wanted: np.ndarray, out: np.ndarray) -> None:
        states, known = self._boards.states, self._boards.known
        encode_boards(part.encoder, states, known, wanted, out, part.first, part.last)

    def _in_parts(self, work: Callable[[_Part], None]) -> None:
        """Have each thread do its part of the boards; this one does the first."""
        own, *others = self._parts
        tasks = [self._pool.submit(work, part) for part in others]
        work(own)
        for task in tasks:
            task.result()

    def _why_illegal(self, board: int, action: int) -> str:
        what = f"board {board}: action {action} is illegal"
        remedy = 'choose among masks[board], or make VectorEnv(..., illegal="loss")'
        if not 0 <= action < self.num_actions:
            return f"{what}: {self.game} has the actions 0 to {self.num_actions - 1}; {remedy}"
        state, move = self.state(board), self.game.move_of(action)
        why = f"{self.game.move_text(move)}: {self.game.why_illegal(state, move)}"
        legal = np.flatnonzero(self._boards.masks[board])
        shown = ", ".join(map(str, legal[:8].tolist())) + (", ..." if len(legal) > 8 else "")
        return f"{what} ({why}); legal there are {shown}; {remedy}"


class _Part(NamedTuple):
    """The boards of one thread, and what it shares with no other."""

    encoder: Any
    scratch: np.ndarray
    first: int
    last: int


def _divide(count: int, threads: int, encoder: Any, num_actions: int) -> list[_Part]:
    bounds = np.linspace(0, count, min(threads, count) + 1).astype(int).tolist()
    return [
        _Part(copy.deepcopy(encoder), np.empty(num_actions, np.int64), first, last)
        for first, last in zip(bounds, bounds[1:], strict=False)
    ]


def _find_encoder(encoder: str | Encoder | None, game: GameSpec) -> Encoder | None:
    if encoder is None:
        return None
    if isinstance(encoder, Encoder):
        if encoder.game != game:
            raise SpecError(
                f"VectorEnv: encoder {encoder.name!r} was made for {encoder.game}, the boards are "
                f"of {game}; make it by get_encoder({encoder.name!r}, game)"
            )
        return encoder
    return get_encoder(default_encoder(game) if encoder == DEFAULT else encoder, game)


def _read_only(array: np.ndarray) -> np.ndarray:
    view = array.view()
    view.flags.writeable = False
    return view
