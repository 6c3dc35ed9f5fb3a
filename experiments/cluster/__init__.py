"""The same work on many machines, by Ray: docs/cluster.md.

`connection.py` joins the cluster and starts tasks; `jobs.py` hands them out; `inside.py` is what
runs in them; `dispatcher.py` counts every result once. Ray is imported when a cluster is asked for.
"""
