"""Neural networks: how they are built, trained, kept on disk, and asked while a game is played.

To build and train one, in Keras:

    catalog.py         names and options of architectures, heads, optimisers, schedules (no Keras)
    architectures.py   the architectures
    optimizers.py      optimisers, learning-rate schedules, losses
    trainable.py       a network in training, the same for all learners
    averaging.py       the mean of several networks of a run
    precision.py       whether this machine trains faster in bfloat16
    backend.py         Keras itself, and what differs between its backends

To keep one:

    card.py            what is known of a trained network (no Keras)
    store.py           finds and reads a model's folder (no Keras)
    saving.py          writes one, and checks what was written
    quantization.py    adds the network in eight bits (with the package `onnx`)

To ask one, without Keras unless it is asked for by name:

    runtimes.py        planes in, answers by name out: ONNX Runtime, OpenVINO, Keras
    dense.py           networks of dense layers alone, compiled
    fastest.py         which runtime is fastest on this machine
    measured.py        what was measured on this machine, kept in the folder of caches
    self_play_positions.py  positions of a network's games, and how far answers about them differ
    parallel.py        one network, asked by several threads
    answer_cache.py    answers that a network has given in this game
    leaf_evaluator.py  a network in the tree search
"""
