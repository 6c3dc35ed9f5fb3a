"""What `dlgo class new` adds to each exercise: students try the examples in the tasks' texts.

The functions are copied into the student's file, so that they need neither dlgo nor the grader.
"""

from __future__ import annotations

from typing import Any


def same_value(answer: Any, expected: Any) -> bool:
    """Whether an answer is the expected value; lists may be tuples, numbers rounded."""
    answer = answer.tolist() if hasattr(answer, "tolist") else answer
    if isinstance(expected, set):
        answer, expected = sorted(answer), sorted(expected)
    if isinstance(expected, (list, tuple)):
        return len(answer) == len(expected) and all(map(same_value, answer, expected))
    if isinstance(expected, float) and answer != expected:
        return abs(answer - expected) < 1e-4
    return answer == expected


def try_examples(text: str) -> None:
    """Try the examples in a text; print a line for each."""
    import doctest

    names = dict(globals())
    for example in doctest.DocTestParser().get_examples(text):
        try:
            if not example.want:
                exec(example.source, names)
                continue
            answer = eval(example.source, names)
            problem = "" if same_value(answer, eval(example.want, names)) else repr(answer)
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        code, want = example.source.strip(), example.want.strip()
        print(f"WRONG  {code}: {problem}, not {want}" if problem else f"right  {code}")
