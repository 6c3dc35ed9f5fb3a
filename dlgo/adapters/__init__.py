"""The games in other libraries' shapes, for agents that know only those. See docs/vector.md."""
