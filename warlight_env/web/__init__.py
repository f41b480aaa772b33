"""The web server and the page for playing, watching, replaying and analysing games in the browser.

The package `cli` imports this package. Each subpackage imports only subpackages that come later in this list: `http`
and `export`, `games`, `workers`, `opponents`, `maps`, `storage`, `access` and `documents`.
"""
