"""Games as plain data for the page: events that a viewer may see, drawings of maps, replays."""
