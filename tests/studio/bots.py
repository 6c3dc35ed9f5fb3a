"""Engines from outside for the studio's tests: most of them fail in a way of their own."""

import os
import time
from pathlib import Path


class Crasher:
    def select_move(self, state):
        raise ZeroDivisionError("one over nothing")


class Hanger:
    def select_move(self, state):
        while True:
            time.sleep(1)


class Leaver:
    def select_move(self, state):
        os._exit(3)


class Cheater:
    def select_move(self, state):
        return state.moves()[-1]


class Broken:
    def __init__(self):
        raise RuntimeError("not today")

    def select_move(self, state):
        return state.legal_moves()[0]


class First:
    def select_move(self, state):
        return state.legal_moves()[0]


class Patient:
    """Waits as long as all files are there that a test has named."""

    def select_move(self, state):
        files = os.environ.get("DLGO_TEST_HOLD", "").split()
        while files and all(Path(file).exists() for file in files):
            time.sleep(0.02)
        return state.legal_moves()[0]
