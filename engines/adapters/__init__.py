"""The engines in other libraries' shapes: opponents and players for agents from elsewhere.

See docs/baselines.md and docs/vector.md.
"""
