"""Who may ask: addresses, sessions and roles, the endpoints, the server."""
