"""Q-learning: what is a move worth? Learned from games, and the best one played (chapter 11).

    trainer.py    `dlgo train q_learning`
    engine.py     the engine that plays what was learned
"""
