"""`dlgo gtp`: our engines in other programs, over the Go Text Protocol.

`server.py` reads and answers lines, `session.py` holds the game and the engine, `clock.py` the
time. The commands are functions in `commands.py` and `analysis.py` (what the engine thinks, as it
thinks).
"""
