"""Proximal policy optimisation: actor-critic in larger, safer steps (Schulman et al. 2017).

    trainer.py    `dlgo train ppo`
    engine.py     the engine that plays what was learned
"""
