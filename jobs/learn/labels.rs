//! Files of labels, and of labelled texts: CSV, TSV, JSON lines or Parquet, in any encoding.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use webmill_capture::error::AtPath;
use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_html::decode;
use webmill_table::{Reader, columns, table};

table! {
    /// What a Parquet file of labels must have.
    LabelRow = "labels" {
        url: String = "address of the page", "http://example.com/";
        label: String = "class of the page", "sport";
    }
}

columns! {
    struct Label from LabelRow { url, label }
}

/// A line of a table of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Number of the line, from 1.
    pub number: u64,
    /// Its address.
    pub url: Option<String>,
    /// Its title.
    pub title: String,
    /// Its text.
    pub text: String,
    /// Its label.
    pub label: Option<String>,
}

/// Columns by the names in the first line.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ColumnNames {
    /// Of texts.
    pub text: String,
    /// Of labels.
    pub label: String,
}

impl Default for ColumnNames {
    fn default() -> Self {
        ColumnNames { text: "text".into(), label: "label".into() }
    }
}

/// How a file is laid out, by the end of its name.
#[derive(Clone, Copy, PartialEq)]
enum Layout {
    Separated(u8),
    JsonLines,
    Parquet,
}

fn layout(path: &Path) -> Result<Layout> {
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    match end.as_deref() {
        Some("csv") => Ok(Layout::Separated(b',')),
        Some("tsv" | "tab" | "txt") => Ok(Layout::Separated(b'\t')),
        Some("jsonl" | "ndjson" | "json") => Ok(Layout::JsonLines),
        Some("parquet") => Ok(Layout::Parquet),
        _ => Err(Error::Config(format!(
            "{}: how it is laid out shows by the end of its name: .csv, .tsv, .txt (tabs), .jsonl or .parquet",
            path.display()
        ))),
    }
}

/// Labels by canonical URL, and what of the file is none, by reason.
#[derive(Debug, Default)]
pub struct LabelFile {
    /// Labels of each URL, each once, in the order of the file.
    pub labels: BTreeMap<String, Vec<String>>,
    /// Lines that are left out.
    pub left_out: BTreeMap<&'static str, u64>,
}

impl LabelFile {
    /// Reads a file of `url,label`. Its first line may be a head.
    ///
    /// # Errors
    /// Where it cannot be read or is laid out otherwise.
    pub fn read(path: &Path, most_bytes: u64) -> Result<LabelFile> {
        let mut file = LabelFile::default();
        if layout(path)? == Layout::Parquet {
            let mut reader = Reader::<Label>::over(vec![path.to_path_buf()]);
            while let Some(batch) = reader.next()? {
                batch.rows().for_each(|row| file.add(row.url, row.label));
            }
        } else {
            let names = ColumnNames { text: "url".into(), label: "label".into() };
            each_line(path, &names, most_bytes, |line| {
                match line {
                    Some(line) => file.add(&line.text, line.label.as_deref().unwrap_or_default()),
                    None => *file.left_out.entry("label-line-damaged").or_default() += 1,
                }
                Ok(())
            })?;
        }
        if file.labels.is_empty() {
            let left_out: u64 = file.left_out.values().sum();
            return Err(Error::Config(format!(
                "{}: no line has a URL and a label ({left_out} lines were looked at); lines are url,label",
                path.display()
            )));
        }
        Ok(file)
    }

    fn add(&mut self, url: &str, label: &str) {
        let (url, label) = (url.trim(), label.trim());
        let Some(canonical) = CanonicalUrl::parse(url) else {
            *self.left_out.entry("label-without-url").or_default() += 1;
            return;
        };
        if label.is_empty() {
            *self.left_out.entry("empty-label").or_default() += 1;
            return;
        }
        let of = self.labels.entry(canonical.into_string()).or_default();
        if !of.iter().any(|known| known == label) {
            of.push(label.to_owned());
        }
    }
}

/// Calls `each` with every line of a table of texts and labels; `None` for a line that is damaged.
///
/// # Errors
/// Where the file cannot be read or lacks a column; what `each` meets.
pub fn each_line(
    path: &Path,
    names: &ColumnNames,
    most_bytes: u64,
    mut each: impl FnMut(Option<Line>) -> Result<()>,
) -> Result<()> {
    let bytes = std::fs::metadata(path).at(path)?.len();
    if bytes > most_bytes {
        return Err(Error::Limit(format!(
            "{}: {} MiB are read as a whole, and --memory allows {} MiB of it; cut the file",
            path.display(),
            bytes >> 20,
            most_bytes >> 20
        )));
    }
    let layout = layout(path)?;
    let bytes = std::fs::read(path).at(path)?;
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(_) => decode(&bytes, None, None).text,
    };
    match layout {
        Layout::JsonLines => json_lines(&text, names, each),
        Layout::Separated(delimiter) => separated(path, &text, delimiter, names, each),
        Layout::Parquet => {
            drop(text);
            each(None)?;
            Err(Error::Config(format!(
                "{}: labelled texts are read from .csv, .tsv and .jsonl; .parquet has labels of URLs only",
                path.display()
            )))
        }
    }
}

fn json_lines(
    text: &str,
    names: &ColumnNames,
    mut each: impl FnMut(Option<Line>) -> Result<()>,
) -> Result<()> {
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let value: Option<serde_json::Value> = serde_json::from_str(line).ok();
        let of = |name: &str| match value.as_ref().and_then(|value| value.get(name)) {
            Some(serde_json::Value::String(text)) => Some(text.clone()),
            Some(value @ (serde_json::Value::Number(_) | serde_json::Value::Bool(_))) => {
                Some(value.to_string())
            }
            _ => None,
        };
        each(of(&names.text).map(|text| Line {
            number,
            url: of("url"),
            title: of("title").unwrap_or_default(),
            text,
            label: of(&names.label),
        }))?;
    }
    Ok(())
}

fn separated(
    path: &Path,
    text: &str,
    delimiter: u8,
    names: &ColumnNames,
    mut each: impl FnMut(Option<Line>) -> Result<()>,
) -> Result<()> {
    // In tables with tabs, quotation marks are those of texts.
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(delimiter == b',')
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut at: Option<[Option<usize>; 4]> = None;
    for record in reader.records() {
        let Ok(record) = record else {
            each(None)?;
            continue;
        };
        let number = record.position().map_or(0, csv::Position::line);
        let of_columns = match at {
            Some(known) => known,
            None => {
                let find =
                    |name: &str| record.iter().position(|field| field.trim().eq_ignore_ascii_case(name));
                let (text, label) = (find(&names.text), find(&names.label));
                if text.is_some() && label.is_some() || text.is_some() && record.len() == 1 {
                    at = Some([text, label, find("url"), find("title")]);
                    continue;
                }
                if record.len() > 2 {
                    let found: Vec<&str> = record.iter().take(8).collect();
                    return Err(Error::Config(format!(
                        "{}: its first line names no columns {} and {}, it has: {}",
                        path.display(),
                        names.text,
                        names.label,
                        crate::inputs::clip(&found.join(", "), 200)
                    )));
                }
                let plain = [Some(0), Some(1), None, None];
                at = Some(plain);
                plain
            }
        };
        let of = |column: usize| of_columns[column].and_then(|at| record.get(at)).map(str::to_owned);
        each(of(0).map(|text| Line {
            number,
            url: of(2),
            title: of(3).unwrap_or_default(),
            text,
            label: of(1).filter(|label| !label.trim().is_empty()),
        }))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Result<LabelFile> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        LabelFile::read(&path, 1 << 20)
    }

    #[test]
    fn labels_come_in_many_forms() {
        let expected: Vec<(&str, &[&str])> =
            vec![("http://a.org/", &["体育", "b"]), ("http://b.org/x", &["c"])];
        let csv = "url,label\nhttp://a.org,体育\nHTTP://A.org/,b\nhttp://b.org/x,c\nhttp://b.org/x,c\n";
        let (gbk, _, _) = encoding_rs::GBK.encode(csv);
        let with_mark = format!("\u{feff}{csv}");
        let tsv = csv.replace(',', "\t");
        let json = "{\"url\":\"http://a.org\",\"label\":\"体育\"}\n{\"label\":\"b\",\"url\":\"http://a.org/\"}\n\n{\"url\":\"http://b.org/x\",\"label\":\"c\"}\n";
        let headless = csv.replace("url,label\n", "");
        for (name, bytes) in [
            ("a.csv", csv.as_bytes()),
            ("b.csv", &gbk),
            ("c.csv", with_mark.as_bytes()),
            ("d.tsv", tsv.as_bytes()),
            ("e.jsonl", json.as_bytes()),
            ("f.csv", headless.as_bytes()),
        ] {
            let file = read(name, bytes).unwrap();
            let found: Vec<(&str, Vec<&str>)> = file
                .labels
                .iter()
                .map(|(url, labels)| (url.as_str(), labels.iter().map(String::as_str).collect()))
                .collect();
            let expected: Vec<(&str, Vec<&str>)> =
                expected.iter().map(|(url, labels)| (*url, labels.to_vec())).collect();
            assert_eq!(found, expected, "{name}");
            assert!(file.left_out.is_empty(), "{name} {:?}", file.left_out);
        }
    }

    #[test]
    fn what_is_no_label_is_counted_or_named() {
        let file = read("a.csv", b"url,label\nnone,x\nhttp://a.org/,\nhttp://b.org/,y\n").unwrap();
        assert_eq!(file.left_out, BTreeMap::from([("empty-label", 1), ("label-without-url", 1)]));
        assert!(read("a.xlsx", b"").unwrap_err().to_string().contains(".csv, .tsv"));
        assert!(read("a.csv", b"").unwrap_err().to_string().contains("no line has a URL and a label"));
        assert!(read("a.csv", b"a,b,c\n1,2,3\n").unwrap_err().to_string().contains("it has: a, b, c"));
        assert!(read("a.parquet", b"no parquet").is_err());
        let json = read("a.jsonl", b"{\"url\": 1\n{\"url\":\"http://a.org\",\"label\":2}\n").unwrap();
        assert_eq!(json.left_out, BTreeMap::from([("label-line-damaged", 1)]));
        assert_eq!(json.labels["http://a.org/"], ["2"]);
    }
}
