"""How the notebooks show pictures and say that there is nothing to show."""

import io
import math
import re

import altair as alt
import polars as pl
import vl_convert
from IPython.display import Markdown, display
from PIL import Image

# Okabe and Ito's colours, which people with any colour vision tell apart.
BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW, GREY = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8C8C8C",
)  # fmt: skip
WIDTH = 620
# What a visit brought.
ORDER = ["new", "unchanged", "redirect", "error"]
COLORS = alt.Scale(domain=ORDER, range=[BLUE, SKY, ORANGE, RED])
_FONT = "Noto Sans CJK SC, PingFang SC, Microsoft YaHei, DejaVu Sans, Arial, sans-serif"
_CONFIG = {
    "background": "white",
    "font": _FONT,
    "view": {"stroke": None},
    "title": {"anchor": "start", "fontSize": 15, "fontWeight": 600, "subtitleFontSize": 12, "subtitleColor": "#555", "offset": 12},
    "axis": {
        "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": "#444", "labelLimit": 330,
        "gridColor": "#e6e6e6", "domainColor": "#999", "tickColor": "#999",
    },
    "legend": {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelLimit": 260},
    "bar": {"color": BLUE},
    "point": {"filled": True, "size": 60, "color": BLUE, "opacity": 0.8},
    "line": {"strokeWidth": 2.5},
    "text": {"fontSize": 12, "color": "#333"},
}  # fmt: skip

alt.data_transformers.disable_max_rows()
# Tables as people read them: whole URLs, no types.
pl.Config(
    fmt_str_lengths=64, tbl_rows=15, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True, tbl_width_chars=200
)


def show(chart: alt.TopLevelMixin, description: str) -> None:
    """Shows a chart as a picture that carries its description, and the description in words below it.

    The output holds the chart twice: as PNG, which every viewer of notebooks draws (SVG is left out by some), and as Vega-Lite,
    which JupyterLab draws sharper and which says exactly what is in the picture. Both have the description as alternative text;
    not every viewer hands that on, so it stands below the picture too.
    """
    chart = chart.properties(description=description).configure(**_CONFIG)
    spec = chart.to_dict()
    version = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    drawn = Image.open(io.BytesIO(vl_convert.vegalite_to_png(spec, vl_version=version, scale=1.6))).convert("RGB")
    # A few colours are enough for it, and make the file a tenth.
    png = io.BytesIO()
    drawn.quantize(64, dither=Image.Dither.NONE).save(png, "PNG", optimize=True)
    width, height = drawn.size
    kind = f"application/vnd.vegalite.v{version.split('.')[0]}+json"
    display(
        {kind: spec, "image/png": png.getvalue(), "text/plain": f"Picture: {description}"},
        metadata={"image/png": {"alt": description, "width": round(width / 1.6), "height": round(height / 1.6)}},
        raw=True,
    )
    say("*In words:* " + re.sub(r"([\\`*_{}\[\]<>#|~$])", r"\\\1", description))


def say(text: str) -> None:
    """Shows a sentence, for instance why there is no picture."""
    display(Markdown(text))


def bars(frame, value: str, name: str, title: str, unit: str, color: str = BLUE, format: str = ",") -> alt.LayerChart:
    """Horizontal bars in the order of the frame, each with its number: the plainest picture of how many of what."""
    # Names that were cut to the same are told apart, else their bars would stand on each other.
    frame = frame.with_columns(
        pl.when(pl.col(name).is_duplicated())
        .then(pl.format("{} ({})", name, pl.col(name).cum_count().over(name)))
        .otherwise(name)
    )
    order = frame[name].to_list()
    base = alt.Chart(frame.select(name, value), title=title, width=WIDTH - 200, height=alt.Step(24)).encode(
        y=alt.Y(f"{name}:N", sort=order, title=None),
        x=alt.X(f"{value}:Q", title=unit, axis=alt.Axis(tickCount=5), scale=alt.Scale(zero=True)),
    )
    numbers = base.mark_text(align="left", dx=4).encode(text=alt.Text(f"{value}:Q", format=format))
    return base.mark_bar(color=color) + numbers


def short(url: str, length: int = 46) -> str:
    """A URL without its scheme, cut in the middle where it is long."""
    url = url.split("://", 1)[-1]
    return url if len(url) <= length else url[: length // 2 - 1] + "…" + url[-(length - length // 2) :]


def log_ticks(least: float, most: float) -> list[float]:
    """Round numbers between the two for a logarithmic axis: 1, 2, 5, 10 … or, over a wide range, powers of ten alone."""
    if not 0 < least <= most:
        return [1]
    decades = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    steps = (1, 1.5, 2, 3, 5, 7) if most < 10 * least else (1, 2, 5) if len(decades) <= 4 else (1,)
    return [
        float(f"{step}e{decade}")
        for decade in decades
        for step in steps
        if least <= float(f"{step}e{decade}") <= most * 1.001
    ]


def whole(most: int, title: str) -> dict:
    """Title and axis of a count: no halves where there are few."""
    return {
        "title": title,
        "axis": alt.Axis(values=list(range(most + 1)), format="d") if most <= 5 else alt.Axis(tickCount=5),
    }


def few_labels(points, x: str, y: str, name: str):
    """Labels for points that do not overlap: of points at nearly the same height (logarithmic) one has a label that names the others."""
    labels = []
    for row in points.sort(y, x, name, descending=[True, True, False]).iter_rows(named=True):
        if labels and row[y] > 0.75 * labels[-1][y]:
            labels[-1]["names"].append(row[name])
        else:
            labels.append({x: row[x], y: row[y], "names": [row[name]]})
    for label in labels:
        names = label.pop("names")
        label[name] = (
            " and ".join(names) if len(names) <= 2 and sum(map(len, names)) < 60 else f"{names[0]} and {len(names) - 1} more"
        )
    return pl.DataFrame(labels, schema=[x, y, name])


def triangle(pairs, names: list[str], title: str) -> alt.LayerChart:
    """A cell with a number for each two of the names: columns `first`, `second`, `tau`."""
    base = alt.Chart(pairs, title=title, width=330, height=250).encode(
        x=alt.X("second:N", sort=names, title=None, axis=alt.Axis(labelAngle=-30, grid=False)),
        y=alt.Y("first:N", sort=names, title=None, axis=alt.Axis(grid=False)),
    )
    cells = base.mark_rect().encode(
        color=alt.Color("tau:Q", scale=alt.Scale(scheme="blues", domain=[0, 1], clamp=True), title="Kendall's tau")
    )
    numbers = base.mark_text().encode(
        text=alt.Text("tau:Q", format=".2f"),
        color=alt.condition("datum.tau > 0.6", alt.value("white"), alt.value("#222")),
    )
    return cells + numbers


def two_measures(shown, labels, title: str) -> alt.LayerChart:
    """Dots by `harmonic` and `percent` of PageRank on logarithmic scales; those that are `suspect` stand out, `labels` name them."""
    base = (
        alt.Chart(
            shown.select(pl.col("percent").round(5), pl.col("harmonic").round(3), "suspect", "name"),
            title=title,
            width=WIDTH - 120,
            height=300,
        )
        .mark_point(size=60 if shown.height < 200 else 20, opacity=0.8 if shown.height < 200 else 0.5)
        .encode(
            x=alt.X(
                "harmonic:Q",
                scale=alt.Scale(type="log", nice=False, padding=20),
                title="harmonic centrality (log scale)",
                axis=alt.Axis(
                    values=log_ticks(shown["harmonic"].min(), shown["harmonic"].max()),
                    format="~s",
                    grid=False,
                ),
            ),
            y=alt.Y(
                "percent:Q",
                scale=alt.Scale(type="log", nice=False, padding=20),
                title="PageRank, % of all (log scale)",
                axis=alt.Axis(values=log_ticks(shown["percent"].min(), shown["percent"].max()), format="~g"),
            ),
            color=alt.Color("suspect:N", scale=alt.Scale(domain=[False, True], range=[BLUE, ORANGE]), legend=None),
        )
    )
    words = alt.Chart(labels).mark_text(align="left", dx=9).encode(x="harmonic:Q", y="percent:Q", text="name:N")
    return base + words


def at_least(degrees) -> alt.Chart:
    """The share of pages that have at least so many links, a line for each value of column `links`."""
    chart = (
        alt.Chart(
            degrees.select("degree", pl.col("share").round(4), "links"),
            title="How many pages have at least so many links",
            width=WIDTH - 120,
            height=280,
        )
        .mark_line(point=alt.OverlayMarkDef(size=25), strokeWidth=1.5)
        .encode(
            x=alt.X(
                "degree:Q",
                scale=alt.Scale(type="log", nice=False),
                title="links (log scale)",
                axis=alt.Axis(values=log_ticks(1, degrees["degree"].max()), format="~s", grid=False),
            ),
            y=alt.Y(
                "share:Q",
                scale=alt.Scale(type="log", nice=False),
                title="% of pages with at least so many (log scale)",
                axis=alt.Axis(values=log_ticks(degrees["share"].min(), 100), format="~g"),
            ),
            color=alt.Color(
                "links:N",
                scale=alt.Scale(domain=["links to the page", "links on the page"], range=[BLUE, ORANGE]),
                title=None,
                legend=alt.Legend(orient="top"),
            ),
            strokeDash=alt.StrokeDash("links:N", legend=None),
        )
    )
    return chart


def link_grid(seen, order: list[str], title: str) -> alt.Chart:
    """A dot for each `source` and `target`, as large as its `links`, coloured by whether they are of the `same` community."""
    axis = alt.Axis(labelLimit=260, grid=True, gridColor="#f0f0f0")
    chart = (
        alt.Chart(
            seen,
            title=title,
            width=alt.Step(23),
            height=alt.Step(23),
        )
        .mark_point(opacity=0.9)
        .encode(
            x=alt.X(
                "target:N",
                sort=order,
                scale=alt.Scale(domain=order),
                title="to",
                axis=alt.Axis(labelAngle=-60, labelLimit=260, grid=True, gridColor="#f0f0f0"),
            ),
            y=alt.Y("source:N", sort=order, scale=alt.Scale(domain=order), title="from", axis=axis),
            size=alt.Size(
                "links:Q",
                scale=alt.Scale(type="sqrt", domain=[1, seen["links"].max()], range=[20, 330]),
                title="number of links",
                legend=alt.Legend(
                    orient="right",
                    values=sorted({1, (seen["links"].max() + 1) // 2, seen["links"].max()}),
                    symbolFillColor=GREY,
                ),
            ),
            color=alt.Color(
                "same:N",
                scale=alt.Scale(domain=["within a community", "between communities"], range=[BLUE, ORANGE]),
                title=None,
                legend=alt.Legend(orient="top"),
            ),
        )
    )
    return chart


def visits_over_time(over_time, unit: str, title: str) -> alt.Chart:
    """Stacked bars of `captures` by the day `when`, coloured by what they `brought`."""
    chart = (
        alt.Chart(
            over_time.with_columns(pl.col("when").cast(pl.String)),
            title=title,
            width=WIDTH - 120,
            height=230,
        )
        .mark_bar()
        .encode(
            x=alt.X("when:T", timeUnit={"year": "year", "month": "yearmonth", "day": "yearmonthdate"}[unit], title=unit),
            y=alt.Y("captures:Q", title="captures"),
            color=alt.Color("brought:N", scale=COLORS, title=None, sort=ORDER, legend=alt.Legend(orient="top")),
            order=alt.Order("place:Q"),
        )
        .transform_calculate(place=f"indexof({ORDER}, datum.brought)")
    )
    return chart


def visits_by_page(lives, order: list[str], title: str) -> alt.Chart:
    """A row of marks for each `page`, a mark for each visit, `when` it was and what it `brought`."""
    chart = (
        alt.Chart(
            lives.select("page", "when", "brought"),
            title=title,
            width=WIDTH - 250,
            height=alt.Step(22),
        )
        .mark_point(size=55, opacity=1)
        .encode(
            x=alt.X(
                "when:T",
                title="day of capture",
                scale=alt.Scale(padding=10),
                axis=alt.Axis(tickCount=6, format="%b %Y"),
            ),
            y=alt.Y("page:N", sort=order, title=None, axis=alt.Axis(grid=True)),
            color=alt.Color("brought:N", scale=COLORS, sort=ORDER, title=None, legend=alt.Legend(orient="top")),
            shape=alt.Shape(
                "brought:N",
                scale=alt.Scale(domain=ORDER, range=["circle", "circle", "diamond", "cross"]),
                sort=ORDER,
                title=None,
                legend=alt.Legend(orient="top"),
            ),
        )
    )
    return chart


def survival_steps(curves, last, title: str) -> alt.LayerChart:
    """Falling steps by `month` and `percent`, one for each value of `still`, with its name at the `last` point."""
    lines = alt.Chart(curves, title=title, width=WIDTH - 160, height=240).encode(
        x=alt.X("month:Q", title="age, months since the first capture", axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("percent:Q", title="% of pages", scale=alt.Scale(domain=[0, 100])),
        color=alt.Color(
            "still:N",
            scale=alt.Scale(domain=["still there", "still the same"], range=[BLUE, ORANGE]),
            legend=None,
        ),
    )
    words = alt.Chart(last).mark_text(align="left", dx=6).encode(x="month:Q", y="percent:Q", text="still:N")
    return lines.mark_line(interpolate="step-after") + words
