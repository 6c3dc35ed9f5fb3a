"""Neural networks: architectures, training, models on disk, evaluators.

    catalog.py        names and options of architectures, optimisers, schedules (no Keras)
    architectures.py  the architectures, in Keras
    optimizers.py     optimisers, learning-rate schedules, losses, in Keras
    card.py           what is known of a trained network (no Keras)
    store.py          a trained network on disk (Keras only to write one)
    evaluators.py     planes in, policy and value out: ONNX Runtime, OpenVINO, Keras
    leaf_evaluator.py a network in the tree search
    training.py       one loop for all that learns from records of games

Playing needs `card`, `store`, `evaluators` and `leaf_evaluator`, and imports neither Keras nor
TensorFlow.
"""
