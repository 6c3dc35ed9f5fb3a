"""AlphaGo: three networks, a fast policy, and a search (chapter 13; Silver et al. 2016).

    textbook.py        the search in plain Python
    engine.py          the same, compiled: the engine `alphago`
    bundle.py          the model folder
    value_games.py     games for the value network, one position of each
    config.py, pipeline.py   settings and stages of `dlgo train alphago`
"""
