"""AlphaZero: a network and a tree search that teach each other (chapter 14 of the book).

    config.py     the settings of a run, with presets for each game
    settings.py   the settings of self-play
    run.py        the loop, and what is kept of it
    workers.py    the games of an iteration and of a match, in shares
    ahead.py      self-play that goes on while the network learns
    selfplay.py   games by searches in lockstep, as training data
    exact.py      exact results in place of those that self-play came to
    match.py      games between the new network and the one that plays
    learner.py    the network in training
    doctor.py     what is wrong with a run
    engine.py     the engine that plays with what was learned
"""
