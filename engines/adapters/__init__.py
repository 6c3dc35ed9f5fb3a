"""The engines in other libraries' shapes: opponents for agents from elsewhere. docs/vector.md."""
