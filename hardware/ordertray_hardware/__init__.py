"""The order tray's hardware as code: circuits, boards, wiring, bill of materials, case.

Three kinds of module live here:

* tables and arithmetic in plain Python (`pins`, `circuit`, `tray_board`, `button_board`, `lamp_board`,
  `electrical`, `catalogue`, `bill`, `wiring`): importable anywhere, tested everywhere;
* modules that drive a tool (`schematic`, `layout`, `fabrication`, `pictures`): they need KiCad 9;
* `case/`: needs build123d.

`python -m ordertray_hardware` builds everything into `build/hardware`.
"""
