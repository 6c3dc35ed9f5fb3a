"""A game looked at again by an engine: what each position was worth, and which moves were mistakes.

`game_review.py` asks the questions and judges the answers, and runs no engine itself: the console
(`dlgo analyze FILE`) and the studio's view both do that for it. `words.py` says what it found,
`export_sgf.py` writes it as comments and variations.
"""
