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

#: Open connections, of all and of one address. Who has a seat or the table is never sent away for others.
MOST_CONNECTIONS = 200
MOST_CONNECTIONS_OF_ONE = 40
#: New connections of one address: at once, and in a second.
NEW_BURST = 100
NEW_PER_S = 20
#: And of all addresses from which nobody with a seat or the table has asked, together.
NEW_STRANGERS_BURST = 200
NEW_STRANGERS_PER_S = 100
MOST_KNOWN = 50

#: Requests of one address: at once and in a second. A page's files count a quarter.
REQUESTS_BURST = 120
REQUESTS_PER_S = 30
#: Requests of all who have no role, together.
STRANGERS_BURST = 300
STRANGERS_PER_S = 100
#: Changes, of one address.
CHANGES_BURST = 60
CHANGES_PER_S = 20
#: Live pages that one address opens.
SOCKETS_BURST = 60
SOCKETS_PER_S = 5
