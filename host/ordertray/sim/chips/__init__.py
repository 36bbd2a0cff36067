"""Simulated reader chips and tags. They model the chips' manuals and answer SPI bytes; they know no driver.

They run on CPython and on MicroPython (the simulated board lives inside the interpreter). Time comes from an injected
clock with `ticks_us()`, `ticks_diff(later, earlier)`, `ticks_add(ticks, delta)`; a chip works out what happened since
it was last touched, so nothing runs in the background.

Use::

    pad = Pad()                              # where tags lie
    chip = make_chip("pn532", pad, clock)    # or "mfrc522"
    chip.select(); reply = chip.exchange(b"\\x40"); chip.deselect()    # bytes as on the wire, full duplex
    chip.reset(level); chip.irq()            # RSTPDN / NRSTPD; True while the interrupt line is pulled low
    chip.fault("hang"); chip.fault("hang", on=False); chip.faults()    # names and help of every fault
    pad.put(make_tag("ntag213", uid="04A1B2C3D4E5F6")); pad.take(uid=None)

    bus = SimulatedBus(chip, clock)          # the `Bus` protocol of ordertray_firmware.readers, ready for a driver
"""
