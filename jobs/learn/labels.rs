//! Reads files of labels, and of labelled texts: CSV (`,`, `;` or tabs), TSV, JSON (lines or an array) or Parquet, in any encoding.
//!
//! The jobs of `webmill learn` call it for `--labels`, and for tables given in place of results.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use webmill_capture::cut::Cut;

use webmill_capture::error::AtPath;
use webmill_capture::{CanonicalUrl, Error, Result};
use webmill_html::decode;
use webmill_table::TextReader;

/// A line of a table of texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    /// Number of the line, from 1.
    pub number: u64,
    /// What tells it from the others: the number of the line; in an array, where a line may hold many, of the element.
    pub place: u64,
    /// Its address.
    pub url: Option<String>,
    /// Title of the page; empty if the row has none.
    pub title: String,
    /// Text of the row.
    pub text: String,
    /// Label of the row, if it has one.
    pub label: Option<String>,
}

/// Columns by the names in the first line.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ColumnNames {
    /// Name of the column with texts.
    pub text: String,
    /// Name of the column with labels.
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
    /// By commas, or what the first line has.
    Commas,
    Tabs,
    Json,
    Parquet,
}

fn layout(path: &Path) -> Result<Layout> {
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    match end.as_deref() {
        Some("csv") => Ok(Layout::Commas),
        Some("tsv" | "tab" | "txt") => Ok(Layout::Tabs),
        Some("jsonl" | "ndjson" | "json") => Ok(Layout::Json),
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
        let names = ColumnNames { text: "url".into(), label: "label".into() };
        let mut first = None;
        each_line(path, &names, most_bytes, |line| {
            match line {
                Some(line) => {
                    file.add(&line.text, line.label.as_deref().unwrap_or_default());
                    if file.labels.is_empty() {
                        first.get_or_insert(line);
                    }
                }
                None => *file.left_out.entry("label-line-damaged").or_default() += 1,
            }
            Ok(())
        })?;
        if file.labels.is_empty() {
            let found = first.map_or("it is empty".into(), |line| {
                let label = line.label.unwrap_or_default();
                format!("line {} has the URL {} and the label '{label}'", line.number, line.text)
            });
            return Err(Error::Config(format!(
                "{}: no line has a URL and a label: {}; lines are url,label, and a table with other marks than commas begins with \
                 the names of its columns (url;label)",
                path.display(),
                crate::inputs::clip(&found, 300)
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

/// What a line has, or why it is damaged.
type LineResult = std::result::Result<Line, String>;

/// Calls `each` with every line of a table of texts and labels; `None` for a line that is damaged. The first of these is said.
///
/// # Errors
/// Where the file cannot be read, is not of its form, lacks a column or has damaged lines only: with the line; what `each` meets.
pub fn each_line(
    path: &Path,
    names: &ColumnNames,
    most_bytes: u64,
    mut each: impl FnMut(Option<Line>) -> Result<()>,
) -> Result<()> {
    let (mut good, mut damaged, mut first) = (0u64, 0u64, String::new());
    let mut one = |number: u64, found: LineResult| {
        match &found {
            Ok(_) => good += 1,
            Err(why) => {
                damaged += 1;
                if damaged == 1 {
                    first = format!("{}: line {number}: {why}", path.display());
                }
            }
        }
        each(found.ok())
    };
    let layout = layout(path)?;
    if layout == Layout::Parquet {
        parquet(path, names, &mut one)?;
    } else {
        let bytes = read(path, most_bytes)?;
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(_) => decode(&bytes, None, None).text,
        };
        let wrong =
            |(number, why): (u64, String)| Error::Config(format!("{}: line {number}: {why}", path.display()));
        match layout {
            Layout::Json => json(&text, names, &wrong, &mut one)?,
            Layout::Commas => {
                let delimiter = delimiter(&text, names);
                misquoted(&text, delimiter).map_or(Ok(()), |found| Err(wrong(found)))?;
                separated(&text, (delimiter, true), names, &wrong, &mut one)?;
            }
            // In tables with tabs, quotation marks are those of texts.
            _ => separated(&text, (b'\t', false), names, &wrong, &mut one)?,
        }
    }
    match (good, damaged) {
        (_, 0) => Ok(()),
        (0, _) => Err(Error::Config(first)),
        (_, 1) => {
            crate::say!("{first}; it is left out");
            Ok(())
        }
        _ => {
            crate::say!("{first}; it and {} other lines are left out", damaged - 1);
            Ok(())
        }
    }
}

fn read(path: &Path, most_bytes: u64) -> Result<Vec<u8>> {
    let bytes = std::fs::metadata(path).at(path)?.len();
    if bytes > most_bytes {
        return Err(Error::Limit(format!(
            "{}: {} MiB are read as a whole, and --memory leaves {} MiB of it; cut the file",
            path.display(),
            bytes >> 20,
            most_bytes >> 20
        )));
    }
    std::fs::read(path).at(path)
}

fn parquet(
    path: &Path,
    names: &ColumnNames,
    each: &mut impl FnMut(u64, LineResult) -> Result<()>,
) -> Result<()> {
    let mut reader = TextReader::open(path, &[&names.text, &names.label, "url", "title"])?;
    if !reader.has(0) {
        return Err(Error::Config(format!("{}: it has no column {}", path.display(), names.text)));
    }
    let mut number = 0;
    while let Some((_, mut columns)) = reader.next_group()? {
        let [texts, labels, urls, titles] =
            [0, 1, 2, 3].map(|column: usize| std::mem::take(&mut columns[column]));
        for (((text, label), url), title) in texts.into_iter().zip(labels).zip(urls).zip(titles) {
            number += 1;
            let found = text.ok_or_else(|| format!("no {}", names.text));
            each(
                number,
                found.map(|text| Line {
                    number,
                    place: number,
                    url,
                    title: title.unwrap_or_default(),
                    text,
                    label,
                }),
            )?;
        }
    }
    Ok(())
}

/// Objects, one a line or in an array.
fn json(
    text: &str,
    names: &ColumnNames,
    wrong: &impl Fn((u64, String)) -> Error,
    each: &mut impl FnMut(u64, LineResult) -> Result<()>,
) -> Result<()> {
    let mut one = |number: u64, place: u64, value: serde_json::Result<serde_json::Value>| {
        let found = value.map_err(|error| no_json(&error)).and_then(|value| {
            let of = |name: &str| match value.get(name) {
                Some(serde_json::Value::String(text)) => Some(text.clone()),
                Some(value @ (serde_json::Value::Number(_) | serde_json::Value::Bool(_))) => {
                    Some(value.to_string())
                }
                _ => None,
            };
            let text = of(&names.text).ok_or_else(|| format!("no object with {:?}", names.text))?;
            let (url, title, label) = (of("url"), of("title").unwrap_or_default(), of(&names.label));
            Ok(Line { number, place, url, title, text, label })
        });
        each(number, found)
    };
    let Some(mut rest) = text.trim_start().strip_prefix('[') else {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        return lines.try_for_each(|(number, line)| one(number, number, serde_json::from_str(line)));
    };
    let lines = |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
    let (mut number, mut place) = (1 + lines(text.cut(..text.len() - rest.len())), 0);
    loop {
        let next = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        number += lines(rest.cut(..rest.len() - next.len()));
        rest = next;
        if let Some(behind) = rest.strip_prefix(']') {
            let more = "something follows the end of the array".to_owned();
            return if behind.trim().is_empty() { Ok(()) } else { Err(wrong((number, more))) };
        }
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        match values.next() {
            Some(Ok(value)) => {
                place += 1;
                one(number, place, Ok(value))?;
            }
            Some(Err(error)) => {
                return Err(wrong((number + error.line() as u64 - 1, no_json(&error))));
            }
            None => return Err(wrong((number, "the array that the file begins with is not closed".into()))),
        }
        let (value, behind) = rest.split_at(values.byte_offset());
        number += lines(value);
        rest = behind;
    }
}

/// Why a text is no JSON, without the place in it.
fn no_json(error: &serde_json::Error) -> String {
    let why = error.to_string();
    format!("no JSON: {}", why.split_once(" at line ").map_or(&*why, |(why, _)| why))
}

/// The mark between columns: where the first line names the columns, the one by which it does; else a comma.
fn delimiter(text: &str, names: &ColumnNames) -> u8 {
    let first = text.lines().next().unwrap_or_default();
    let names_both = |mark: &u8| {
        let fields: Vec<&str> =
            first.split(char::from(*mark)).map(|field| field.trim().trim_matches('"')).collect();
        [&names.text, &names.label]
            .iter()
            .all(|name| fields.iter().any(|field| field.eq_ignore_ascii_case(name)))
    };
    [b',', b';', b'\t'].into_iter().find(names_both).unwrap_or(b',')
}

/// The first line with a quotation mark that opens a field and does not close it.
fn misquoted(text: &str, delimiter: u8) -> Option<(u64, String)> {
    let bytes = text.as_bytes();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        if bytes[at] == b'"' {
            let opened = line;
            at += 1;
            loop {
                let end = at + memchr::memchr(b'"', &bytes[at..]).unwrap_or(bytes.len() - at);
                line += memchr::memchr_iter(b'\n', &bytes[at..end]).count() as u64;
                if end == bytes.len() {
                    return Some((opened, "a quotation mark opens a field here and is never closed".into()));
                }
                at = end + 1;
                match bytes.get(at) {
                    Some(b'"') => at += 1,
                    None | Some(b'\r' | b'\n') => break,
                    Some(byte) if *byte == delimiter => break,
                    Some(_) => {
                        let why = format!(
                            "a quotation mark opens a field here, and behind the one that closes it, in line {line}, the field goes on"
                        );
                        return Some((opened, why));
                    }
                }
            }
        }
        // The next field.
        at += memchr::memchr2(delimiter, b'\n', &bytes[at..]).unwrap_or(bytes.len() - at);
        line += u64::from(bytes.get(at) == Some(&b'\n'));
        at += 1;
    }
    None
}

/// Where text, label, URL and title stand in a line, and how many columns there are.
type Places = ([Option<usize>; 4], usize);

/// The places that the first line names; `None` if it is a text and its label itself.
fn named_places(first: &csv::StringRecord, names: &ColumnNames) -> Result<Option<Places>, String> {
    let find = |name: &str| first.iter().position(|field| field.trim().eq_ignore_ascii_case(name));
    let (text, label) = (find(&names.text), find(&names.label));
    if text.is_some() && (label.is_some() || first.len() == 1) {
        return Ok(Some(([text, label, find("url"), find("title")], first.len())));
    }
    if first.len() <= 2 {
        return Ok(None);
    }
    let found: Vec<&str> = first.iter().take(8).collect();
    let found = crate::inputs::clip(&found.join(", "), 200);
    Err(format!("it names no columns {} and {}, it has: {found}", names.text, names.label))
}

fn separated(
    text: &str,
    (delimiter, quoting): (u8, bool),
    names: &ColumnNames,
    wrong: &impl Fn((u64, String)) -> Error,
    each: &mut impl FnMut(u64, LineResult) -> Result<()>,
) -> Result<()> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .quoting(quoting)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut at: Option<Places> = None;
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let number = error.position().map_or(0, csv::Position::line);
                each(number, Err(error.to_string()))?;
                continue;
            }
        };
        let number = record.position().map_or(0, csv::Position::line);
        let (of_columns, width) = match at {
            Some(known) => known,
            None => match named_places(&record, names).map_err(|why| wrong((number, why)))? {
                Some(named) => {
                    at = Some(named);
                    continue;
                }
                None => *at.insert(([Some(0), Some(1), None, None], 2)),
            },
        };
        if record.iter().skip(width).any(|field| !field.trim().is_empty()) {
            let why = format!(
                "{} fields, where {width} are expected: one with {:?} needs quotation marks",
                record.len(),
                char::from(delimiter)
            );
            each(number, Err(why))?;
            continue;
        }
        let of = |column: usize| of_columns[column].and_then(|at| record.get(at)).map(str::to_owned);
        let found = of(0).ok_or_else(|| format!("no {}", names.text));
        each(
            number,
            found.map(|text| Line {
                number,
                place: number,
                url: of(2),
                title: of(3).unwrap_or_default(),
                text,
                label: of(1).filter(|label| !label.trim().is_empty()),
            }),
        )?;
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
            ("g.csv", csv.replace(',', ";").as_bytes()),
            ("h.csv", tsv.as_bytes()),
            ("i.json", format!("[\n{}]", json.replace("}\n{", "},{").replace("}\n\n{", "},\n{")).as_bytes()),
            ("j.csv", csv.replace(",c", ",\"c\"").as_bytes()),
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
    fn elements_of_an_array_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let element = "{\"text\": \"a\", \"label\": \"b\"}";
        std::fs::write(&path, format!("[{element}, {element},\n{element}]")).unwrap();
        let mut found = Vec::new();
        each_line(&path, &ColumnNames::default(), 1 << 20, |line| {
            found.extend(line.map(|line| (line.number, line.place)));
            Ok(())
        })
        .unwrap();
        assert_eq!(found, [(1, 1), (1, 2), (2, 3)]);
    }

    #[test]
    fn what_is_no_label_is_counted_or_named() {
        let file = read("a.csv", b"url,label\nnone,x\nhttp://a.org/,\nhttp://b.org/,y\n").unwrap();
        assert_eq!(file.left_out, BTreeMap::from([("empty-label", 1), ("label-without-url", 1)]));
        assert!(read("a.xlsx", b"").unwrap_err().to_string().contains(".csv, .tsv"));
        assert!(read("a.csv", b"").unwrap_err().to_string().contains("no line has a URL and a label"));
        assert!(
            read("a.csv", b"a,b,c\n1,2,3\n")
                .unwrap_err()
                .to_string()
                .contains("line 1: it names no columns url and label, it has: a, b, c")
        );
        assert!(read("a.parquet", b"no parquet").is_err());
        let wrong = |name: &str, text: &str, words: &str| {
            let error = read(name, text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(words), "{name}: {error}");
        };
        wrong(
            "a.csv",
            "url,label\nhttp://a.org/,x\n\"http://b.org/,y\nhttp://c.org/,z\n",
            "line 3: a quotation mark opens",
        );
        let closed_late = "url,label\n\"http://b.org/,y\nhttp://c.org/,z\n\"http://d.org/\",z\n";
        wrong(
            "a.csv",
            closed_late,
            "line 2: a quotation mark opens a field here, and behind the one that closes it, in line 4",
        );
        wrong(
            "a.csv",
            "http://a.org/;sport\nhttp://b.org/;tea\n",
            "line 1 has the URL http://a.org/;sport and the label",
        );
        wrong("a.json", "[{\"url\": \"http://a.org\",\n \"label\" 2}]", "line 2: no JSON");
        wrong("a.json", "[{\"url\": \"http://a.org\", \"label\": 2},\n", "line 2: the array");
        wrong("a.json", "[{\"url\": \"http://a.org\", \"label\": 2}\n] {}", "line 2: something follows");
        wrong("a.json", "[[1, 2]]", "line 1: no object with \"url\"");
        let ragged = read("a.csv", b"url,label\nhttp://a.org/,x,\nhttp://b.org/1,2,y\n").unwrap();
        assert_eq!((ragged.labels.len(), ragged.left_out["label-line-damaged"]), (1, 1));
        let json = read("a.jsonl", b"{\"url\": 1\n{\"url\":\"http://a.org\",\"label\":2}\n").unwrap();
        assert_eq!(json.left_out, BTreeMap::from([("label-line-damaged", 1)]));
        assert_eq!(json.labels["http://a.org/"], ["2"]);
    }
}
