"""What guards the server: tokens, origins, and limits of requests and connections."""
