"""The page: play, watch, replay and analyse games in the browser.

Imported by `cli`. Its packages import only packages below them: `http` and `export`, `games`, `workers`, `opponents`,
`maps`, `storage`, `access` and `documents`.
"""
