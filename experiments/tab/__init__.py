"""The studio without a server: a folder of files that any browser opens."""
