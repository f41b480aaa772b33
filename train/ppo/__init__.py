"""What trainers by PPO share: iterations, opponents, checkpoints and the report."""
