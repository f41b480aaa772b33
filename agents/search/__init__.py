"""What searches are made of: one module for each kind of part, and what all searches have in common.

A search puts together candidates (generators, `plug_ins.functions`), a rule of selection (`mcts.selection`), the
outcome of a round (`outcome`), playouts (`playout`, `foresight`), the values of leaves (`leaf_values`), what these are
worth (`worth`), the answer (`answers`), and its improvement (`agents.search.refining`).
"""
