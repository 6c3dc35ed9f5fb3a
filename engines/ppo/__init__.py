"""Proximal policy optimisation: actor-critic in larger, safer steps (Schulman et al. 2017).

    textbook.py   the method in plain Python and NumPy, to be read
    trainer.py    `dlgo train ppo`
    engine.py     the engine that plays what was learned
"""
