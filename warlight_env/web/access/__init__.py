"""Authentication, origins, and limits on requests and connections.

Imported by `web.http` and `web.games`.
"""
