"""Hand-ins that are alike: a report for people to read, not a verdict.

The code of an exercise becomes a sequence of kinds of tokens: names, numbers and texts are alike,
comments, docstrings and layout are left out. Two hand-ins share the runs of `_LENGTH` tokens that
occur in both. Runs of the file that students were given, and runs that many students have, count
for nothing (after Schleimer, Wilkerson and Aiken, "Winnowing", 2003, who keep a sample of runs).
"""

from __future__ import annotations

import io
import itertools
import keyword
import tempfile
import tokenize
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from experiments.classroom.collecting import code_of, collect
from experiments.classroom.exercise import Exercise
from experiments.classroom.hand_ins import Source, submissions
from experiments.classroom.policy import Policy

_LENGTH = 12
# Characters of a file that are read; the share of a class, and the number of students, whose
# common code counts for nothing.
_READ, _COMMON, _FEW = 1 << 18, 0.3, 4
_LEFT_OUT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
             tokenize.ENCODING, tokenize.ENDMARKER)


class Pair(NamedTuple):
    """How alike the hand-ins of two students are."""

    exercise: str
    student: str
    classmate: str
    shared: int  # runs of tokens in both
    share: float  # of the runs of the shorter one


def similar_pairs(
    sources: Mapping[str, Source], exercises: list[Exercise], policy: Policy | None = None
) -> list[Pair]:
    """All pairs of students whose hand-ins share runs of tokens, most alike first. `policy` says
    what each student was given, if it has a seed."""
    pairs, policy = list[Pair](), policy or Policy()
    texts = {student: _texts(source, exercises) for student, source in sources.items()}
    for exercise in exercises:
        runs = {student: runs_of(text_of[exercise.name]) for student, text_of in texts.items()
                if exercise.name in text_of}
        count = Counter(itertools.chain.from_iterable(runs.values()))
        most = max(_FEW, _COMMON * len(runs))
        common = {run for run, students in count.items() if students > most}
        own_runs = {
            student: all_runs - common - runs_of(
                policy.exercise(exercise.name, student).student_version())
            for student, all_runs in runs.items()}
        for student, classmate in itertools.combinations(own_runs, 2):
            shared = len(own_runs[student] & own_runs[classmate])
            if shared:
                shorter = min(len(own_runs[student]), len(own_runs[classmate]))
                pairs.append(Pair(exercise.name, student, classmate, shared, shared / shorter))
    return sorted(pairs, key=lambda pair: (-pair.share, -pair.shared, pair))


def runs_of(text: str) -> set[tuple[str, ...]]:
    """The runs of tokens in a file, names alike; what Python cannot read ends it."""
    words: list[str] = []
    fresh = True  # whether a statement begins: a text alone is a docstring
    try:
        for token in tokenize.generate_tokens(io.StringIO(text[:_READ]).readline):
            if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
                words.append("name")
            elif token.type == tokenize.STRING:
                words += [] if fresh else ["text"]
            elif token.type == tokenize.NUMBER:
                words.append("number")
            elif token.type not in _LEFT_OUT:
                words.append(token.string)
            fresh = token.type in _LEFT_OUT
    except (tokenize.TokenError, SyntaxError):
        pass
    return {tuple(words[k : k + _LENGTH]) for k in range(len(words) - _LENGTH + 1)}


def _texts(source: Source, exercises: list[Exercise]) -> dict[str, str]:
    """The code of each exercise in a student's last hand-in with a file of it."""
    names = [exercise.name for exercise in exercises]
    texts: dict[str, str] = {}
    for submission in reversed(submissions(source)):
        with tempfile.TemporaryDirectory(prefix="hand-in-") as folder:
            collected = collect(submission.parts, Path(folder), names)
            for name, path in collected.exercises.items():
                texts.setdefault(name, code_of(path))
    return texts
