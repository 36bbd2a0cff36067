"""What the page takes from strangers, and what it keeps for the seats. One place, so that the sums can be seen.

The process has its share of descriptors (`ulimit -n`, usually 1,024); the page is given a part of it, so that however
many come, the trays, the record and the log have theirs.
"""

from __future__ import annotations

#: A real roster has 4 kB.
MOST_ROSTER = 64_000
#: A roster in JSON, each of its characters escaped.
MOST_ROSTER_BYTES = 6 * MOST_ROSTER + 1000
#: Nothing else is as large.
MOST_BYTES = 16 * 1024

#: Open connections, of all and of one address. Of the first, some are kept for those who have a seat or the table.
MOST_CONNECTIONS = 200
MOST_CONNECTIONS_OF_ONE = 40
KEPT_FOR_ROLES = 40
#: Live pages, of all and of one address; so many places are kept for seats and table.
MOST_PAGES = 150
MOST_PAGES_OF_ONE = 30
