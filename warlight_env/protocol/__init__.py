"""The text protocol of the Warlight AI Challenges: bots in processes of their own, and our agents as such bots."""
