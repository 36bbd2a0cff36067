"""What the rules say to each action: one module per part of the game, dispatched by `rules.judging`."""
