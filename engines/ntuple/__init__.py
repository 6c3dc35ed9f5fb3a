"""N-tuple networks: TD(lambda) by self-play (`learning.py`), and alpha-beta on their values."""
