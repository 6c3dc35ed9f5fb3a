"""The inside of a process that runs other people's code: it answers requests, one at a time.

Requests are pickled tuples `(name, *arguments)`, because the client is trusted. Answers are JSON,
because the client must not trust anything that the code in this process writes. Before an answer,
events may come, such as `{"cell": "ko.ipynb, cell 2"}`.

`host.py` answers for an engine, `answer.py` for the functions of a file.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
from collections.abc import Callable
from typing import Any

from engines.programs.framing import read_frame, write_frame


class Server:
    """Our end of the two pipes. What the code prints goes to the descriptor `printed`, not between
    our answers; None: it is dropped."""

    def __init__(self, printed: int | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the client decides when this process ends
        self.requests, self.answers = os.dup(0), os.dup(1)
        self.pid = os.getpid()  # a copy of us that the code has made ends instead of answering
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null if printed is None else printed, 1)

    def tell(self, message: dict[str, Any]) -> None:
        """Write an event or an answer."""
        write_frame(self.answers, json.dumps(message, default=float).encode())

    def read(self) -> Any:
        """The next request. Ends this process if there are no more."""
        message = read_frame(self.requests)
        if message is None:
            os._exit(0)  # threads that the code has left behind are not waited for
        return pickle.loads(message)

    def run(self, answer: Callable[..., dict[str, Any]]) -> None:
        """Say that we are ready, then answer requests until there are no more."""
        self.tell({"pid": self.pid})
        while True:
            reply = answer(*self.read())
            if os.getpid() != self.pid:
                os._exit(0)
            self.tell(reply)
