"""The command line: a file a group of commands. Nothing else imports Typer or prints to the terminal."""
