"""Looking inside a search: its events, the tree they make, and a picture of it."""
