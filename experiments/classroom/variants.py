"""Individual exercises: what differs from student to student is drawn from a secret of the class.

An exercise that varies has constants without values, and among its hidden tests a function that
draws the values:

    C: float  # weight of exploration
    ...
    def variant(rng):
        return {"C": decimal(rng, 0.4, 1.6, 6)}

The file for students says `C = 0.731524`. Examples that depend on such values have no answers in
the source: the solution gives them. The exercise for a whole class is the variant of the seed "".
"""

from __future__ import annotations

import contextlib
import random
import re
import secrets
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dlgo.errors import DlgoError
from dlgo.files import make_folder, write_file
from dlgo.readers import read_toml

_CONSTANT = re.compile(r"^(?P<name>[A-Z_]+): [^=#\n]+?(?P<comment>  #.*)?$", re.M)
_EXAMPLE = re.compile(r"(?P<indent> +)>>> (?P<code>.+)")


def class_seed(path: Path, create: bool = False) -> str:
    """The secret seed of a class, from its file; with `create`, a missing file is written, for its
    owner only. Raises DlgoError if the file has no seed."""
    if create and not path.exists():
        make_folder(path.parent)
        keep_private(path)
        write_file(path, f'seed = "{secrets.token_hex(16)}"\n')
    seed = read_toml(path).get("seed")
    if not isinstance(seed, str) or not seed:
        raise DlgoError(f"{path} contains no seed of a class; name the file that `dlgo class new "
                        "--seed-by-student` has written")
    return seed


def student_seed(seed: str, student: str) -> str:
    """The seed of a student's exercises; `seed` is that of the class."""
    return f"{seed} {student}"


def keep_private(path: Path) -> None:
    """Let only the owner read a file, which is created if there is none."""
    with contextlib.suppress(OSError):  # whoever writes the file says what is wrong with it
        path.touch(0o600)
        path.chmod(0o600)


def decimal(rng: random.Random, low: float, high: float, digits: int) -> float:
    """A number from low to high, with a number of digits after the point."""
    return round(rng.uniform(low, high), digits)


def with_constants(source: str, constants: Mapping[str, Any]) -> str:
    """The source of an exercise in which the constants have values."""
    def assignment(match: re.Match[str]) -> str:
        value = constants[match["name"]]
        rows = "".join(f"    {row!r},\n" for row in value) if isinstance(value, list) else ""
        text = f"[\n{rows}]" if rows else repr(value)
        return f"{match['name']} = {text}{match['comment'] or ''}"

    return _CONSTANT.sub(assignment, source)


def with_answers(source: str, names: Mapping[str, Any]) -> str:
    """The source with answers to all examples, computed with the functions `names` of the
    solution."""
    scope, lines, filled = dict(names), source.splitlines(), list[str]()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        filled.append(line)
        if match := _EXAMPLE.fullmatch(line):
            if is_statement(match["code"]):
                exec(match["code"], scope)
            elif following.strip(" \"") == "" or _EXAMPLE.fullmatch(following):
                filled.append(match["indent"] + answer_text(eval(match["code"], scope)))
    return "\n".join(filled) + "\n"


def is_statement(code: str) -> bool:
    """Whether a line of an example is a statement, which has no answer."""
    try:
        compile(code, "example", "eval")
    except SyntaxError:
        return True
    return False


def answer_text(answer: Any) -> str:
    """An answer as examples show it: lists for arrays, four digits after the point."""
    return repr(_rounded(answer.tolist() if hasattr(answer, "tolist") else answer))


def _rounded(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value)(map(_rounded, value))
    return round(value, 4) if isinstance(value, float) else value


def module_of(name: str, source: str) -> types.ModuleType:
    """A new module from the source of an exercise."""
    module = types.ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), vars(module))
    return module
