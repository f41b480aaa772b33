"""Tests of the bot. Run the tests with: python -m unittest"""

import unittest

from my_bot import MyBot

from warlight_env import Game
from warlight_env.arena import Match


class MyBotTest(unittest.TestCase):
    def test_its_orders_are_legal_and_deploy_all_armies(self):
        game = Game("small", seed=1, picks="random")
        bots = [MyBot(1), MyBot(2)]
        while game.winner is None and game.round < 20:
            turns = [bot.act(game.view(seat)) for seat, bot in enumerate(bots)]
            for seat, turn in enumerate(turns):
                self.assertEqual(sum(armies for _, armies in turn.deploys), game.view(seat).income)
            game.play_round(turns)  # raises an error for illegal orders

    def test_it_wins_most_games_against_a_random_bot(self):
        result = Match([MyBot, "random"], games=20, map="small", seed=1, paired=True).run()
        self.assertGreater(result.agents[0].wins, 10)


if __name__ == "__main__":
    unittest.main()
