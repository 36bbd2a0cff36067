"""Draws shaded pictures of triangle meshes with an orthographic depth buffer and inked edges. No screen needed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

_OVERSAMPLE: Final = 2
_LIGHT: Final = np.array([0.35, -0.45, 0.82]) / np.linalg.norm([0.35, -0.45, 0.82])


@dataclass(frozen=True, slots=True)
class Model:
    """Triangles (n, 3, 3) in mm and their colour."""

    triangles: Any
    colour: tuple[int, int, int]


def render(
    models: Sequence[Model], path: Path, *, width: int = 1000, azimuth_deg: float = -62, elevation_deg: float = 38
) -> None:
    """Draw `models` seen from a direction into a PNG of 64 colours, as high as the view needs."""
    azimuth, elevation = np.radians(azimuth_deg), np.radians(elevation_deg)
    ca, sa, ce, se = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
    view = np.array([[-sa, ca, 0], [-ca * se, -sa * se, ce], [ca * ce, sa * ce, se]])
    world = np.concatenate([model.triangles for model in models])
    colours = np.concatenate([np.tile(np.array(m.colour, float), (len(m.triangles), 1)) for m in models])
    normals = np.cross(world[:, 1] - world[:, 0], world[:, 2] - world[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    seen = world @ view.T
    front = (normals @ view[2]) > 0
    seen, normals, colours = seen[front], normals[front], colours[front]
    low, high = seen[..., :2].min((0, 1)), seen[..., :2].max((0, 1))
    scale = width * _OVERSAMPLE * 0.94 / (high[0] - low[0])
    columns = width * _OVERSAMPLE
    rows = int((high[1] - low[1]) * scale / 0.94) // _OVERSAMPLE * _OVERSAMPLE
    seen[..., 0] = (seen[..., 0] - (low[0] + high[0]) / 2) * scale + columns / 2
    seen[..., 1] = rows / 2 - (seen[..., 1] - (low[1] + high[1]) / 2) * scale
    depth = np.full((rows, columns), -1e9)
    owner = np.full((rows, columns), -1, np.int32)
    for index, triangle in enumerate(seen):
        _fill(depth, owner, triangle, index)
    shade = 0.45 + 0.55 * np.clip(normals @ _LIGHT, 0, 1)
    lit = np.vstack([colours * shade[:, None], [255, 255, 255]])
    picture = lit[owner]
    picture[_edges(depth, owner, normals, scale)] *= 0.55
    image = Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))
    small = image.resize((columns // _OVERSAMPLE, rows // _OVERSAMPLE), Image.Resampling.LANCZOS)
    small.quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)


def _fill(depth: Any, owner: Any, triangle: Any, index: int) -> None:
    rows, columns = depth.shape
    x0, y0 = np.maximum(np.floor(triangle[:, :2].min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(triangle[:, :2].max(0)).astype(int) + 1, (columns, rows))
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    area = (by - cy) * (ax - cx) + (cx - bx) * (ay - cy)
    if x1 <= x0 or y1 <= y0 or abs(area) < 1e-9:
        return
    y, x = np.mgrid[y0:y1, x0:x1]
    u = ((by - cy) * (x - cx) + (cx - bx) * (y - cy)) / area
    v = ((cy - ay) * (x - cx) + (ax - cx) * (y - cy)) / area
    z = u * az + v * bz + (1 - u - v) * cz
    window = (slice(y0, y1), slice(x0, x1))
    nearer = (u >= -1e-6) & (v >= -1e-6) & (u + v <= 1 + 1e-6) & (z > depth[window])
    depth[window][nearer] = z[nearer]
    owner[window][nearer] = index


def _edges(depth: Any, owner: Any, normals: Any, scale: float) -> Any:
    """Where neighbouring pixels lie on different faces or at different depths."""
    padded = np.vstack([normals, [0, 0, 0]])[owner]
    edge = np.zeros(depth.shape, bool)
    for axis in (0, 1):
        near = np.abs(np.diff(depth, axis=axis)) > 6 * max(1.0, scale / 4) / scale
        bent = np.einsum("ijk,ijk->ij", *(np.take(padded, range(s, padded.shape[axis] - 1 + s), axis) for s in (0, 1)))
        line = near | (bent < 0.8)
        window = (slice(0, line.shape[0]), slice(0, line.shape[1]))
        edge[window] |= line & ~((owner[window] < 0) & (bent == 0) & ~near)
    return edge
