"""Data for the page: events that a viewer may see, drawings of maps, replays.

The packages `web.http`, `web.games` and others in `web` import this package. Everything that a viewer receives passes
`fog_filter`.
"""
