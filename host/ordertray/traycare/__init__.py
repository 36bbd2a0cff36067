"""Care of a tray: flashing its firmware, and its self-test."""
