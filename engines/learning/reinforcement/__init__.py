"""The parts that learners from their own games share, all but AlphaZero.

    config.py     the settings of a run
    learner.py    the loop: play, learn, test against random play
    portions.py   an iteration's games, played by worker processes or other machines
    policy.py     the base of learners of a policy
    losses.py     losses of policies and of action values, in Keras
    doctor.py     checks of a run

`engines/policy_gradient`, `actor_critic`, `q_learning`, `ppo`, `descent` and `ntuple` add the rest.
"""
