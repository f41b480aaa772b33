"""Maps that users draw on the page: validation and storage."""
