"""Planning: building a turn from goals, such as the capture of a region. Each goal has a value and requires some
armies.

`agents.players` imports this package. To add a type of goal, compute its value in `goals` and the number of armies that
it needs in `turn`.
"""
