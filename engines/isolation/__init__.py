"""External engines, each in a process of its own."""
