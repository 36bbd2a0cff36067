"""The roles that can be opened on a page: the two seats, and the table they share."""

from __future__ import annotations

TABLE = "table"
ROLES = ("A", "B", TABLE)
