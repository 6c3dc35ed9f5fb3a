"""Names of entrants in the ledger: the canonical specification, and a version for external engines.

`bots/my_bot.py:Greedy:depth=3@3f9a1c22` is the bot of that file while its sources have that digest.
An edited bot is another entrant, so that games of two versions are never mixed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from dlgo.specs import split_version


def latest_versions(entrants: Iterable[str]) -> set[str]:
    """The last version of each specification; `entrants` are in the order of their first games."""
    return set({split_version(entrant)[0]: entrant for entrant in entrants}.values())


def display_names(entrants: Iterable[str], names: Mapping[str, str]) -> dict[str, str]:
    """The names of entrants in reports; some of them have been given `names`.

    Two versions of one name show their versions; a name that is still ambiguous is not used.
    """
    texts = {entrant: names.get(entrant, entrant) for entrant in entrants}
    for entrant in _with_shared_names(texts):
        version = split_version(entrant)[1]
        texts[entrant] = f"{texts[entrant]}@{version[:4]}" if version else entrant
    for entrant in _with_shared_names(texts):
        texts[entrant] = entrant
    return texts


def _with_shared_names(names: Mapping[str, str]) -> list[str]:
    count = Counter(names.values())
    return [entrant for entrant, name in names.items() if count[name] > 1]
