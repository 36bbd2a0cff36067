"""What is seen: the state of a page and its parts, for each reader in each language."""
