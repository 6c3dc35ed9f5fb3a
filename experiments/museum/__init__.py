"""Published faults of such programs, planted in our textbook files; and what finds them elsewhere.

`planting.py` and `faults/` are the museum. `audit.py` is `dlgo audit`.
"""
