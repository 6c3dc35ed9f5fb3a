"""REINFORCE: moves of won games become likelier, those of lost games less likely (chapter 10).

    textbook.py   the method in plain Python and NumPy, to be read
    trainer.py    the same with Keras and a thousand games at once: `dlgo train policy_gradient`
    engine.py     the engine that plays what was learned
"""
