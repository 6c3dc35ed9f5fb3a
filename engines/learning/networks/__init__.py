"""Neural networks: architectures, training, models on disk, evaluators.

    catalog.py        names and options of architectures, optimisers, schedules (no Keras)
    architectures.py  the architectures, in Keras
    optimizers.py     optimisers, learning-rate schedules, losses, in Keras
    card.py           what is known of a trained network (no Keras)
    store.py          a trained network on disk
    saving.py         writes one, in Keras
    runtimes.py       planes in, answers by name out: ONNX Runtime, OpenVINO, Keras
    leaf_evaluator.py a network in the tree search

Playing needs `card`, `store`, `runtimes` and `leaf_evaluator`, and imports neither Keras nor
TensorFlow.
"""
