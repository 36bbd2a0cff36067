"""How often: token buckets, one or one for each address. Pure."""

from __future__ import annotations


class Bucket:
    """A token bucket: `burst` at once, then `per_s` a second. Times are monotonic seconds, given by the caller."""

    def __init__(self, per_s: float, burst: float) -> None:
        self._per_s = per_s
        self._burst = burst
        self._level = burst
        self._at_s: float | None = None

    def _fill(self, now_s: float) -> None:
        if self._at_s is not None:
            self._level = min(self._burst, self._level + (now_s - self._at_s) * self._per_s)
        self._at_s = now_s

    def has(self, now_s: float, cost: float = 1) -> bool:
        """Whether so much could be taken."""
        self._fill(now_s)
        return self._level >= cost

    def take(self, now_s: float, cost: float = 1) -> bool:
        """Take so much, if it is there."""
        if not self.has(now_s, cost):
            return False
        self._level -= cost
        return True


class Buckets:
    """A bucket for each address; the least lately used are forgotten, so that nobody can fill the memory."""

    def __init__(self, per_s: float, burst: float, most: int = 1000) -> None:
        self._per_s = per_s
        self._burst = burst
        self._most = most
        self._buckets: dict[str, Bucket] = {}

    def of(self, address: str) -> Bucket:
        """The bucket of one address."""
        bucket = self._buckets.pop(address, None) or Bucket(self._per_s, self._burst)
        self._buckets[address] = bucket
        while len(self._buckets) > self._most:
            del self._buckets[next(iter(self._buckets))]
        return bucket
