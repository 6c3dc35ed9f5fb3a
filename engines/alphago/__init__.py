"""AlphaGo: four networks and a search that uses them (chapter 13; Silver et al. 2016).

    textbook.py        the search in plain Python, to be read
    engine.py          the same, compiled: the engine `alphago`
    bundle.py          the folder with all parts of an AlphaGo
    value_games.py     games from which the value network learns, one position each
    config.py, pipeline.py   `dlgo train alphago`: all stages, one after another
"""
