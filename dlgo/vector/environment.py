"""`VectorEnv`: many games of one kind in parallel, for learners that choose many moves at once.

    env = VectorEnv("connect4", 1000, seed=1)
    step = env.reset()
    while True:
        actions = choose(step.observations, step.masks)     # int[1000]
        step = env.step(actions)

It corresponds to Gymnasium's vector environments, for games of two players: a step plays one move
on every board, for the player to move there. The learners of this project use it, too. Rules,
observations and random starts are compiled (`stepping.py`); this module checks arguments and
returns arrays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dlgo import kernels
from dlgo.api import GameSpec, GameState
from dlgo.encoders import Encoder, default_encoder, get_encoder
from dlgo.encoders.base import HISTORY, make_shape
from dlgo.errors import DlgoError, IllegalMoveError, SpecError
from dlgo.games import get_game
from dlgo.rng import derive_seed, make_rng
from dlgo.specs import check_number
from dlgo.vector import stepping

PLAYERS = 2
# The attributes of an environment besides its `TimeStep`.
_SHOWN = ("legal", "counts", "actions", "plies", "illegal", "final_observations", "final_masks",
          "final_players", "final_plies")
DEFAULT = "default"
ERROR, LOSS = "error", "loss"


def longest_game(game: GameSpec) -> int:
    """The default number of plies after which a game of a learner is truncated.

    Cycles of Go longer than a ko can last for ever; sensible games are much shorter than this.
    """
    return 4 * game.board_rows * game.board_cols + 100


class TimeStep(NamedTuple):
    """The result of a step: arrays with a row for each of n boards.

    The arrays are read-only views of memory that the next step overwrites: copy what you keep. If a
    game has ended, rewards and flags describe its end; observation, mask and player already belong
    to the next game on that board, unless `autoreset` is off.
    """

    observations: np.ndarray  # float32[n, rows, cols, planes], as the player to move sees it
    masks: np.ndarray  # bool[n, num_actions], which actions are legal
    players: np.ndarray  # int8[n], the player to move: 0 (moves first) or 1
    # float32[n, 2], of player 0 and of player 1: 1 for a game won by this step, -1 for one lost, 0
    # for a draw, a truncation, and while the game continues.
    rewards: np.ndarray
    movers: np.ndarray  # int8[n], the player who has just moved; -1 after a reset.
    # bool[n], whether the game has ended by its rules (or an illegal action).
    terminated: np.ndarray
    truncated: np.ndarray  # bool[n], whether it was cut at `max_plies`

    def rewards_of(self, players: int | np.ndarray) -> np.ndarray:
        """float32[n]: the rewards of one player, or of a given player on each board.

        `step.rewards_of(step.movers)` are those of the players who have just moved. Turns need not
        alternate, so these are not always the opposite of the rewards of the players to move.
        """
        rewards: np.ndarray = self.rewards[np.arange(len(self.rewards)), players]
        return rewards

    @property
    def ended(self) -> np.ndarray:
        """bool[n]: terminated or truncated."""
        ended: np.ndarray = self.terminated | self.truncated
        return ended


@dataclass(frozen=True)
class Episodes:
    """How the games of an environment start and end."""

    # A game starts after 0 to this many random legal plies, each number with the same probability;
    # fewer if the next one would end the game. They count as plies, and their positions as history.
    random_plies: int = 0
    max_plies: int | None = None  # after which a game is truncated; None: `longest_game(game)`
    # "error": an illegal action raises; "loss": it loses the game for the player who chose it.
    illegal: str = ERROR
    # Whether a new game starts when one ends. Otherwise its board shows the last position, and must
    # not move, until `reset(boards=...)` starts another game there.
    autoreset: bool = True


class VectorEnv:
    """`count` games in parallel. The same seed and the same actions give the same games.

    Each board has its own generators, so its games do not depend on the number of boards. A copy
    (`deepcopy`, `pickle`) continues from the same positions, independently of the original.

    Args:
        game: a game, or its specification, such as "go:size=9".
        count: number of boards.
        encoder: makes the observations: the name of an encoder (`dlgo encoders GAME`), or an
            `Encoder`; by default the game's default encoder; None: no planes.
        seed: of random starts and random actions.
        episodes: how games start and end.
        search: whether only the `search_actions` count as legal: in Go, no moves that fill an own
            eye.
        history: number of earlier positions kept for `observe`; at least those of the encoder.

    Attributes:
        time_step: the result of the last step or reset.
        illegal: bool[count], whether the last step ended a game by an illegal action.
        plies: int64[count], plies of the game so far.
        actions: int32[count, max_plies]; the first `plies[i]` are those of the game so far.
        legal: int64[count, num_actions]; the first `counts[i]` are the legal actions.
        counts: int64[count], number of legal actions.
        final_observations: float32[count, rows, cols, planes]; where a game has ended with the last
            step, its last position, as `final_players` sees it. Other rows keep the values of
            earlier ends. The same holds for:
        final_masks: bool[count, num_actions]; no action is legal if the game was terminated.
        final_players: int8[count], the player who would have been to move.
        final_plies: int64[count], number of plies of the game.

    Raises:
        SpecError: for an unknown game or encoder, or a number out of range.
    """

    time_step: TimeStep
    legal: np.ndarray
    counts: np.ndarray
    actions: np.ndarray
    plies: np.ndarray
    illegal: np.ndarray
    final_observations: np.ndarray
    final_masks: np.ndarray
    final_players: np.ndarray
    final_plies: np.ndarray

    def __init__(
        self, game: str | GameSpec, count: int, encoder: str | Encoder | None = DEFAULT,
        seed: int = 0, *, episodes: Episodes = Episodes(), search: bool = False, history: int = 0,
    ) -> None:
        self.game = get_game(game)
        self.count = _whole("count", count, 1, 10**9)
        self.encoder = _find_encoder(encoder, self.game)
        longest = longest_game(self.game) if episodes.max_plies is None else episodes.max_plies
        # Limits of numbers of boards, plies and positions, far from those of sizes of arrays.
        longest = _whole("max_plies", longest, 1, 10**6)
        opening = _whole("random_plies", episodes.random_plies, 0, longest - 1)
        if episodes.illegal not in (ERROR, LOSS):
            raise SpecError(
                f"VectorEnv: illegal={episodes.illegal!r} is not one of {ERROR}, {LOSS}")
        self._illegal_loses = episodes.illegal == LOSS
        self._autoreset = episodes.autoreset
        self._start = self.game.new_kernel_state()
        if kernels.terminal(self._start):
            raise SpecError(f"VectorEnv: {self.game} is over before its first move")
        self._planes = (stepping.NoObservation(make_shape(self.game, 0)) if self.encoder is None
                        else self.encoder.kernel)
        history = _whole("history", history, 0, 10**6)
        window = 1 + max(int(self._planes.shape[HISTORY]), history)
        try:
            self._boards = self._allocate((longest, opening, window, episodes.autoreset, search))
        except MemoryError:
            raise SpecError(
                f"VectorEnv: count={self.count} boards of {self.game} do not fit into memory; take "
                "fewer, or a smaller max_plies or an encoder without history"
            ) from None
        self._choices = np.zeros((self.count, 1), np.uint64)
        self._everywhere = np.ones(self.count, bool)
        self._drawn = np.full(self.count, stepping.DRAWN)
        self._actions, self._random = np.empty((2, self.count), np.int64)
        self._show()
        self.reset(seed)

    def _allocate(self, options: tuple[int, ...]) -> stepping.Boards:
        n, actions = self.count, self.game.num_actions
        longest, _, window, *_ = options
        model = self.game.scratch_state(self._start, room=longest + 1)
        shape = (n, *self._planes.shape[:HISTORY].tolist())
        return stepping.Boards(
            options=np.array(options, np.int64),
            states=kernels.make_batch(model, n * window),
            n_states=np.zeros(n, np.int64),
            generators=np.zeros((n, 1), np.uint64),
            legal=np.zeros((n, actions), np.int64),
            counts=np.zeros(n, np.int64),
            masks=np.zeros((n, actions), bool), players=np.zeros(n, np.int8),
            movers=np.zeros(n, np.int8),
            rewards=np.zeros((n, PLAYERS), np.float32),
            terminated=np.zeros(n, bool), truncated=np.zeros(n, bool), illegal=np.zeros(n, bool),
            actions=np.zeros((n, longest), np.int32), plies=np.zeros(n, np.int64),
            observations=np.zeros(shape, np.float32),
            final_observations=np.zeros(shape, np.float32),
            final_masks=np.zeros((n, actions), bool), final_players=np.zeros(n, np.int8),
            final_plies=np.zeros(n, np.int64),
        )

    def _show(self) -> None:
        """Make read-only views of the arrays that steps write."""
        boards = self._boards
        self.time_step = TimeStep(*(_read_only(getattr(boards, k)) for k in TimeStep._fields))
        for name in _SHOWN:
            setattr(self, name, _read_only(getattr(boards, name)))

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        name = self.encoder.name if self.encoder else None
        return f"VectorEnv({str(self.game)!r}, {self.count}, encoder={name!r})"

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k not in (*_SHOWN, "time_step")}

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        # New views, so that a copy shows the memory that its own steps write.
        vars(self).update(attributes)
        self._show()

    @property
    def num_actions(self) -> int:
        """The number of actions of the game."""
        return self.game.num_actions

    @property
    def observation_shape(self) -> tuple[int, int, int]:
        """Rows, columns and planes of an observation."""
        return self._boards.observations.shape[1:]

    @property
    def max_plies(self) -> int:
        """The number of plies after which a game is truncated."""
        return int(self._boards.options[stepping.MAX_PLIES])

    def reset(
        self, seed: int | None = None, *, boards: np.ndarray | None = None,
        random_plies: np.ndarray | None = None, generators: np.ndarray | None = None,
    ) -> TimeStep:
        """Start a new game on every board, or on some.

        Args:
            seed: as for a new environment with this seed; None: the generators continue.
            boards: bool[count], the boards that start; the other games continue. None: all.
            random_plies: int[count], the number of random plies on each board; None: it is drawn.
            generators: uint64[count], of these plies; None: those of the boards.

        Raises DlgoError for an array of another shape or type.
        """
        if seed is not None:
            rng = make_rng(derive_seed("vector", check_number(seed, "VectorEnv: seed", int)))
            stepping.seed_boards(rng, self._boards.generators, self._choices)
        starting = self._chosen("reset", boards)
        if generators is not None:
            self._boards.generators[starting, 0] = generators[starting]
        plies = (self._drawn if random_plies is None
                 else self._row("reset: random_plies", random_plies))
        stepping.start_boards(self._boards, self._planes, self._start, starting, plies)
        return self.time_step

    def step(self, actions: ArrayLike, boards: np.ndarray | None = None) -> TimeStep:
        """Play one action on each board; a new game starts where one ends.

        Args:
            actions: int[count] (else DlgoError), numbers of the game's actions. (Of `turned` planes
                the network's order is another one: `env.encoder.to_network_order`.)
            boards: bool[count] (else DlgoError), the boards that move; the others do not change.
                None: all.

        Raises:
            IllegalMoveError: for an illegal action, unless `illegal` is "loss"; no board moves.
        """
        numbers = self._row("step: actions", actions)
        np.copyto(self._actions, numbers, casting="same_kind")
        moving = self._chosen("step", boards)
        if not self._autoreset and (over := moving & self.time_step.ended).any():
            raise DlgoError(f"VectorEnv.step: the game on board {int(over.argmax())} is over: "
                            "start another one by reset(boards=...)")
        if not self._illegal_loses:
            board = int(stepping.first_illegal(self._boards.masks, self._actions, moving))
            if board >= 0:
                raise IllegalMoveError(self._why_illegal(board, int(numbers[board])))
        stepping.step_boards(self._boards, self._planes, self._start, self._actions, moving)
        return self.time_step

    def observe(self, encoder: Encoder, boards: np.ndarray, out: np.ndarray) -> None:
        """Write the observations of `boards`, int64[k], by another encoder of the same game.

        It may have at most `history` earlier positions. `out`: float32[k, rows, cols, planes].
        """
        stepping.observe_boards(self._boards, encoder.kernel, boards, out)

    def random_actions(self) -> np.ndarray:
        """int64[count]: a random legal action for each board, uniform; -1 if there is none.

        The memory is overwritten by the next call. Random starts do not depend on these draws.
        """
        stepping.draw_actions(self._boards.masks, self._boards.counts, self._choices, self._random)
        return self._random

    def state(self, board: int) -> GameState:
        """The position on one board with the moves before it, for people, engines and tests."""
        board = _whole("board", board, 0, self.count - 1)
        state = GameState.new_game(self.game)
        for action in self.actions[board, : self.plies[board]].tolist():
            state = state.apply_move(self.game.move_of(action))
        return state

    def _row(
        self, name: str, values: object, kinds: str = "iu", item: str = "a whole number",
        kind: str = "int64",
    ) -> np.ndarray:
        """An array with an item for each board: compiled code would read beyond a shorter one."""
        array = np.asarray(values)
        if array.shape != (self.count,) or array.dtype.kind not in kinds:
            raise DlgoError(f"VectorEnv.{name} are {array.dtype}{list(array.shape)}; give {item} "
                            f"for each board, {kind}[{self.count}]")
        return array

    def _chosen(self, method: str, boards: object) -> np.ndarray:
        if boards is None:
            return self._everywhere
        return self._row(f"{method}: boards", boards, "b", "True or False", "bool")

    def _why_illegal(self, board: int, action: int) -> str:
        problem = f"{f'board {board}: ' if self.count > 1 else ''}action {action} is illegal"
        remedy = f"choose an action that the mask allows, or set illegal={LOSS!r}"
        if not 0 <= action < self.num_actions:
            return f"{problem}: {self.game} has the actions 0 to {self.num_actions - 1}; {remedy}"
        state, move = self.state(board), self.game.move_of(action)
        reason = f"{self.game.move_text(move)}: {self.game.why_illegal(state, move)}"
        legal = np.flatnonzero(self._boards.masks[board])
        choices = ", ".join(map(str, legal[:8].tolist())) + (", ..." if len(legal) > 8 else "")
        return f"{problem} ({reason}); legal there are {choices}; {remedy}"


def _whole(name: str, value: int, low: int, high: float = math.inf) -> int:
    return int(check_number(value, f"VectorEnv: {name}", int, low=low, high=high))


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
