"""Games on the server: their loop, the commands of players, and the events for viewers.

Imported by `web.http`. To add a command, extend `turn_commands` and its route.
"""
