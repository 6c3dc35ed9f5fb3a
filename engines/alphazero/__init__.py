"""AlphaZero: a network and a tree search that teach each other (chapter 14 of the book).

    config.py     the settings of a run, with presets for each game
    settings.py   the settings of self-play, and former names of settings
    selfplay.py   games by searches in lockstep, as training data
    match.py      games between the new network and the one that plays, if that is asked for
    workers.py    what each worker process plays
    learner.py    the network in training
    run.py        the loop, and what is kept of it
    doctor.py     what is wrong with a run
    engine.py     the engine that plays with what was learned
"""
