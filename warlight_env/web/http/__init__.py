"""The server's HTTP interface: routes, request handling, and the command that runs it."""
