"""The server's HTTP interface: routes, request handling, and its command.

Imported by `web.export` and `cli`. To add a route, write it in the module of its topic and check its token in
`dependencies`.
"""
