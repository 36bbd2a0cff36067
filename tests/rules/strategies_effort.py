"""How hard the property tests look: quick and repeatable by default, long and random on request.

`ORDERTRAY_HYPOTHESIS=thorough pytest tests/rules` tries some forty times as many examples, different ones each time;
`brief`, as `make check` has it, a fifth.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_WISH = os.environ.get("ORDERTRAY_HYPOTHESIS")
THOROUGH = _WISH == "thorough"
_FACTOR = {"thorough": 40.0, "brief": 0.2}.get(_WISH or "", 1.0)


def effort(examples: int, steps: int = 50) -> settings:
    """Settings of a property test: `examples` in the quick run; `steps` is the length of a state machine's run."""
    return settings(
        max_examples=max(2, round(examples * _FACTOR)),
        stateful_step_count=steps,
        derandomize=not THOROUGH,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
    )
