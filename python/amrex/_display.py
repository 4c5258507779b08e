# SPDX-FileCopyrightText: 2026 The zerofab developers
# SPDX-License-Identifier: BSD-3-Clause
"""Small drawings of boxes for notebooks: what ``_repr_html_`` returns."""

from collections.abc import Sequence
from html import escape

Corner = Sequence[int]

WIDTH = 240.0  # of a drawing, in pixels
MARGIN = 4.0
MOST = 400  # boxes drawn; more would only be a grey area
TILT = (0.35, 0.25)  # how far one step along z goes to the right and up


def boxes_html(title: str, boxes: Sequence[tuple[Corner, Corner]]) -> str:
    """A line of text and a drawing of boxes, given as (low corner, high corner), ends included."""
    more = f" (the first {MOST} are drawn)" if len(boxes) > MOST else ""
    return f"<div><code>{escape(title + more)}</code><br>{boxes_svg(boxes)}</div>"


def boxes_svg(boxes: Sequence[tuple[Corner, Corner]]) -> str:
    """An inline SVG of boxes in one, two or three dimensions, all at one scale; empty boxes are left out."""
    shapes = [
        _faces([float(x) for x in lo], [x + 1.0 for x in hi])
        for lo, hi in boxes[:MOST]
        if all(h >= low for low, h in zip(lo, hi, strict=True))
    ]
    points = [point for faces in shapes for face in faces for point in face]
    if not points:
        return "<svg width='1' height='1'></svg>"
    x0, x1 = min(p[0] for p in points), max(p[0] for p in points)
    y0, y1 = min(p[1] for p in points), max(p[1] for p in points)
    scale = (WIDTH - 2 * MARGIN) / max(x1 - x0, y1 - y0)
    width, height = (x1 - x0) * scale + 2 * MARGIN, (y1 - y0) * scale + 2 * MARGIN

    def place(point: tuple[float, float]) -> str:
        return f"{MARGIN + (point[0] - x0) * scale:.1f},{MARGIN + (y1 - point[1]) * scale:.1f}"

    polygons = "".join(f"<polygon points='{' '.join(map(place, face))}'/>" for faces in shapes for face in faces)
    return (
        f"<svg width='{width:.0f}' height='{height:.0f}' fill='#4c78a8' fill-opacity='0.25' "
        f"stroke='#1f3a57' stroke-width='1'>{polygons}</svg>"
    )


def _faces(lo: list[float], hi: list[float]) -> list[list[tuple[float, float]]]:
    """The visible faces of one box as flat polygons: one in 1D and 2D, three in 3D."""
    if len(lo) == 1:  # a bar whose height does not depend on its length
        height = (hi[0] - lo[0]) / 8
        return [[(lo[0], 0.0), (hi[0], 0.0), (hi[0], height), (lo[0], height)]]
    z0, z1 = (lo[2], hi[2]) if len(lo) == 3 else (0.0, 0.0)

    def flat(x: float, y: float, z: float) -> tuple[float, float]:
        return (x + TILT[0] * z, y + TILT[1] * z)

    front = [
        flat(lo[0], lo[1], z0),
        flat(hi[0], lo[1], z0),
        flat(hi[0], hi[1], z0),
        flat(lo[0], hi[1], z0),
    ]
    if len(lo) == 2:
        return [front]
    top = [front[3], front[2], flat(hi[0], hi[1], z1), flat(lo[0], hi[1], z1)]
    side = [front[1], flat(hi[0], lo[1], z1), flat(hi[0], hi[1], z1), front[2]]
    return [front, top, side]
