"""Data for the page: events that a viewer may see, drawings of maps, replays.

Imported by the packages of `web` above it. Everything that a viewer receives passes `fog_filter`.
"""
