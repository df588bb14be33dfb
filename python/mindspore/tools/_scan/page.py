# SPDX-License-Identifier: Apache-2.0
"""The report as one page that needs nothing else: no network, no other file."""

from __future__ import annotations

from html import escape

from mindspore.tools._scan.findings import Finding, Report
from mindspore.tools._scan.text import answer
from mindspore.tools._scan.verdict import Status

_MOST_PLACES = 50  # of one name; JSON has all
_STATUS = {Status.MISSING: 0, Status.DIFFERENCE: 1, Status.WORKS: 2}

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --faint: #8889; --missing: #c62828; --difference: #b26a00;
  --works: #2e7d32; }
@media (prefers-color-scheme: dark) { :root { --missing: #ff8a80; --difference: #ffcc80; --works: #a5d6a7; } }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: .2rem; }
.answer { font-size: 1.15rem; margin: .2rem 0 1rem; }
.cards { display: flex; flex-wrap: wrap; gap: .8rem; margin: 1rem 0; }
.cards label { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem .9rem; cursor: pointer; }
.cards b { font-size: 1.3rem; }
.missing { color: var(--missing); } .difference { color: var(--difference); } .works { color: var(--works); }
input[type=search] { font: inherit; padding: .4rem .7rem; width: min(30rem, 100%); }
table { border-collapse: collapse; width: 100%; margin-top: 1rem; }
th { text-align: left; cursor: pointer; user-select: none; border-bottom: 2px solid var(--line); }
th[aria-sort=ascending]::after { content: " \\2191"; } th[aria-sort=descending]::after { content: " \\2193"; }
td, th { padding: .35rem .6rem; vertical-align: top; } tr { border-bottom: 1px solid var(--line); }
td.number { text-align: right; }
code { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
summary { cursor: pointer; } .place { color: var(--faint); margin-right: .6rem; }
ul { list-style: none; margin: .3rem 0; padding: 0; } .optional { color: var(--faint); }
"""

_SCRIPT = """
const rows = [...document.querySelectorAll("tbody tr")];
const search = document.querySelector("input[type=search]");
const boxes = [...document.querySelectorAll(".cards input")], count = document.getElementById("shown");
function show() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const wanted = new Set(boxes.filter(box => box.checked).map(box => box.value));
  let shown = 0;
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !wanted.has(row.dataset.status) || !words.every(word => text.includes(word));
    shown += !row.hidden;
  }
  count.textContent = shown + " of " + rows.length + " names";
}
search.addEventListener("input", show);
boxes.forEach(box => box.addEventListener("change", show));
document.querySelectorAll("th").forEach((head, column) => head.addEventListener("click", () => {
  const up = head.getAttribute("aria-sort") !== "ascending";
  document.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = row => row.cells[column].dataset.key ?? row.cells[column].textContent;
  const order = (a, b) => key(a).localeCompare(key(b), undefined, { numeric: true }) * (up ? 1 : -1);
  document.querySelector("tbody").append(...rows.sort(order));
}));
show();
"""


def as_html(report: Report) -> str:
    """Names in a table that can be sorted and searched, each with its places and their lines of source."""
    named: dict[tuple, list[Finding]] = {}
    for one in report.findings:
        named.setdefault((_STATUS[one.status], one.name, one.note, one.optional), []).append(one)
    # What stops most scripts comes first.
    order = sorted(named, key=lambda key: (key[0], key[3], -len(named[key]), key[1]))
    rows = "\n".join(_row(named[key]) for key in order)
    heads = "".join(f"<th>{text}</th>" for text in ("status", "name", "places", "what it is, and where"))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Scan of {report.files} files</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f'<h1>Will these scripts run?</h1>\n<p class="answer">{escape(answer(report))}</p>\n'
        f'{_cards(report)}\n<p><input type="search" placeholder="name, file, text ..." aria-label="Search"> '
        f'<span id="shown"></span></p>\n{_others(report)}'
        f"<table>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _cards(report: Report) -> str:
    cards = []
    for status in _STATUS:
        names = report.names(status)
        checked = "" if status is Status.WORKS and report.fails("difference") else " checked"
        cards.append(
            f'<label><input type="checkbox" value="{status.value}"{checked}> '
            f'<b class="{status.value}">{len(names):,}</b> {status.value}, '
            f"{sum(names.values()):,} places</label>"
        )
    return f'<div class="cards">{"".join(cards)}<span>{report.files:,} files</span></div>'


def _others(report: Report) -> str:
    text = ""
    if report.unreadable:
        items = "".join(
            f'<li><code class="place">{escape(one.place)}</code>{escape(one.message)}</li>'
            for one in report.unreadable
        )
        text += f"<details open><summary>Could not be read: {len(report.unreadable)}</summary>"
        text += f"<ul>{items}</ul></details>\n"
    if report.not_installed:
        items = "".join(
            f'<li>{escape(name)} <code class="place">{escape(place)}</code></li>'
            for name, place in sorted(report.not_installed.items())
        )
        text += (
            f"<details><summary>Other packages that are not installed: {len(report.not_installed)}</summary>"
        )
        text += f"<ul>{items}</ul></details>\n"
    return text


def _row(found: list[Finding]) -> str:
    one = found[0]
    status = one.status.value
    optional = ' <span class="optional">optional</span>' if one.optional else ""
    left_out = len(found) - _MOST_PLACES
    more = f"<li>and {left_out:,} more</li>" if left_out > 0 else ""
    places = "".join(_place(each) for each in found[:_MOST_PLACES])
    note = f"{escape(one.note)} " if one.note else ""
    files = len({each.file for each in found})
    summary = f"{note}<span class='place'>{files} file{'s' if files != 1 else ''}</span>"
    note_cell = f"<details><summary>{summary}</summary><ul>{places}{more}</ul></details>"
    return (
        f'<tr data-status="{status}">'
        f'<td class="{status}" data-key="{_STATUS[one.status]}">{status}{optional}</td>'
        f'<td><code>{escape(one.name)}</code></td><td class="number">{len(found)}</td>'
        f'<td data-key="{escape(one.note)}">{note_cell}</td></tr>'
    )


def _place(one: Finding) -> str:
    return f'<li><code class="place">{escape(one.place)}</code><code>{escape(one.source)}</code></li>'
