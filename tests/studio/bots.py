"""Engines from outside for the studio's tests: most of them fail in a way of their own."""

import os
import time


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
