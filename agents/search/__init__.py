"""Parts of searches: one module for each kind of part, and the code that all searches share.

A search combines candidates (generators, `plug_ins.functions`), a rule of selection (`mcts.selection`), the outcome of
a round (`outcome`), playouts (`playout`, `rollout_policy`), values of leaves (`leaf_values`, `utility`), the
answer (`final_move`), and its improvement (`local_search`).

This package is imported by `agents.players`. To add a part, write its kernel in the module of its kind and name it in
the module's table.
"""
