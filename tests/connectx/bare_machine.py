"""A machine with Python and NumPy and nothing else, where an agent's file for ConnectX plays.

Run as `python -I bare_machine.py FILE` by `test_connectx.py`. Each line of standard input is a
JSON list of observation and configuration; each line of the output is what the agent answers
and its seconds. What the project calls is not imported, and cannot be.
"""

from __future__ import annotations

import json
import sys
import time
import types


class OnlyNumpy:
    """Refuses to import what such a machine does not have."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        package = name.partition(".")[0]
        if package != "numpy" and package not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"no module named {name}: this machine is bare", name=name)


class Struct(dict):
    """Entries are attributes."""

    def __init__(self, entries: dict) -> None:
        super().__init__(entries)
        self.__dict__.update(entries)


def main() -> None:
    """Answer until the input ends."""
    sys.meta_path.insert(0, OnlyNumpy())
    try:
        import dlgo  # noqa: F401
    except ModuleNotFoundError:
        pass
    else:
        sys.exit("this machine is not bare")
    names: dict = {}
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123
        exec(compile(file.read(), sys.argv[1], "exec"), names)
    # Its clock counts CPU seconds, so that it thinks as long beside others.
    names["time"] = types.SimpleNamespace(perf_counter=time.process_time)
    agent = [value for value in names.values() if callable(value)][-1]
    for line in sys.stdin:
        observation, configuration = map(Struct, json.loads(line))
        start = time.process_time()
        column = agent(observation, configuration)
        print(json.dumps([column, time.process_time() - start]), flush=True)


if __name__ == "__main__":
    main()
