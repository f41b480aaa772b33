"""Components of searches, one module for each type of component, and the code that all searches share.

A search combines these components: candidate turns (generators, `plug_ins.functions`), a selection rule
(`mcts.selection`), the outcome of a round (`outcome`), playouts (`playout`, `rollout_policy`), values of leaves
(`leaves`, `simulation_utility`), the choice of the answer (`final_move`), and an improvement of the answer
(`local_search`).

`agents.players` imports this package. To add a component, write its kernel in the module of its type, and add it to the
module's table.
"""
