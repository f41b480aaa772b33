"""One game between agents: who sits where, what each is asked and may spend, what is kept of it."""
