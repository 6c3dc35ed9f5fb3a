"""Alpha-beta with move ordering (chapter 4).

A game tree is given by functions of a position (a number): `children(position)`, none at a leaf;
`player(position)`, +1 or -1, who need not alternate; `value(position)` of a leaf, as the FIRST
player sees it (any whole number). Asking for the value of a leaf is expensive, and counted.

`guess(position)` is cheap: it estimates the value of a position for the first player. It may be
wrong. If you search the most promising moves first, you can cut off more.
"""

from __future__ import annotations

from collections.abc import Callable


def ordered(
    position: int, children: Callable[[int], list[int]], player: Callable[[int], int],
    guess: Callable[[int], int],
) -> list[int]:
    """The children, sorted by `guess`: the best for the player to move at `position` first."""
    ### BEGIN SOLUTION
    return sorted(children(position), key=guess, reverse=player(position) == 1)
    ### END SOLUTION


def alpha_beta(
    position: int, children: Callable[[int], list[int]], player: Callable[[int], int],
    value: Callable[[int], int], guess: Callable[[int], int],
    alpha: float = float("-inf"), beta: float = float("inf"),
) -> float:
    """The value of `position` as the first player sees it, with as few leaves as possible.

    Args:
        alpha: value that the first player can already force elsewhere.
        beta: value that the second player can already force elsewhere.
    """
    ### BEGIN SOLUTION
    following = ordered(position, children, player, guess)
    if not following:
        return value(position)
    best = float("-inf") if player(position) == 1 else float("inf")
    for child in following:
        result = alpha_beta(child, children, player, value, guess, alpha, beta)
        if player(position) == 1:
            best = max(best, result)
            alpha = max(alpha, best)
        else:
            best = min(best, result)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import HandIn, check, require
from experiments.classroom.exercises.minimax import Tree, grown, minimax


class Counted(Tree):
    """A tree whose leaves are counted, here, where the hand-in cannot reach."""

    def __init__(self, nested, turns: str, seed: int, honest: bool, first: int = 1) -> None:
        super().__init__(nested, turns, seed, first)
        self.asked: list[int] = []
        self.true = [minimax(n, *self.functions()) for n in range(len(self.results))]
        generator = random.Random(seed)
        self.guesses = self.true if honest else [generator.randint(-9, 9) for _ in self.true]

    def value(self, position: int) -> int:
        self.asked.append(position)
        return self.results[position]

    def search_of(self, call, hint: str = "The value is wrong.") -> int:
        """Ask for the value; how many leaves that took."""
        children, player, _ = self.functions()
        self.asked.clear()
        answer = call("alpha_beta", 0, children, player, self.value, self.guesses.__getitem__)
        require(answer == self.true[0], f"alpha_beta({self.text}) returned {answer}. {hint}")
        return len(self.asked)

    def needed(self) -> int:
        """Leaves that the solution asks for."""
        return self.search_of(lambda _, *given: alpha_beta(*given))


def _case(seed: int, turns: str = "any", most: int = 9) -> Counted:
    return Counted(grown(seed, 4, -most, most), turns, seed, False, (1, -1)[seed % 2])


@check("The value is that of minimax, even with wrong guesses", points=4)
def value_of_it(hand_in: HandIn) -> None:
    for seed in range(10):
        _case(seed, ("any", "alternate")[seed % 2]).search_of(
            hand_in.call, "What does alpha mean to the second player, and beta to the first?")


@check("Moves are ordered for the player who is to move", points=2)
def order(hand_in: HandIn) -> None:
    for seed in range(6):
        case = Counted([[1], [5], [-3], [0]], "alternate", seed, False, (1, -1)[seed % 2])
        children, player, _ = case.functions()
        guess = case.guesses.__getitem__
        answer = hand_in.call("ordered", 0, children, player, guess)
        wanted = [guess(n) for n in ordered(0, children, player, guess)]
        require(sorted(answer) == sorted(children(0)) and [guess(n) for n in answer] == wanted,
                f"With guesses {[guess(n) for n in children(0)]} and player {player(0)} to move, "
                f"you order them {answer}.")


@check("Branches that cannot change the value are cut off", points=3)
def cuts(hand_in: HandIn) -> None:
    for seed in range(10):
        case = _case(seed + 30, most=2)  # equal values are common, and cut as well
        asked, needed = case.search_of(hand_in.call), case.needed()
        require(asked <= needed,
                f"In {case.text} you asked for {asked} leaves; {needed} are enough with "
                "these guesses. When can you skip the other moves?")


@check("Good guesses need few leaves", points=1)
def few(hand_in: HandIn) -> None:
    case = Counted(grown(77, 6, -9, 9), "alternate", 5, True)
    asked, needed = case.search_of(hand_in.call), case.needed()
    require(asked <= needed, f"In a larger tree you asked for {asked} leaves; {needed} are "
                             "enough when the best move comes first.")


CHECKS = [value_of_it, order, cuts, few]
PLANTED = {
    "ordered for the first player only": ("reverse=player(position) == 1", "reverse=True"),
    "the worst first": ("reverse=player(position) == 1", "reverse=player(position) == -1"),
    "no cuts": ("if alpha >= beta:", "if False:"),
    "cuts too early": ("if alpha >= beta:", "if alpha >= beta - 3:"),
    "no cut when equal": ("if alpha >= beta:", "if alpha > beta:"),
    "alpha and beta mixed up": ("value, guess, alpha, beta)", "value, guess, -beta, -alpha)"),
    "the second player maximises": ("best = min(best, result)", "best = max(best, result)"),
}
### END HIDDEN TESTS
