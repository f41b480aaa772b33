"""The fuzzing home: damaged and invented inputs of every kind, against everything that reads what others made."""
