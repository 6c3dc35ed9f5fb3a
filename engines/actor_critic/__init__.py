"""Actor-critic: a policy learns from how much better a move went than expected (chapter 12).

    textbook.py   the method in plain Python and NumPy, to be read
    trainer.py    `dlgo train actor_critic`
    engine.py     the engine that plays what was learned
"""
