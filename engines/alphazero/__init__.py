"""AlphaZero: a network and a tree search that teach each other (chapter 14 of the book).

`self_play.py` makes games from a network, `train.py` is the loop, `engine.py` plays with what was
learned. `textbook.py` and `textbook_training.py` are the same in plain Python, to be read.
"""
