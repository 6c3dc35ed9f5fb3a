"""The same work on many machines, by Ray: docs/cluster.md.

`dispatcher.py` decides who does what, and counts every result once; `agent.py` is what runs on each
machine; `crew.py` keeps the agents, and passes work and results. Only `crew.py` and `agent.py` know
Ray, and they import it when a cluster is asked for.
"""
