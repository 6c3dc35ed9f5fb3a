"""`dlgo ogs`: an engine as a player on OGS, the Online Go Server (appendix E of the book).

The server speaks its own protocol, JSON over a WebSocket, not GTP; `protocol.py` has its grammar.
Games follow our rules, engines have processes of their own, and all that must outlive this
program is on the server.
"""
