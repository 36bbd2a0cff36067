"""`python -m ordertray` is `ordertray`."""

from .cli import main

main()
