"""One game between agents: seats, questions, budgets, and observers.

Imported by the other packages of `arena`. Add what happens in a single game.
"""
