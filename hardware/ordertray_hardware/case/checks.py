"""Checks of the case before anybody prints it: fit, watertight meshes, overhangs, walls, stray light.

Needs build123d for the fit and trimesh for the meshes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import manifold3d
import numpy as np
import trimesh
from scipy.spatial import ConvexHull, QhullError

from ordertray_hardware.case.parameters import ROWS, STRIP_PIXELS, CaseParameters

SAMPLES: Final = 30000
_BED_CONTACT_MM: Final = 0.05


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two things that want the same room."""

    one: str
    other: str
    volume_mm3: float


class Body:
    """A thing as a set of closed meshes, for quick interference volumes."""

    def __init__(self, name: str, shape: Any) -> None:
        """Triangulate every solid of `shape`. Raises ValueError if one is not closed."""
        self.name = name
        self.pieces = [_manifold(name, mesh_of(solid)) for solid in shape.solids()]
        boxes = np.array([piece.bounding_box() for piece in self.pieces])
        self.low, self.high = boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)

    def shared_mm3(self, other: "Body") -> float:
        """Volume of the room that both take."""
        if (self.low >= other.high).any() or (other.low >= self.high).any():
            return 0.0
        return float(sum((one ^ another).volume() for one in self.pieces for another in other.pieces))


def _manifold(name: str, mesh: trimesh.Trimesh) -> Any:
    made = manifold3d.Manifold(
        manifold3d.Mesh(np.asarray(mesh.vertices, np.float32), np.asarray(mesh.faces, np.uint32))
    )  # fmt: skip
    if made.status() != manifold3d.Error.NoError or made.volume() <= 0:
        raise ValueError(f"{name}: not a closed solid ({made.status()})")
    return made


def overlaps(things: Sequence[Body], others: Sequence[Body]) -> list[Overlap]:
    """Every pair of a thing and another that share room, with the shared volume in cubic millimetres."""
    return [
        Overlap(one.name, other.name, round(volume, 3))
        for one in things
        for other in others
        if one is not other and (volume := one.shared_mm3(other)) > 0
    ]


def mesh_of(shape: Any, tolerance_mm: float = 0.05, angle: float = 0.3) -> trimesh.Trimesh:
    """Triangulate a shape: no farther from it than a distance and an angle (radians)."""
    vertices, faces = shape.tessellate(tolerance_mm, angle)
    points = np.array([(vertex.X, vertex.Y, vertex.Z) for vertex in vertices])
    mesh = trimesh.Trimesh(points, np.array(faces), process=True)
    mesh.merge_vertices(digits_vertex=5)
    mesh.update_faces(mesh.nondegenerate_faces())
    return mesh


@dataclass(frozen=True, slots=True)
class Overhang:
    """A patch of surface that hangs over nothing: where, and the width that has to be bridged."""

    place: tuple[float, float, float]
    bridge_mm: float
    sloping: bool


def overhangs(mesh: trimesh.Trimesh, steepest_deg: float) -> list[Overhang]:
    """Every patch above the bed that leans out further than `steepest_deg` from upright; mesh as it is printed."""
    limit = -np.sin(np.radians(steepest_deg)) - 1e-4
    floor = mesh.bounds[0][2] + _BED_CONTACT_MM
    hanging = (mesh.face_normals[:, 2] < limit) & (mesh.triangles[:, :, 2].min(axis=1) > floor)
    faces = np.flatnonzero(hanging)
    if not len(faces):
        return []
    adjacency = mesh.face_adjacency[hanging[mesh.face_adjacency].all(axis=1)]
    found = []
    for group in trimesh.graph.connected_components(adjacency, nodes=faces):
        points = mesh.triangles[group].reshape(-1, 3)
        sloping = bool(np.ptp(points[:, 2]) > 0.05)
        middle = points.mean(axis=0)
        place = (round(float(middle[0]), 1), round(float(middle[1]), 1), round(float(middle[2]), 1))
        found.append(Overhang(place, round(_narrow_side(points[:, :2]), 2), sloping))
    return found


def _narrow_side(points: Any) -> float:
    """Short side of the smallest rectangle around points in the plane."""
    try:
        hull = points[ConvexHull(points).vertices]
    except QhullError:
        return 0.0
    best = np.inf
    for start, end in zip(hull, np.roll(hull, -1, axis=0), strict=True):
        along = (end - start) / max(np.hypot(*(end - start)), 1e-9)
        across = hull @ np.array((-along[1], along[0]))
        lengthwise = hull @ along
        best = min(best, min(np.ptp(across), np.ptp(lengthwise)))
    return float(best)


def thinnest_wall(
    mesh: trimesh.Trimesh, below_z: float = float("inf"), samples: int = SAMPLES
) -> tuple[float, tuple[float, float, float]]:
    """Smallest distance between two opposite faces, and where: rays from points all over the surface inwards.

    What lies above `below_z` is left out: engraved letters are texture, the ribs between their strokes carry nothing.
    """
    points, faces = trimesh.sample.sample_surface(mesh, samples, seed=1)
    kept = points[:, 2] < below_z
    points, faces = points[kept], faces[kept]
    normals = mesh.face_normals[faces]
    starts = points - normals * 1e-4
    hits, rays, targets = mesh.ray.intersects_location(starts, -normals, multiple_hits=False)
    facing = np.einsum("ij,ij->i", normals[rays], mesh.face_normals[targets]) < -0.9
    distances = np.linalg.norm(hits - starts[rays], axis=1)[facing]
    if not len(distances):
        return float("inf"), (0.0, 0.0, 0.0)
    index = int(distances.argmin())
    place = points[rays[facing][index]]
    return float(distances[index]), (round(float(place[0]), 1), round(float(place[1]), 1), round(float(place[2]), 1))


def stray_light(lid: trimesh.Trimesh, p: CaseParameters) -> tuple[float, float]:
    """Share of straight lines from side A's pixels that reach their own field, and any neighbour's, of the diffuser.

    Lines run from a grid on each pixel's face to a grid on each field; the lid is in the tray's place.
    """
    source_z = p.film_top + p.pixel_height
    target_z = p.height - p.diffuser - 0.01
    own: list[bool] = []
    foreign: list[bool] = []
    offsets = [(dx, dy) for dx in (-0.9, 0.0, 0.9) for dy in (-0.9, 0.0, 0.9)]
    starts, ends, belongs = [], [], []
    for index in range(ROWS * STRIP_PIXELS):
        x, y = p.pixel_place(index)
        for other in range(ROWS * STRIP_PIXELS):
            u, v = p.pixel_place(other)
            if abs(u - x) > 2.1 * p.pixel_pitch or abs(v - y) > 1.1 * p.row_pitch:
                continue
            for sx, sy in offsets:
                for tx, ty in offsets:
                    starts.append((x + sx * p.pixel_size / 2, y + sy * p.pixel_size / 2, source_z))
                    ends.append((u + tx * p.channel / 2, v + ty * p.channel / 2, target_z))
                    belongs.append(other == index)
    begin, finish = np.array(starts), np.array(ends)
    direction = finish - begin
    length = np.linalg.norm(direction, axis=1)
    hits, rays, _faces = lid.ray.intersects_location(begin, direction / length[:, None], multiple_hits=False)
    blocked = np.zeros(len(begin), bool)
    blocked[rays] = np.linalg.norm(hits - begin[rays], axis=1) < length[rays] - 1e-6
    for is_own, is_blocked in zip(belongs, blocked, strict=True):
        (own if is_own else foreign).append(not is_blocked)
    return sum(own) / len(own), sum(foreign) / len(foreign)


def names(pairs: Iterable[Overlap]) -> list[str]:
    """Readable overlaps."""
    return [f"{pair.one} and {pair.other} share {pair.volume_mm3:g} mm3" for pair in pairs]
