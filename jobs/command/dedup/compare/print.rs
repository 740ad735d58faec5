//! The table of signatures: for reading, as Markdown, CSV or JSON.

use anyhow::Result;
use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{CellAlignment, ContentArrangement, Table, TableStyle};
use serde_json::{Value, json};
use webmill_dedup::{BANDS, ComparedSignature, ComparisonTable};

/// How the table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// A row a signature, for reading.
    Table,
    /// The same as Markdown.
    Markdown,
    /// A row for each signature and band.
    Csv,
    /// One object.
    Json,
}

/// All that is told.
pub(super) struct Told {
    pub table: ComparisonTable,
    /// Pages of the sample.
    pub signed: u64,
    /// Pages that it was drawn from.
    pub of: u64,
    /// Pages left out, and trees that could not be read.
    pub lost: u64,
    /// Microseconds a page of each row.
    pub micros: Option<Vec<f64>>,
    /// A note for each row.
    pub notes: Vec<String>,
    pub shingle_words: usize,
}

impl Format {
    /// The table as text.
    pub(super) fn write(self, told: &Told) -> Result<String> {
        Ok(match self {
            Format::Table => format!("{}\n\n{}\n\n{LEGEND}\n", told.heading(), told.rows(NOTHING)),
            Format::Markdown => format!("{}\n\n{}\n\n{LEGEND}\n", told.heading(), told.rows(ASCII_MARKDOWN)),
            Format::Csv => told.csv(),
            Format::Json => format!("{}\n", serde_json::to_string_pretty(&told.json())?),
        })
    }
}

const LEGEND: &str = "R: share of the pairs of this resemblance that the signature takes (recall); below .5 it should be 0.\nP: share of the pairs that it takes that resemble each other so much or more (precision).\nB/page: 8 bytes a value. us/page: time of a thread, from the text, whose words are found anew each time; for structure from the tree.";

/// Recall from the highest band down.
const RECALL: [(usize, &str); 5] =
    [(4, "R .9-1"), (3, "R .8-.9"), (2, "R .7-.8"), (1, "R .5-.7"), (0, "R <.5")];

/// Precision from a band on.
const PRECISION: [(usize, &str); 4] = [(4, "P .9"), (3, "P .8"), (2, "P .7"), (1, "P .5")];

impl Told {
    fn heading(&self) -> String {
        let known = self.table.known;
        format!(
            "{} pages of {}; pairs by resemblance ({}-word shingles): {} from .9, {} from .8, {} from .7, {} from .5, {} below",
            self.table.pages, self.of, self.shingle_words, known[4], known[3], known[2], known[1], known[0]
        )
    }

    fn rows(&self, style: TableStyle) -> String {
        let mut table = Table::new();
        table.load_style(style).set_content_arrangement(ContentArrangement::Disabled);
        let mut header = vec!["signature", "pages", "B/page"];
        header.extend(self.micros.is_some().then_some("us/page"));
        header.extend(["candidates", "found .8"]);
        header.extend(RECALL.map(|(_, name)| name));
        header.extend(PRECISION.map(|(_, name)| name));
        header.push("note");
        let columns = header.len();
        table.set_header(header);
        for (i, row) in self.table.rows.iter().enumerate() {
            table.add_row(self.cells(i, row));
        }
        for (i, column) in table.column_iter_mut().enumerate() {
            let text = i == 0 || i + 1 == columns;
            column.set_cell_alignment(if text { CellAlignment::Left } else { CellAlignment::Right });
        }
        // Lines end with blanks where the last column is empty.
        table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    fn cells(&self, i: usize, row: &ComparedSignature) -> Vec<String> {
        let about = if row.is_estimate() { "~" } else { "" };
        let absent = row.pages == 0;
        let count = |pairs: f64| if absent { "-".to_owned() } else { format!("{about}{pairs:.0}") };
        let share = |share: Option<f64>| share.filter(|_| !absent).map_or_else(|| "-".to_owned(), short);
        let mut cells = vec![row.signature.clone(), row.pages.to_string(), format!("{:.0}", self.bytes(row))];
        cells.extend(
            self.micros.as_ref().and_then(|micros| micros.get(i)).map(|micros| format!("{micros:.1}")),
        );
        cells.extend([count(row.candidates()), count(row.taken_from(3))]);
        cells.extend(RECALL.map(|(band, _)| share(row.recall(band))));
        cells.extend(PRECISION.map(|(band, _)| share(row.precision(band))));
        cells.push(self.note(i).to_owned());
        cells
    }

    fn note(&self, i: usize) -> &str {
        self.notes.get(i).map_or("", String::as_str)
    }

    /// Bytes of a page that has the signature.
    fn bytes(&self, row: &ComparedSignature) -> f64 {
        8.0 * row.values as f64 / row.pages.max(1) as f64
    }

    fn csv(&self) -> String {
        let mut out = "signature,bound,pages,bytes_per_page,".to_owned();
        out += if self.micros.is_some() { "micros_per_page," } else { "" };
        out += "candidates,from,to,known,tried,taken,recall,precision_from,note\n";
        let share = |share: Option<f64>| share.map_or_else(String::new, |share| format!("{share:.6}"));
        for (i, row) in self.table.rows.iter().enumerate() {
            for (band, count) in row.bands.iter().enumerate() {
                out += &format!("{},{},{},{:.3},", row.signature, row.bound, row.pages, self.bytes(row));
                if let Some(micros) = &self.micros {
                    out += &format!("{:.3},", micros[i]);
                }
                out += &format!(
                    "{:.0},{},{},{},{},{},{},{},{}\n",
                    row.candidates(),
                    BANDS[band],
                    BANDS.get(band + 1).unwrap_or(&1.0),
                    count.known,
                    count.tried,
                    count.taken,
                    share(row.recall(band)),
                    share(row.precision(band)),
                    quoted(self.note(i))
                );
            }
        }
        out
    }

    fn json(&self) -> Value {
        let rows: Vec<Value> =
            self.table.rows.iter().enumerate().map(|(i, row)| self.json_row(i, row)).collect();
        json!({
            "pages": self.table.pages,
            "sample": self.signed,
            "of": self.of,
            "left_out": self.lost,
            "shingle_words": self.shingle_words,
            "pairs": bands(|band| json!({ "known": self.table.known[band] })),
            "signatures": rows,
        })
    }

    fn json_row(&self, i: usize, row: &ComparedSignature) -> Value {
        let mut value = json!({
            "signature": row.signature,
            "bound": row.bound,
            "pages": row.pages,
            "bytes_per_page": self.bytes(row),
            "candidates": row.candidates(),
            "estimated": row.is_estimate(),
            "bands": bands(|band| json!({
                "known": row.bands[band].known,
                "tried": row.bands[band].tried,
                "taken": row.bands[band].taken,
                "recall": row.recall(band),
                "precision_from": row.precision(band),
            })),
        });
        if let Some(micros) = &self.micros {
            value["micros_per_page"] = micros[i].into();
        }
        if !self.note(i).is_empty() {
            value["note"] = self.note(i).into();
        }
        value
    }
}

/// An object a band, with its ends.
fn bands(of: impl Fn(usize) -> Value) -> Vec<Value> {
    let with_ends = |band: usize| {
        let mut value = of(band);
        value["from"] = BANDS[band].into();
        value["to"] = BANDS.get(band + 1).copied().unwrap_or(1.0).into();
        value
    };
    (0..BANDS.len()).map(with_ends).collect()
}

/// A share in few places: 1 and 0 only where it is exactly that.
fn short(share: f64) -> String {
    let rounded = format!("{share:.3}");
    match rounded.as_str() {
        "1.000" if share < 1.0 => ">.999".to_owned(),
        "0.000" if share > 0.0 => "<.001".to_owned(),
        "1.000" | "0.000" => rounded[..1].to_owned(),
        _ => rounded.trim_start_matches('0').to_owned(),
    }
}

/// A field of CSV.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_but_never_to_all_or_nothing() {
        for (share, shown) in
            [(1.0, "1"), (0.0, "0"), (0.9999, ">.999"), (0.0001, "<.001"), (0.5, ".500"), (0.1236, ".124")]
        {
            assert_eq!(short(share), shown);
        }
    }

    #[test]
    fn fields_with_commas_are_quoted() {
        assert_eq!((quoted("a b"), quoted("a, \"b\"")), ("a b".to_owned(), "\"a, \"\"b\"\"\"".to_owned()));
    }
}
