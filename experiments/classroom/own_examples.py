"""What `dlgo class new` adds to each exercise: students try the examples in the tasks' texts.

The functions are copied into the student's file, so that they need neither dlgo nor the grader.
"""

from __future__ import annotations

from typing import Any


def same_value(answer: Any, expected: object) -> bool:
    """Whether an answer is the expected value; lists may be tuples, numbers rounded."""
    answer = answer.tolist() if hasattr(answer, "tolist") else answer
    if isinstance(expected, set):
        return len(answer) == len(expected) and all(
            any(same_value(item, element) for item in answer) for element in expected)
    if isinstance(expected, (list, tuple)):
        return len(answer) == len(expected) and all(map(same_value, answer, expected))
    if isinstance(expected, float) and answer != expected:
        return abs(answer - expected) < 1e-4
    return answer == expected


def try_examples(*tasks: str) -> None:
    """Try the examples in the texts of the tasks; print a line for each task."""
    import doctest

    for task in tasks:
        names, right, wrong = dict(globals()), 0, []
        text = getattr(names.get(task), "__doc__", None) or ""
        for example in doctest.DocTestParser().get_examples(text):
            try:
                if not example.want:
                    exec(example.source, names)
                    continue
                answer = eval(example.source, names)
                if same_value(answer, eval(example.want, names)):
                    right += 1
                    continue
                problem = f"expected {example.want}  you returned {answer!r}"
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
            wrong.append(f"{example.source}  {problem}")
        print(f"{task}: {right} of {right + len(wrong)} examples are right")
        for text in wrong:
            print("  " + text)
