"""What trainers of weights share: genes, compiled games, and the final match."""
