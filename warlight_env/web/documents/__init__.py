"""Data for the page: events that a viewer may see, drawings of maps, replays.

The packages `web.http`, `web.games` and others in `web` import this package. The module `fog_filter` filters all events
that a viewer receives.
"""
