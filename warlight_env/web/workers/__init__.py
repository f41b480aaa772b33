"""Child processes of the server: bots, analysis, and long work on logs and maps.

The packages `web.games` and `web.http` import this package. To add long work, add a task to `worker_tasks`.
"""
