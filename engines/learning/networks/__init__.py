"""Neural networks: build, train, store and evaluate them.

To build and train a network, in Keras: `catalog.py` (names and options of architectures, heads,
optimisers, schedules; no Keras), `architectures.py`, `optimizers.py`, `trainable.py` (a network in
training, for all learners), `backend.py` (Keras itself).

To keep one: `card.py` (its description), `store.py` (finds and reads a model's folder), `saving.py`
(writes one, and checks what was written), `quantization.py` (eight bits).

To ask one, without Keras: `runtimes.py` (planes in, answers by name out), `dense.py` (networks of
dense layers alone, compiled), `leaf_evaluator.py` (a network in the tree search) and
`answer_cache.py` (its answers in the current game).
"""
