"""AlphaZero: a network that learns from a tree search in games against itself (chapter 14).

`train.py` is the loop, `self_play.py` plays the games, and `engine.py` plays with the network.
`textbook.py` and `textbook_training.py` are search and training in plain Python.
"""
