"""SVG charts, styled by the page so that they fit light and dark mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from trainer.contract.plots import Confusion, Distributions, ScatterPlot, ThresholdCurves
from trainer.reports.markup import Child, Markup, join, tag

# The number of colors of the style; further series repeat them with another mark.
COLOURS = 12

_LETTER, _CAPITAL = 6.2, 8.2  # average width of a letter of a label
_LETTERS = 26  # maximum length of a label; longer ones are truncated
_LETTERS_OF_A_LINE = 46
_CORNER = 78.0  # width of the text that explains rows and columns of a confusion matrix
# From this share on a cell is dark enough for text in the page's background color.
_FILLED = 0.7
_TENTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Bar:
    """A bar: a share from 0 to 1 with its interval and, as a mark, the paper's number."""

    label: str
    series: int
    value: float
    low: float | None = None
    high: float | None = None
    paper: float | None = None


def bars(groups: Sequence[tuple[str, Sequence[Bar]]], title: str) -> Markup:
    """Horizontal bars from 0 to 100, with a title above each group."""
    names = [_short(bar.label, _LETTERS) for _, members in groups for bar in members]
    left, right, top, thick = 12 + _widest(names), 50.0, 18.0, 16.0
    width = 480.0
    span, y = width - left - right, top
    parts: list[Markup] = []
    for name, members in groups:
        parts.append(_label(0, y + 13, name, class_="strong"))
        y += 20
        for bar in members:
            parts.append(_bar(bar, left, y, span, thick))
            y += thick + 4
        y += 8
    grid = [
        join(
            tag("line", x1=left + at * span, x2=left + at * span, y1=top, y2=y, class_="grid"),
            _label(left + at * span, 11, f"{100 * at:.0f}", text_anchor="middle"),
        )
        for at in _TENTHS
    ]
    return _svg(width, y, title, grid, parts)


def _bar(bar: Bar, left: float, y: float, span: float, thick: float) -> Markup:
    middle, end = y + thick / 2, left + max(0.0, min(1.0, bar.value)) * span
    parts = [
        _label(left - 8, middle + 4, _short(bar.label, _LETTERS), text_anchor="end"),
        tag("rect", x=left, y=y, width=end - left, height=thick, class_=f"f{_colour(bar.series)}"),
        # Not at the bar's end, where a paper's mark may be.
        _label(left + span + 8, middle + 4, f"{100 * bar.value:.2f}", class_="off"),
    ]
    description = f"{bar.label}: {100 * bar.value:.2f}"
    if bar.low is not None and bar.high is not None:
        description += f" (95% CI: {100 * bar.low:.2f} to {100 * bar.high:.2f})"
        ends = [left + bar.low * span, left + bar.high * span]
        parts.append(tag("line", x1=ends[0], x2=ends[1], y1=middle, y2=middle, class_="ink"))
        parts += [tag("line", x1=x, x2=x, y1=middle - 4, y2=middle + 4, class_="ink") for x in ends]
    if bar.paper is not None:
        description += f"; paper: {100 * bar.paper:.2f}"
        x, half = left + bar.paper * span, thick / 2 + 1
        mark = f"M{x:.1f} {y - 1:.1f}l5 {half:g}l-5 {half:g}l-5 {-half:g}z"
        parts.append(tag("path", d=mark, class_="paper"))
    return tag("g", tag("title", description), parts)


@dataclass(frozen=True)
class Gap:
    """A difference of two shares with its interval; `better` is the better series, if any."""

    label: str
    value: float
    low: float | None
    high: float | None
    better: int | None


def gaps(found: Sequence[Gap], title: str) -> Markup:
    """Differences around zero, one line each: left of it the first model is higher."""
    left = 12 + _widest([_short(gap.label, _LETTERS_OF_A_LINE) for gap in found])
    top, step, span, right = 18.0, 20.0, 320.0, 58.0
    ends = [abs(end) for gap in found for end in (gap.value, gap.low, gap.high) if end is not None]
    most = max(ends) or 0.01
    floor, zero = top + step * len(found), left + span / 2
    grid = []
    for at in _round_numbers(-100 * most, 100 * most):
        x = zero + at / 100 / most * span / 2
        grid += [
            tag("line", x1=x, x2=x, y1=top, y2=floor, class_="grid"),
            _label(x, 11, f"{at:+g}" if at else "0", text_anchor="middle"),
        ]
    axis = tag("line", x1=zero, x2=zero, y1=top, y2=floor, class_="ink")
    lines = [
        _gap(gap, left, top + step * (row + 0.5), span / 2 / most, zero)
        for row, gap in enumerate(found)
    ]
    return _svg(left + span + right, floor + 4, title, grid, axis, lines)


def _gap(gap: Gap, left: float, y: float, scale: float, zero: float) -> Markup:
    colour = "grey" if gap.better is None else f"s{_colour(gap.better)}"
    description = f"{gap.label}: {100 * gap.value:+.2f}"
    parts = [_label(left - 8, y + 4, _short(gap.label, _LETTERS_OF_A_LINE), text_anchor="end")]
    if gap.low is not None and gap.high is not None:
        ends = [zero + gap.low * scale, zero + gap.high * scale]
        parts.append(tag("line", x1=ends[0], x2=ends[1], y1=y, y2=y, class_=f"gap {colour}"))
        description += f" (95% CI: {100 * gap.low:+.2f} to {100 * gap.high:+.2f})"
    x = zero + gap.value * scale
    parts.append(tag("path", d=f"M{x:.1f} {y:g}h0", class_=f"point {colour}"))
    return tag("g", tag("title", description), parts)


def roc(found: Sequence[tuple[str, int, ThresholdCurves]]) -> Markup:
    """ROC curves, one per model; the diagonal is a random ranking."""
    lines = [(name, series, c.false_alarms, c.found) for name, series, c in found]
    guess = ((0.0, 1.0), (0.0, 1.0))
    return _plot("ROC curve", "false positive rate", "true positive rate", lines, guess)


def precision_recall(found: Sequence[tuple[str, int, ThresholdCurves]]) -> Markup:
    """Precision-recall curves, one per model; the base line is the share of positives."""
    lines = [(name, series, c.recall, c.precision) for name, series, c in found]
    share = found[0][2].belongs
    return _plot("precision–recall curve", "recall", "precision", lines, ((0, 1), (share, share)))


def _plot(
    title: str,
    across: str,
    up: str,
    lines: Sequence[tuple[str, int, Sequence[float], Sequence[float]]],
    guess: tuple[Sequence[float], Sequence[float]],
) -> Markup:
    left, top, side = 44.0, 10.0, 200.0
    parts = [_square(left, top, side, across, up)]
    parts.append(tag("path", d=_path(*guess, left, top, side), class_="dashed"))
    for name, series, x, y in lines:
        curve = tag("path", tag("title", name), d=_path(x, y, left, top, side))
        parts.append(tag("g", curve, class_=f"curve s{_colour(series)}"))
    return _svg(left + side + 14, top + side + 38, title, parts)


def _square(left: float, top: float, side: float, across: str, up: str) -> Markup:
    """Grid from 0 to 1 on both axes, with axis titles."""
    parts = []
    for at in _TENTHS:
        x, y = left + at * side, top + (1 - at) * side
        parts += [
            tag("line", x1=x, x2=x, y1=top, y2=top + side, class_="grid"),
            tag("line", x1=left, x2=left + side, y1=y, y2=y, class_="grid"),
            _label(x, top + side + 15, f"{at:g}", text_anchor="middle"),
            _label(left - 6, y + 4, f"{at:g}", text_anchor="end"),
        ]
    middle = top + side / 2
    parts += [
        _label(left + side / 2, top + side + 32, across, text_anchor="middle", class_="axis"),
        _label(
            12,
            middle,
            up,
            text_anchor="middle",
            class_="axis",
            transform=f"rotate(-90 12 {middle:g})",
        ),
    ]
    return join(parts)


def _path(x: Sequence[float], y: Sequence[float], left: float, top: float, side: float) -> str:
    points = (
        f"{left + a * side:.1f} {top + (1 - b) * side:.1f}" for a, b in zip(x, y, strict=True)
    )
    return "M" + "L".join(points)


def distributions(picture: Distributions) -> Markup:
    """Histograms of all series as overlaid filled outlines."""
    left, top, width, height = 14.0, 10.0, 420.0, 170.0
    edges = np.asarray(picture.edges)
    extent = float(edges[-1] - edges[0]) or 1.0
    most = max((max(shares) for shares in picture.series.values()), default=1) or 1.0
    across = [left + float(edge - edges[0]) / extent * width for edge in edges]
    floor = top + height
    parts: list[Markup] = []
    for at in _round_numbers(float(edges[0]), float(edges[-1])):
        x = left + (at - float(edges[0])) / extent * width
        parts += [
            tag("line", x1=x, x2=x, y1=top, y2=floor, class_="grid"),
            _label(x, floor + 15, f"{at:g}", text_anchor="middle"),
        ]
    for series, (name, shares) in enumerate(picture.series.items()):
        steps = [
            f"{x:.1f} {floor - share / most * height:.1f}"
            for share, ends in zip(shares, pairwise(across), strict=True)
            for x in ends
        ]
        outline = (
            f"M{across[0]:.1f} {floor:.1f}L" + "L".join(steps) + f"L{across[-1]:.1f} {floor:.1f}"
        )
        path = tag("path", tag("title", name), d=outline)
        parts.append(tag("g", path, class_=f"area f{_colour(series)} s{_colour(series)}"))
    parts.append(tag("line", x1=left, x2=left + width, y1=floor, y2=floor, class_="ink"))
    parts.append(
        _label(left + width / 2, floor + 32, picture.axis, text_anchor="middle", class_="axis")
    )
    return _svg(left + width + 14, floor + 38, picture.title, parts)


def confusion(picture: Confusion) -> Markup:
    """Heat map of a confusion matrix, one row per true label, normalized by row."""
    size = len(picture.labels)
    cell = 30.0 if size <= 12 else 19.0
    names = [_short(label, _LETTERS) for label in picture.labels]
    longest = _widest(names)
    # Labels above are turned by 60 degrees and lean out to the right.
    left, top, over = 12 + max(longest, _CORNER), 14 + 0.87 * longest, 0.5 * longest
    side = size * cell
    parts = [_label(left - 6, top - 6, "true ↓  predicted →", text_anchor="end", class_="axis")]
    for at, name in enumerate(names):
        x, y = left + (at + 0.5) * cell, top + (at + 0.5) * cell + 4
        parts.append(_label(left - 6, y, name, text_anchor="end"))
        parts.append(_label(x, top - 6, name, transform=f"rotate(-60 {x:g} {top - 6:g})"))
    for row, counts in enumerate(picture.counts):
        parts += _cells(picture, row, counts, left, top, cell)
    frame = tag("rect", x=left, y=top, width=side, height=side, class_="frame")
    return _svg(left + side + over, top + side + 4, picture.title, parts, frame)


def _cells(
    picture: Confusion, row: int, counts: Sequence[int], left: float, top: float, cell: float
) -> list[Markup]:
    total, found = sum(counts) or 1, []
    for column, count in enumerate(counts):
        if not count:
            continue
        share = count / total
        x, y = left + column * cell, top + row * cell
        parts = [
            tag(
                "title",
                f"{picture.labels[row]} predicted as {picture.labels[column]}: {count:,} "
                f"({share:.0%})",
            ),
            tag("rect", x=x, y=y, width=cell, height=cell, fill_opacity=share, class_="f0"),
        ]
        if cell > 20:
            shade = "on" if share > _FILLED else "off"
            number = f"{100 * share:.0f}" if share >= 0.005 else "<1"
            parts.append(
                _label(x + cell / 2, y + cell / 2 + 4, number, text_anchor="middle", class_=shade)
            )
        found.append(tag("g", parts))
    return found


def places(picture: ScatterPlot) -> Markup:
    """Scatter plot, one dot per paper in the color of its label."""
    side, edge = 310.0, 8.0
    x, y, label = (np.asarray(column) for column in (picture.x, picture.y, picture.label))
    parts = [tag("rect", x=0, y=0, width=side, height=side, class_="frame")]
    across, down = _fit(x, side, edge), side - _fit(y, side, edge)
    for code, name in enumerate(picture.labels):
        dots = "".join(
            f"M{a:.0f} {b:.0f}h0"
            for a, b in zip(across[label == code], down[label == code], strict=True)
        )
        # Rarer labels come later and lie on top.
        mark = "square" if code >= COLOURS else "dot"
        path = tag("path", tag("title", name), d=dots or "M0 0")
        parts.append(tag("g", path, class_=f"{mark} s{_colour(code)}"))
    return _svg(side, side, f"{picture.title} ({picture.way})", parts)


def legend(names: Sequence[str], *, marks: bool = False) -> Markup:
    """Legend of the colors, in the order of the series."""
    items = [
        tag(
            "li",
            tag(
                "span",
                class_=f"key b{_colour(at)}" + (" square" if marks and at >= COLOURS else ""),
            ),
            name,
        )
        for at, name in enumerate(names)
    ]
    return tag("ul", items, class_="legend")


def _fit(values: np.ndarray, side: float, edge: float) -> np.ndarray:
    extent = float(np.ptp(values)) or 1.0
    fitted: np.ndarray = edge + (values - values.min()) / extent * (side - 2 * edge)
    return fitted


def _round_numbers(low: float, high: float) -> list[float]:
    """About five round tick values between low and high."""
    if not high > low:
        return [low]
    raw = (high - low) / 5
    size = 10.0 ** np.floor(np.log10(raw))
    step = size * min((1, 2, 5, 10), key=lambda times: abs(times * size - raw))
    first, last = int(np.ceil(low / step)), int(np.floor(high / step))
    return [round(float(at * step), 10) for at in range(first, last + 1)]


def _colour(series: int) -> int:
    return series % COLOURS


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"


def _widest(names: Sequence[str]) -> float:
    """Approximate width of the longest name in pixels; the page's font is unknown."""
    return max(
        (sum(_CAPITAL if c.isupper() else _LETTER for c in name) for name in names), default=0
    )


def _label(x: float, y: float, text: str, **attributes: str | float | None) -> Markup:
    return tag("text", text, x=x, y=y, **attributes)


def _svg(width: float, height: float, title: str, *parts: Child) -> Markup:
    return tag(
        "svg",
        tag("title", title),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:g} {height:g}",
        width=width,
        role="img",
    )
