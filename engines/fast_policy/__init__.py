"""The fast policy: a linear softmax over small features of moves (Silver et al. 2016).

    policy.py     weights, probabilities of moves, files
    training.py   training on recorded games, without TensorFlow
    rollout.py    compiled rollouts, for any tree search
    engine.py     the engine `fast_policy`, without a search
"""
