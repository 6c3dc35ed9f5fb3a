"""Hand-ins that are alike: a report for people to read, not a verdict.

The code of an exercise becomes a sequence of tokens without comments, docstrings, annotations and
layout, function by function. Two hand-ins share the runs of `_LENGTH` tokens that occur in both;
within a run, names count by the order in which they first occur, and all numbers and all texts are
alike. Runs of the file that a student was given count for nothing; all others do, however many
students share them (Schleimer, Wilkerson and Aiken, "Winnowing", 2003, leave out what is common,
which lets large groups pass; numbered names follow Baker, "On Finding Duplication and
Near-Duplication in Large Software Systems", 1995).
"""

from __future__ import annotations

import ast
import builtins
import functools
import io
import itertools
import keyword
import tokenize
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dlgo.files import make_folder
from dlgo.system.folders import private_folder
from experiments.classroom.collecting import UNPARSABLE, code_of, collect
from experiments.classroom.exercise import Exercise
from experiments.classroom.hand_ins import Source, submissions
from experiments.classroom.policy import Policy

_LENGTH = 12
# The least share of the shorter code, and the least number of runs, of pairs that are listed.
# Right solutions by different people share up to 0.55, a person's versions 0.7 and more, renamed
# and reformatted copies nearly 1. The mend of a fault, the same for all, has up to 26 runs.
_SHARE, _RUNS = 0.6, 30
_READ = 1 << 18  # characters of a file
_LEFT_OUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
             tokenize.ENCODING, tokenize.ENDMARKER)
_FIXED_NAMES = {*keyword.kwlist, *dir(builtins)}  # which a copy cannot rename


class Pair(NamedTuple):
    """How alike the hand-ins of two students are."""

    exercise: str
    student: str
    classmate: str
    shared: int  # runs of tokens in both
    share: float  # of the runs of the shorter one


class Group(NamedTuple):
    """Students who are connected by pairs in an exercise."""

    exercise: str
    students: list[str]
    pairs: list[Pair]  # most alike first


def similar_groups(
    sources: Mapping[str, Source], exercises: list[Exercise], policy: Policy | None = None
) -> list[Group]:
    """Groups of students whose hand-ins are alike, largest shares first. `policy` says what each
    student was given, if it has a seed."""
    groups, policy = list[Group](), policy or Policy()
    texts = {student: _texts(source, exercises) for student, source in sources.items()}
    for exercise in exercises:
        runs = {
            student: runs_of(text_of[exercise.name]) - runs_of(
                policy.exercise(exercise.name, student).student_version())
            for student, text_of in texts.items() if exercise.name in text_of}
        groups += _groups(exercise.name, list(_pairs(exercise.name, runs)))
    return sorted(groups, key=lambda group: (-group.pairs[0].share, group))


def _pairs(exercise: str, runs: Mapping[str, set[tuple[str, ...]]]) -> Iterator[Pair]:
    for student, classmate in itertools.combinations(runs, 2):
        shared = len(runs[student] & runs[classmate])
        shorter = min(len(runs[student]), len(runs[classmate]))
        if shared >= max(_RUNS, _SHARE * shorter):
            yield Pair(exercise, student, classmate, shared, shared / shorter)


def _groups(exercise: str, pairs: list[Pair]) -> Iterator[Group]:
    members = {student: {student} for pair in pairs for student in (pair.student, pair.classmate)}
    for pair in pairs:
        group = members[pair.student] | members[pair.classmate]
        members.update(dict.fromkeys(group, group))
    for students in {id(group): group for group in members.values()}.values():
        own = [pair for pair in pairs if pair.student in students]
        own.sort(key=lambda pair: (-pair.share, -pair.shared, pair))
        yield Group(exercise, sorted(students), own)


@functools.lru_cache(64)  # what all students were given is read once
def runs_of(text: str) -> set[tuple[str, ...]]:
    """The runs of tokens in a file. What Python cannot parse is read as it is, to the first thing
    that is no token."""
    try:
        tree = ast.fix_missing_locations(_Bare().visit(ast.parse(text[:_READ])))
        parts = [ast.unparse(node) for node in tree.body]  # functions may come in any order
    except UNPARSABLE:
        parts = [text[:_READ]]
    return {run for part in parts for run in _runs(part)}


class _Bare(ast.NodeTransformer):
    """Leaves out what does nothing: annotations, docstrings and other values that stand alone."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        """A statement that is an expression."""
        return None if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """A parameter."""
        return ast.arg(node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        """An assignment with an annotation, or only an annotation."""
        return ast.Assign([node.target], self.visit(node.value)) if node.value else None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """A function."""
        node.returns = None
        return self.generic_visit(node)

    visit_AsyncFunctionDef: Any = visit_FunctionDef


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in (tokenize.STRING, tokenize.NUMBER):
                words.append("0" if token.type == tokenize.NUMBER else "''")
            elif token.type not in _LEFT_OUT:
                words.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    for start in range(len(words) - _LENGTH + 1):
        number_of: dict[str, str] = {}
        yield tuple(
            number_of.setdefault(word, f"name {len(number_of)}")
            if word.isidentifier() and word not in _FIXED_NAMES else word
            for word in words[start : start + _LENGTH])


def _texts(source: Source, exercises: list[Exercise]) -> dict[str, str]:
    """The code of each exercise in a student's last hand-in with a file of it."""
    names = [exercise.name for exercise in exercises]
    texts: dict[str, str] = {}
    for submission in reversed(submissions(source)):
        with private_folder("hand-in-") as place:
            collected = collect(submission.parts, make_folder(place / "files"), names)
            for name, path in collected.exercises.items():
                texts.setdefault(name, code_of(path))
    return texts
