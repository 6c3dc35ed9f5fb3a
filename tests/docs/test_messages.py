"""The list of all words that users can read: known ones of each kind are in it."""

from experiments.docs.messages import in_source, main, messages


def test_messages_of_each_kind_are_listed_under_their_file() -> None:
    known = {
        ("experiments/cli/main.py", "command", "dlgo: Compare ways of playing board games"),
        ("experiments/cli/play.py", "option", "dlgo play --show-output: "),
        ("engines/alphazero/config.py", "setting", "sims | "),
        ("engines/base.py", "setting", "tables | "),
        ("dlgo/games/go/state.py", "setting", "komi | "),
        ("dlgo/specs.py", "error", "{what} sets {key} twice"),
        ("experiments/cli/listing.py", "print", "go9 is short for go:size=9"),
    }
    listed = messages()
    assert listed == sorted(listed)
    for path, kind, start in known:
        assert any(line[0] == path and line[2] == kind and line[3].startswith(start)
                   for line in listed), (path, kind, start)


def test_a_message_is_one_line_with_its_values_in_braces() -> None:
    source = """
def f(n):
    raise DlgoError(f"the board has {n:,} "
                    "cells") from None
    click.echo("yes" if n else "no")
    print(n)
"""
    assert list(in_source(source, "f.py")) == [
        ("f.py", 3, "error", "the board has {n} cells"), ("f.py", 5, "print", "yes | no"),
    ]


def test_the_command_writes_the_lines_of_one_folder(tmp_path) -> None:
    main(["--out", str(tmp_path / "messages.txt"), "--under", "dlgo/specs"],
         standalone_mode=False)
    lines = (tmp_path / "messages.txt").read_text().splitlines()
    assert lines and all(line.startswith("dlgo/specs.py:") for line in lines)
