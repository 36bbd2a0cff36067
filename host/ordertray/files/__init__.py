"""What all files of the user have in common: faults by their place, TOML tables, writing whole or not at all."""
