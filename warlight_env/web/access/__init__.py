"""Authentication, origins, and limits on requests and connections.

The packages `web.http` and `web.games` import this package.
"""
