"""The server's HTTP interface: routes, request handling, and its command.

The module `web.export` and the package `cli` import this package. To add a route, write it in the module of its topic
and check its token in `dependencies`.
"""
