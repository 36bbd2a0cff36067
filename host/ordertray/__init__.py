"""The order tray: host side."""
