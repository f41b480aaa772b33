"""PettingZoo: its tests of the interfaces and of seeds."""

from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test

from warlight_env import warlight_v0

for players in (2, 4):
    parallel_api_test(warlight_v0.parallel_env(map="small", players=players), num_cycles=300)
    api_test(warlight_v0.env(map="small", players=players), num_cycles=300)
    parallel_seed_test(lambda players=players: warlight_v0.parallel_env(map="small", players=players), num_cycles=50)
print("passed")
