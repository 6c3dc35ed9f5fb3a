"""A split that does not leak (chapter 7).

Training data are positions, and many come from the same game: they are similar and have the same
result. If positions of one game are on both sides, the network is tested on what it has seen. So
split GAMES, not positions. All choices of games are equally likely.
"""

from __future__ import annotations


def split(games: list[str], test_share: float, seed: int) -> tuple[list[int], list[int]]:
    """The numbers of the positions for training and for testing, each list in order.

    Args:
        games: of each position, the name of its game; positions of one game can be apart.
        test_share: share of the GAMES for testing, rounded to the nearest whole number of games
            (halves up or down).
        seed: other seeds give other splits. The same seed gives the same split, also when Python
            is started again: then sets of strings have another order.

    >>> [len(part) for part in split(["a", "b", "c", "d"], 0.25, 1)]
    [3, 1]
    >>> [len(part) for part in split(["long", "long", "long", "long", "long", "short"], 0.1, 1)]
    [6, 0]
    >>> sorted(map(list, split(["a", "b", "a", "b"], 0.5, 1)))
    [[0, 2], [1, 3]]
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
    """The games that have positions on both sides.

    >>> leaks(["a", "a", "b", "c"], [0, 2], [1, 3])
    {'a'}
    >>> sorted(leaks(["a", "a", "b", "b"], [1, 3], [0, 2]))
    ['a', 'b']
    >>> leaks(["a", "a", "b", "b"], [0, 1], [2, 3])
    set()
    """
    ### BEGIN SOLUTION
    return {games[number] for number in train} & {games[number] for number in test}
    ### END SOLUTION


### BEGIN HIDDEN TESTS
import random
from collections import Counter
from itertools import combinations

from experiments.classroom.checks import HandIn, agrees, asked, check, even, require, short

_random = random.Random(7)
GAMES = [f"game{_random.randrange(20)}" for _ in range(200)]
FEW = [f"game{number}" for number in (0, 1, 0, 2, 0, 3, 0, 4, 1, 5)]
SHORT = [f"game{number % 40}" for number in range(50)]


def _split(hand_in: HandIn, games=GAMES, share: float = 0.25, seed: int = 1):
    answer = hand_in.call("split", games, share, seed)
    parts = answer.tolist() if hasattr(answer, "tolist") else answer
    right = isinstance(parts, list | tuple) and len(parts) == 2
    parts = [part.tolist() if hasattr(part, "tolist") else part for part in parts] if right else []
    right = right and all(isinstance(part, list | tuple) for part in parts) and all(
        type(n) in (int, float) and n in range(len(games)) for part in parts for n in part)
    hint = asked(answer, ([0], [0])) or "Return two lists of position numbers."
    require(right, f"split(...) returned {short(answer)}. {hint}")
    return [list(map(int, part)) for part in parts]


@check("Each position is on one side, in order", points=2)
def all_once(hand_in: HandIn) -> None:
    for games in (GAMES, FEW, SHORT, ["b", "a"] * 40, [f"{n}" for n in range(500)]):
        train, test = _split(hand_in, games, 0.4)
        require(sorted(train + test) == list(range(len(games))),
                "A position is missing, or occurs twice.")
        require(train == sorted(train) and test == sorted(test), "The numbers are not in order.")
        require(bool(train and test), "One side is empty.")


@check("No game is on both sides", points=2)
def no_leak(hand_in: HandIn) -> None:
    for seed in range(12):
        games, share = (GAMES, SHORT, FEW)[seed % 3], (0.25, 0.5, 0.8)[seed // 3 % 3]
        train, test = _split(hand_in, games, share, seed)
        both = leaks(games, train, test)
        require(bool(test) and not both,
                f"{len(both)} of {len({*games})} games are on both sides.")


@check("The share counts games", points=2)
def share_of_games(hand_in: HandIn) -> None:
    ten = ["long"] * 90 + [f"short{n}" for n in range(9)]
    cases = [(ten, share) for share in (0.1, 0.5, 0.3, 0.0, 0.24, 0.26, 0.95, 1.0)]
    cases += [([f"game{n % count}" for n in range(2 * count + 1)], share)
              for count in (1, 2, 3, 5, 7, 12, 40) for share in (0.0, 0.1, 0.3, 0.5, 0.72, 1.0)]
    cases += [([*"abcdefg"], 0.4996), ([*"abcde"], 0.5004)]
    for games, share in cases:
        _, test = _split(hand_in, games, share, 3)
        count, total = len({games[number] for number in test}), len({*games})
        require(abs(count - share * total) < 0.5 + 1e-9,  # halves go up or down
                f"Of {total} games and a share of {share}, {count} are for testing.")


@check("The seed decides the split", points=2)
def seeds(hand_in: HandIn) -> None:
    seeds = 1, 0, 2, 77, 123_456
    splits = [_split(hand_in, seed=seed) for seed in seeds]
    for seed, earlier in zip(seeds, splits, strict=True):
        require(earlier == _split(hand_in, seed=seed), f"Seed {seed} gives different splits.")
    # There are 10 ** 11 ways to choose 20 of 40 games, so no choice comes again.
    choices = [_split(hand_in, SHORT, 0.5, seed)[1]
               for seed in (*range(100), *range(10**6, 10**6 + 50))]
    require(len({*map(tuple, choices)}) == 150, "Different seeds give the same split.")
    counts = Counter(dict.fromkeys(SHORT, 0))
    for choice in choices:
        counts.update({SHORT[number] for number in choice})
    require(even(list(counts.values())),
            "With 150 seeds, some of forty games were for testing much more often than others.")
    pairs = Counter(dict.fromkeys(combinations(sorted(set(FEW)), 2), 0))
    for seed in range(300):
        pairs[tuple(sorted({FEW[number] for number in _split(hand_in, FEW, 1 / 3, seed)[1]}))] += 1
    require(even(list(pairs.values())),
            "With 300 seeds, some pairs of six games were for testing much more often than others.")
    hand_in.renew()
    require(splits == [_split(hand_in, seed=seed) for seed in seeds],
            "The same seed gives a different split when Python is started again. Sort sets.")


CHECKS = [
    all_once, no_leak, share_of_games, seeds,
    agrees("Leaks are found", leaks,
           [*((["a", "a", "b", "c", "c"], train, test) for train, test in (
               ([0, 2], [1, 3, 4]), ([0, 1], [2, 3, 4]), ([0, 3], [1, 4, 2]), ([], [0, 1]),
               ([4], [3]), ([2, 3, 4], [0, 1]), ([1], [0]), ([0, 1, 2, 3, 4], []),
               # Some positions are on no side.
               ([0, 2], [3, 4]), ([2], [1, 3, 4]), ([2], [0]), ([4], [2, 1]))),
            (["A", "a", "1", "1.0", "01"], [0, 2], [1, 3, 4]),
            (GAMES, list(range(0, 200, 2)), list(range(1, 200, 2))),
            (GAMES, list(range(150)), list(range(150, 200))),
            ([*GAMES, "z", "z"], list(range(100)) + [200], list(range(100, 200)) + [201])],
           "Which games are on both sides?", points=2),
]
PLANTED = {
    "positions are split": (
        "    names = sorted(set(games))\n",
        "    games = list(map(str, range(len(games))))\n    names = sorted(set(games))\n"),
    "the same split always": ("random.Random(seed)", "random.Random(0)"),
    "seed 0 is no seed": ("random.Random(seed)", "random.Random(seed or None)"),
    "seed 0 is seed 1": ("random.Random(seed)", "random.Random(seed or 1)"),
    "a hundred splits": ("random.Random(seed)", "random.Random(seed % 100)"),
    "long games are more likely": (
        "    random.Random(seed).shuffle(names)",
        "    order = random.Random(seed).sample(games, len(games))\n"
        "    names = sorted(names, key=order.index)"),
    "the first game is more likely": (
        "    random.Random(seed).shuffle(names)",
        "    generator = random.Random(seed)\n    generator.shuffle(names)\n"
        "    if generator.random() < 0.3:\n        names.sort(key=lambda name: name != games[0])"),
    "one half at most": ("test_share * len", "min(test_share, 0.5) * len"),
    "20 games at most": ("test_share * len(names))", "test_share * min(len(names), 20))"),
    "two splits": ("random.Random(seed)", "random.Random(seed % 2)"),
    "another split each time": ("random.Random(seed)", "random"),
    "games next to each other": (
        "    random.Random(seed).shuffle(names)",
        "    start = random.Random(seed).randrange(len(names))\n"
        "    names = names[start:] + names[:start]"),
    "the last game is never for testing": ("names = sorted(set(games))",
                                           "*names, last = sorted(set(games))\n"
                                           "    names += [last] * (test_share == 1.0)"),
    "one game too many": ("round(test_share * len(names))]", "round(test_share * len(names)) + 1]"),
    "never none": ("round(test_share * len(names))", "max(1, round(test_share * len(names)))"),
    "rounded down": ("round(test_share * len(names))", "int(test_share * len(names))"),
    "rounded up": ("round(test_share * len(names))", "-int(-test_share * len(names) // 1)"),
    "a share of positions": ("round(test_share * len(names))", "round(test_share * len(games))"),
    "sides mixed up": ("if game not in test],", "if game in test],"),
    "sorted by games": ("[number for number, game in enumerate(games) if game in test]",
                        "[n for name in names for n, game in enumerate(games) "
                        "if game == name and game in test]"),
    "the rest is for training": ("{games[number] for number in train} &",
                                 "{game for n, game in enumerate(games) if n not in test} &"),
    "all games leak": ("} & {", "} | {"),
    "positions leak": ("{games[number] for number in train} & {games[number] for number in test}",
                       "{games[number] for number in {*train} & {*test}}"),
    "neighbours leak": ("for number in train} &", "for number in train[-60:]} &"),
    "games are changed": ("    names = sorted(set(games))\n",
                          "    games.append(games[0])\n    games = games[:-1]\n"
                          "    names = sorted(set(games))\n"),
}
EQUIVALENT = {
    "number in test} & {games[number] for number in train}": "What both have is the same.",
    **{f"leaks: {fault}": "The order of sides and positions does not matter."
       for fault in ("train and test are swapped", *(
           f"{side} {change}" for side in ("train", "test")
           for change in ("is reversed", "are sorted")))},
    **dict.fromkeys(("leaks: equal train count once", "leaks: equal test count once"),
                    "A position is there once."),
}
### END HIDDEN TESTS
