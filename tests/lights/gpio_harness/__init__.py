"""The Pi without a Pi: the real RPi.GPIO extension on a model of its registers, and a model of the shift registers.

`build.py` makes both (never skipping: what cannot be built fails the tests with the reason), `player.py` is the child
process that lights lamps, `benches.py` gives the child and the recording fake one face, `register_log.py` and
`shift_register.py` read what happened at the pins.
"""
