"""A game looked at again by an engine: what positions were worth, which moves were mistakes."""
