"""AlphaZero: a network and a tree search that teach each other (chapter 14 of the book).

    forest.py     many searches in lockstep, all their leaves evaluated in one call
    selfplay.py   games by those searches, as training data
    match.py      games between the new network and the one that plays, if that is asked for
    workers.py    a process a core that plays them
    learner.py    the network in training
    run.py        the loop, and what is kept of it
    plan.py       all its settings, with presets for each game
    doctor.py     what is wrong with a run (survey.py, doctor_network.py, checkup.py)
    engine.py     the engine that plays with what was learned
"""
