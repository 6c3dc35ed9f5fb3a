"""What all learners share that learn from games of their own policy, without a search.

    config.py     the settings of a run
    learner.py    the loop: play, learn, test against random play
    portions.py   an iteration's games, played by worker processes or other machines
    policy.py     what learners of a policy have in common
    losses.py     what makes an action likelier or less likely, in Keras
    doctor.py     what is wrong with such a run

`engines/policy_gradient`, `actor_critic`, `q_learning` and `ppo` say what is special to each.
"""
