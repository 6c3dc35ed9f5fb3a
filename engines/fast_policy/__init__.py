"""The fast policy: a linear softmax over small features of moves (Silver et al. 2016).

    policy.py     the weights: files, the policy, its chances
    training.py   learns the weights from recorded games, without TensorFlow
    rollout.py    rollouts by it, compiled: for any tree search
    engine.py     the engine `fast_policy`, which plays it alone
"""
