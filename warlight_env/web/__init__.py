"""Play, watch, replay and analyse games in the browser: a server on this machine, and replays as single files."""
