"""The same work on many machines, by Ray: docs/cluster.md.

`connection.py` joins the cluster and starts tasks; `jobs.py` hands them out, `dispatcher.py` counts
every result once; `inside.py` runs in them, `parcels.py` has the files that travel. Ray is imported
when a cluster is asked for.
"""
