"""Child processes of the server: bots, analysis, and long work on logs and maps.

Imported by `web.games` and `web.http`. To add long work, add a task to `worker_tasks`.
"""
