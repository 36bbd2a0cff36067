"""`python -m ordertray` is `ordertray`."""

from .commands.main import main

main()
