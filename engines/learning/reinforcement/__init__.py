"""What all learners share that learn from games of their own policy, without a search.

    config.py    the settings of a run
    losses.py    what makes an action likelier or less likely, in Keras
    network.py   the network in training: it plays, learns, and is written as a model
    pool.py      earlier selves, who play again as opponents
    learner.py   the loop: play, learn, test against random play
    doctor.py    what is wrong with such a run

`engines/policy_gradient`, `actor_critic`, `q_learning` and `ppo` say what is special to each.
"""
