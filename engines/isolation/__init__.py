"""External engines in separate processes, isolated from opponents and the referee."""
