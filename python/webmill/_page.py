"""All that is known of a page, for people."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from ._error import Error

if TYPE_CHECKING:
    from ._results import Results

_CAPTURE = ["fetch_time", "fetch_status", "content_mime_detected", "is_current", "warc_filename", "warc_record_offset"]
_RANKS = ["pagerank", "authority", "hub", "harmonic", "indegree", "outdegree"]


@dataclass(frozen=True)
class Page:
    """A page: its captures, text, scores, links and copies. Parts that the results do not have are empty or ``None``."""

    url: str
    captures: pl.DataFrame
    """Rows of table ``pages``, the oldest first."""
    title: str | None
    text: str | None
    """Main text of the current capture."""
    language: str | None
    ranks: dict[str, Any]
    """Row of table ``ranks`` on the level of pages."""
    links_in: pl.DataFrame
    """``source_url`` and ``anchor`` of links from current captures."""
    links_out: pl.DataFrame
    """``target_url`` and ``anchor`` of links of the current capture, in the order of the page."""
    num_links_in: int
    num_links_out: int
    copies: list[str]
    """URLs of pages in the same cluster of duplicates."""

    def __repr__(self) -> str:
        lines = [self.url, f"  title     {self.title or '-'}", f"  language  {self.language or '-'}"]
        lines.append(f"  captures  {self.captures.height}")
        for row in self.captures.iter_rows(named=True):
            mark = "*" if row["is_current"] else " "
            kind = row["content_mime_detected"] or "-"
            lines.append(f"  {mark} {row['fetch_time']}  {row['fetch_status'] or '-'}  {kind}  {row['warc_filename']}")
        for name in _RANKS:
            if self.ranks.get(name) is not None:
                value = self.ranks[name]
                lines.append(f"  {name:<9} {value:.6g}" if isinstance(value, float) else f"  {name:<9} {value}")
        lines.append(f"  links in  {self.num_links_in}")
        lines += [f"    {url}  {anchor!r}" for url, anchor in self.links_in.iter_rows()]
        lines.append(f"  links out {self.num_links_out}")
        lines += [f"    {url}  {anchor!r}" for url, anchor in self.links_out.iter_rows()]
        lines += [f"  copy      {url}" for url in self.copies]
        if self.text:
            lines += ["", self.text if len(self.text) <= 600 else self.text[:600] + " …"]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        facts = {"language": self.language, **{name: self.ranks.get(name) for name in _RANKS}}
        said = "".join(
            f"<tr><th>{name}</th><td>{f'{value:.6g}' if isinstance(value, float) else escape(str(value))}</td></tr>"
            for name, value in facts.items() if value is not None
        )  # fmt: skip
        parts = [f"<h4>{escape(self.title or self.url)}</h4><p>{_link(self.url)}</p><table>{said}</table>"]
        parts.append(self.captures.select(_CAPTURE)._repr_html_())
        for name, number, links in [("in", self.num_links_in, self.links_in), ("out", self.num_links_out, self.links_out)]:
            rows = "".join(f"<li>{_link(url)} {escape(anchor or '')}</li>" for url, anchor in links.iter_rows())
            parts.append(f"<details><summary>links {name}: {number}</summary><ul>{rows}</ul></details>")
        if self.copies:
            rows = "".join(f"<li>{_link(url)}</li>" for url in self.copies)
            parts.append(f"<details><summary>copies: {len(self.copies)}</summary><ul>{rows}</ul></details>")
        if self.text:
            parts.append(f"<details><summary>text</summary><pre style='white-space:pre-wrap'>{escape(self.text)}</pre></details>")
        return "".join(parts)


def _link(url: str) -> str:
    shown = escape(url)
    return f'<a href="{shown}">{shown}</a>' if url.startswith(("http://", "https://")) else shown


def page(results: Results, url: str, links: int) -> Page:
    """What the tables know of ``url``."""
    captures = results.captures_of(url)
    ranks = _one(results, "ranks", (pl.col("url") == url) & (pl.col("level") == "page"))
    if captures.is_empty() and not ranks:
        raise Error(f"{url}: no table knows this URL", path=str(results.folder))
    current = captures.filter(pl.col("is_current").fill_null(False))
    text: dict[str, Any] = {}
    if current.height:
        row = current.row(-1, named=True)
        at = (pl.col("warc_filename") == row["warc_filename"]) & (pl.col("warc_record_offset") == row["warc_record_offset"])
        text = _one(results, "texts", (pl.col("url") == url) & at)
    links_in, links_out = _links(results, captures, url)
    return Page(
        url=url,
        captures=captures,
        title=text.get("title"),
        text=text.get("text"),
        language=text.get("language"),
        ranks=ranks,
        links_in=links_in.head(links),
        links_out=links_out.head(links),
        num_links_in=links_in.height,
        num_links_out=links_out.height,
        copies=_copies(results, url),
    )


def _one(results: Results, name: str, which: pl.Expr) -> dict[str, Any]:
    if name not in results.tables:
        return {}
    found = results.table(name).filter(which).head(1).collect()
    return found.row(0, named=True) if found.height else {}


def _links(results: Results, captures: pl.DataFrame, url: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Links into the page from current captures, by URL; links out of its current capture, in their order."""
    place = ["warc_filename", "warc_record_offset"]
    none = pl.DataFrame(schema={"source_url": pl.String, "anchor": pl.String})
    if "links" not in results.tables:
        return none, none.rename({"source_url": "target_url"})
    current = results.table("pages").filter("is_current").select("url", "url_key", *place)
    table = results.table("links")
    sources = current.rename({"url": "source_url_"})
    on = ["source_key", *place]
    came = table.filter(pl.col("target_url") == url).join(
        sources, left_on=on, right_on=["url_key", *place], how="inner"
    )
    links_in = came.select(pl.col("source_url_").alias("source_url"), "anchor").sort("source_url", "anchor").collect()
    mine = captures.filter(pl.col("is_current").fill_null(False)).select("url_key", *place).lazy()
    went = table.join(mine, left_on=on, right_on=["url_key", *place], how="semi").sort("position")
    return links_in, went.select("target_url", "anchor").collect()


def _copies(results: Results, url: str) -> list[str]:
    if "clusters" not in results.tables:
        return []
    clusters = results.table("clusters")
    mine = clusters.filter(pl.col("url") == url).select("cluster").unique()
    others = clusters.join(mine, on="cluster", how="semi").filter(pl.col("url") != url)
    return others.select("url").unique().sort("url").collect()["url"].to_list()
