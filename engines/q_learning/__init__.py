"""Q-learning: what is a move worth? Learned from games, and the best one played (chapter 11).

    textbook.py   the method in plain Python and NumPy, to be read
    trainer.py    `dlgo train q_learning`
    engine.py     the engine that plays what was learned
"""
