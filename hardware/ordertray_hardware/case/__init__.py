"""The tray's case: parameters, parts, what has to fit in them, and the checks before printing."""
