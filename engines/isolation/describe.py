"""What a specification of an engine from outside means, found out in another process.

To know its options, its file has to be loaded, and loading may hang, exit or worse.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dlgo.errors import SpecError
from engines.isolation.engine import Host

# Wall seconds for a file to be loaded, so that its options are known.
_TIMEOUT = 30.0


@dataclass(frozen=True)
class Description:
    """An engine from outside.

    Attributes:
        text: the canonical specification; as it was written if the file cannot be loaded.
        digest: of its sources; "" if the file cannot be loaded.
        label: how people see it.
    """

    text: str
    digest: str = ""
    label: str = ""


def describe(specs: Iterable[str], timeout: float = _TIMEOUT) -> dict[str, Description]:
    """Describe engines from outside, each in a process of its own.

    A file that cannot be loaded, or not in time, is no error: its engine loses its games.

    Raises:
        SpecError: for a file or class that does not exist, or options it does not have.
    """
    host = Host("tictactoe", "")
    descriptions = {}
    try:
        for spec in specs:
            answer = host.ask("describe", spec, timeout, timeout=timeout + 10)
            if "wrong" in answer:
                raise SpecError(str(answer["wrong"]))
            facts = (str(answer.get(key, "")) for key in ("text", "digest", "label"))
            descriptions[spec] = Description(*facts) if "text" in answer else Description(spec)
    finally:
        host.kill()
    return descriptions
