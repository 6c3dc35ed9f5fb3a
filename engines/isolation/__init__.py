"""Engines from outside in processes of their own, apart from their opponents and the referee."""
