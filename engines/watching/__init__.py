"""Watching a search: its events, the tree they build, and a picture of the tree."""
