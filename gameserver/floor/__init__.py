"""One task a table: inbox, receive, store, views, mail. The only loop of the server.

What stands above (connections) and beside it (the store) comes in as the ports of `ports`.
"""
