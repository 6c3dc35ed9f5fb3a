"""Neural networks: architectures, training, models on disk, evaluators.

    catalog.py        names and options of architectures, optimisers, schedules (no Keras)
    architectures.py  the architectures, in Keras
    optimizers.py     optimisers, learning-rate schedules, losses, in Keras
    card.py           what is known of a trained network (no Keras)
    store.py          a trained network on disk
    saving.py         writes one, in Keras
    runtimes.py       planes in, answers by name out: ONNX Runtime, OpenVINO, Keras
    quantization.py   a network in eight bits
    own_positions.py  positions of a network's own play, and how far answers about them differ
    fastest.py        which runtime is fastest on this machine
    leaf_evaluator.py a network in the tree search

All but architectures, optimisers, training and saving run without Keras and TensorFlow; quantising
needs the package `onnx`.
"""
