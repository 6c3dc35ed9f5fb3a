"""AlphaZero: a network and a tree search that teach each other (chapter 14 of the book).

    forest.py     many searches in lockstep, all their leaves evaluated in one call
    selfplay.py   games by those searches, as training data
"""
