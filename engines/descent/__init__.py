"""Descent: unbounded best-first minimax with a value network (Cohen-Solal 2020).

    textbook.py    both searches and the learning loop in plain Python, to be read
    kernels.py     the compiled search
    search.py      many searches side by side; a search that follows a game
    self_play.py   games, whose search trees are the training data
    trainer.py     `dlgo train descent`
    engine.py      the engine that plays
"""
