"""A split that does not leak (chapter 7).

Training data are positions, and many come from the same game: they are similar and have the same
result. If positions of one game are on both sides, the network is tested on what it has seen. So
split GAMES, not positions.
"""

from __future__ import annotations


def split(games: list[str], test_share: float, seed: int) -> tuple[list[int], list[int]]:
    """The numbers of the positions for training and for testing, each list in order.

    Args:
        games: of each position, the name of its game; positions of one game can be apart.
        test_share: share of the GAMES for testing, rounded to whole games.
        seed: the same seed gives the same split, other seeds give other splits.
    """
    ### BEGIN SOLUTION
    import random

    names = sorted(set(games))
    random.Random(seed).shuffle(names)
    test = set(names[: round(test_share * len(names))])
    return (
        [number for number, game in enumerate(games) if game not in test],
        [number for number, game in enumerate(games) if game in test],
    )
    ### END SOLUTION


def leaks(games: list[str], train: list[int], test: list[int]) -> set[str]:
    """The games that have positions on both sides."""
    ### BEGIN SOLUTION
    return {games[number] for number in train} & {games[number] for number in test}
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random

from experiments.classroom.checks import HandIn, agrees, check, require, short

_random = random.Random(7)
GAMES = [f"game{_random.randrange(20)}" for _ in range(200)]


def _split(hand_in: HandIn, games=GAMES, share: float = 0.25, seed: int = 1):
    answer = hand_in.call("split", games, share, seed)
    right = isinstance(answer, list | tuple) and len(answer) == 2
    right = right and all(type(n) is int and 0 <= n < len(games) for part in answer for n in part)
    require(right, f"split(...) returned {short(answer)}: return two lists of position numbers.")
    return list(answer[0]), list(answer[1])


@check("Each position is on one side, in order", points=2)
def all_once(hand_in: HandIn) -> None:
    train, test = _split(hand_in)
    require(sorted(train + test) == list(range(200)), "A position is missing, or occurs twice.")
    require(train == sorted(train) and test == sorted(test), "The numbers are not in order.")
    require(bool(train and test), "One side is empty.")


@check("No game is on both sides", points=3)
def no_leak(hand_in: HandIn) -> None:
    for seed in range(4):
        train, test = _split(hand_in, seed=seed)
        both = leaks(GAMES, train, test)
        require(bool(test) and not both, f"{len(both)} of 20 games are on both sides.")


@check("The share counts games", points=2)
def share_of_games(hand_in: HandIn) -> None:
    games = ["long"] * 90 + [f"short{n}" for n in range(9)]
    for part, wanted in ((0.1, 1), (0.5, 5), (0.3, 3), (0.0, 0)):
        _, test = _split(hand_in, games, part, 3)
        count = len({games[number] for number in test})
        require(count == wanted, f"Of 10 games and a share of {part}, {count} are for testing.")


@check("The seed decides the split")
def seeds(hand_in: HandIn) -> None:
    splits = [tuple(_split(hand_in, seed=seed)[1]) for seed in (1, 1, 2, 3, 4)]
    require(splits[0] == splits[1], "The same seed gives different splits.")
    require(len(set(splits)) > 2, "Different seeds give the same split.")


CHECKS = [
    all_once, no_leak, share_of_games, seeds,
    agrees("Leaks are found", leaks,
           [(["a", "a", "b", "c", "c"], train, test)
            for train, test in (([0, 2], [1, 3, 4]), ([0, 1], [2, 3, 4]), ([0, 3], [1, 4, 2]))],
           "Which games are on both sides?", points=2),
]
PLANTED = {
    "positions are split": (
        "    names = sorted(set(games))\n",
        "    games = list(map(str, range(len(games))))\n    names = sorted(set(games))\n"),
    "the same split always": ("random.Random(seed)", "random.Random(0)"),
    "another split each time": ("random.Random(seed)", "random"),
    "one game too many": ("round(test_share * len(names))]", "round(test_share * len(names)) + 1]"),
    "a share of positions": ("round(test_share * len(names))", "round(test_share * len(games))"),
    "sides mixed up": ("if game not in test],", "if game in test],"),
    "all games leak": ("} & {", "} | {"),
}
### END HIDDEN TESTS
