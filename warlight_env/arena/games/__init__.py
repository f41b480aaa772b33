"""One game between agents: seats, calls of the agents, budgets, and observers.

Imported by the other packages of `arena`. Add code for events of a single game here.
"""
