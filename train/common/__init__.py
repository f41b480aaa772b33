"""What trainers share: settings, journal, steps, matches and reports."""
