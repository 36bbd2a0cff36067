"""The running table: trays, rules, record and lamps joined, its configuration, and a clean end."""
