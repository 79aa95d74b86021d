"""CSS of report pages, with colors for color-blind readers."""

from __future__ import annotations

from trainer.reports.markup import Markup

# Okabe and Ito's colors first, then more; lighter ones for a dark page.
_LIGHT = [
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#b5529b",
    "#b58900",
    "#3aa0d8",
    "#6b4fbb",
    "#8c564b",
    "#5f7a1f",
    "#c2185b",
    "#00838f",
    "#7f7f7f",
]
_DARK = [
    "#4fa8e0",
    "#ff8c42",
    "#2fc79b",
    "#dd8ac4",
    "#e0b83d",
    "#8fcdf2",
    "#a994f0",
    "#c79a8e",
    "#a3c255",
    "#f06a9b",
    "#4cc4cf",
    "#a8adb5",
]


def _variables(colours: list[str]) -> str:
    return " ".join(f"--c{at}: {colour};" for at, colour in enumerate(colours))


def _classes() -> str:
    return "\n".join(
        f".f{at} {{ fill: var(--c{at}); }} .s{at} {{ stroke: var(--c{at}); }} "
        f".b{at} {{ background: var(--c{at}); }}"
        for at in range(len(_LIGHT))
    )


STYLE = Markup(
    f"""
:root {{
  --page: #ffffff; --ink: #1b1f24; --soft: #5b6470; --line: #dde1e6; --raised: #f6f7f9;
  --on: #ffffff; {_variables(_LIGHT)}
}}
@media (prefers-color-scheme: dark) {{
  :root {{
    --page: #14171b; --ink: #e8eaed; --soft: #a2abb6; --line: #343a42; --raised: #1d2126;
    --on: #14171b; {_variables(_DARK)}
  }}
}}
* {{ box-sizing: border-box; }}
body {{
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}}
main {{ max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }}
h1 {{ font-size: 28px; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }}
h2 {{ font-size: 19px; margin: 40px 0 12px; }}
h3 {{ font-size: 16px; margin: 28px 0 8px; }}
.kind {{
  margin: 0; color: var(--soft); letter-spacing: .06em; text-transform: uppercase; font-size: 12px;
}}
.soft, small, figcaption, dd {{ color: var(--soft); }}
.verdict {{ padding-left: 14px; min-width: 136px; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; vertical-align: top; padding: 5px 14px 5px 0; }}
thead th {{ border-bottom: 2px solid var(--line); vertical-align: bottom; }}
tbody th {{ font-weight: 600; }}
td, tbody th {{ border-bottom: 1px solid var(--line); overflow-wrap: break-word; }}
.facts td {{ overflow-wrap: anywhere; }}
.number {{ text-align: right; padding: 5px 8px 5px 18px; }}
td.number {{ white-space: nowrap; }}
.scores small {{ display: block; font-size: 11.5px; line-height: 1.35; white-space: nowrap; }}
.scores td {{ min-width: 64px; }}
.scores .begins > * {{ border-top: 1px solid var(--soft); }}
.plain {{ font-size: 13px; }}
.key {{ display: inline-block; width: 11px; height: 11px; border-radius: 50%; margin-right: 6px; }}
.key.square {{ border-radius: 1px; }}
.legend {{
  list-style: none; display: flex; flex-wrap: wrap; gap: 2px 16px; padding: 0; margin: 8px 0;
  font-size: 13px;
}}
.figures {{ display: flex; flex-wrap: wrap; gap: 20px; align-items: flex-start; }}
.figures + .figures {{ margin-top: 20px; }}
.glance {{ columns: 500px; column-gap: 20px; }}
.glance figure {{ display: inline-block; width: 100%; margin-bottom: 20px; }}
figure {{
  margin: 0; padding: 16px; background: var(--raised); border: 1px solid var(--line);
  border-radius: 8px; max-width: 100%; break-inside: avoid;
}}
figure .legend, figcaption {{ max-width: 320px; }}
.broad .legend, .broad figcaption {{ max-width: 560px; }}
figcaption {{ font-size: 13px; margin-top: 8px; }}
.pair {{ display: flex; flex-wrap: wrap; gap: 12px; }}
details {{ margin: 8px 0; }}
summary {{ cursor: pointer; }}
dt {{ font-weight: 600; margin-top: 8px; }}
dd {{ margin: 0; max-width: 80ch; }}
svg {{ display: block; max-width: 100%; height: auto; }}
svg text {{ font-size: 11px; fill: var(--soft); }}
svg text.strong {{ font-size: 12.5px; font-weight: 600; fill: var(--ink); }}
svg text.axis {{ fill: var(--ink); }}
svg text.on {{ fill: var(--on); }}
svg text.off {{ fill: var(--ink); }}
.grid {{ stroke: var(--line); stroke-width: 1; }}
.ink {{ stroke: var(--ink); stroke-width: 1.4; }}
.frame {{ fill: none; stroke: var(--line); }}
path.paper {{ fill: var(--page); stroke: var(--ink); stroke-width: 1.4; }}
.dashed {{ stroke: var(--soft); stroke-dasharray: 4 4; fill: none; }}
.curve {{ fill: none; stroke-width: 2; stroke-linejoin: round; }}
.area {{ fill-opacity: .25; stroke-width: 1.5; }}
.gap {{ stroke-width: 2; }}
.point {{ fill: none; stroke-width: 8; stroke-linecap: round; }}
.grey {{ stroke: var(--soft); }}
.dot, .square {{ fill: none; stroke-width: 5; stroke-linecap: round; stroke-opacity: .75; }}
.square {{ stroke-linecap: square; stroke-width: 4; }}
{_classes()}
"""
)
