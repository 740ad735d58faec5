//! The texts of what stays: table `texts` again, or a JSON object a line, for those who train models.
//!
//! **Definition.** Of each page that stays the text of its current capture, in the order of the table. Of repeated lines and paragraphs, where these are left out, the first copy
//! in that order stays, or none. A text without them has
//! other words than its page: they are counted again, and what was derived from the whole text (Markdown, MinHash bands,
//! languages of its lines) is left empty. A text of which nothing is left is counted and left out.
//!
//! **Cost.** One pass over `texts`. Memory: a row group; a bit a row of `repeated`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use webmill_capture::bits::Bits;
use webmill_capture::error::{AtPath, Error, Result};
use webmill_mill::{TextRow, Weigh};
use webmill_table::{Footer, PartWriter, RowReader};

use webmill_jobs::repeated::known::KnownRepeated;

/// Bytes of rows in memory after which a row group ends.
const GROUP_BYTES: usize = 8 << 20;

/// How texts are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextForm {
    /// Table `texts`, part by part.
    Parquet,
    /// texts.jsonl: an object a line.
    Jsonl,
    /// The same, compressed by gzip.
    #[value(name = "jsonl.gz")]
    #[serde(rename = "jsonl.gz")]
    JsonlGz,
    /// The same, compressed by Zstandard.
    #[value(name = "jsonl.zst")]
    #[serde(rename = "jsonl.zst")]
    JsonlZst,
}

/// Which copies of repeated lines and paragraphs are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Copies {
    /// All but the first one that is written.
    Later,
    /// All.
    All,
}

/// What was written and left out.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TextCounts {
    /// Texts written.
    pub texts: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Texts of pages that go, by the tables.
    pub dropped: u64,
    /// Texts of captures that another one superseded.
    pub superseded: u64,
    /// Repeated lines left out, by themselves.
    pub repeated_lines: u64,
    /// Repeated paragraphs left out as a whole.
    pub repeated_paragraphs: u64,
    /// Bytes of these.
    pub repeated_bytes: u64,
    /// Texts that had nothing else.
    pub emptied: u64,
}

/// What is to be written.
pub struct TextOutput<'a> {
    /// How.
    pub form: TextForm,
    /// Lines and paragraphs that are left out.
    pub repeated: Option<(&'a KnownRepeated, Copies)>,
    /// Key of the results, for the footers of tables.
    pub job_key: String,
}

/// Which texts stay. What goes it counts itself.
pub trait Selection {
    /// Takes the rows of a row group of a part of table `texts`, and gives those that stay.
    ///
    /// # Errors
    /// Where what it goes by cannot be read.
    fn select(&mut self, part: &Path, rows: Vec<TextRow>) -> Result<Vec<TextRow>>;

    /// Is told of each current one that it gave: whether it was written, or nothing but repeated lines was in it.
    ///
    /// # Errors
    /// Where it writes that down and the disk refuses.
    fn told(&mut self, _row: &TextRow, _is_written: bool) -> Result<()> {
        Ok(())
    }
}

impl<F: FnMut(&Path, Vec<TextRow>) -> Result<Vec<TextRow>>> Selection for F {
    fn select(&mut self, part: &Path, rows: Vec<TextRow>) -> Result<Vec<TextRow>> {
        self(part, rows)
    }
}

/// Writes the texts of what stays below `folder`, or only counts them. `texts` are the parts of this table.
///
/// # Errors
/// Where a table cannot be read or the disk refuses; those of the selection.
pub fn write(
    texts: &[PathBuf],
    wish: &TextOutput<'_>,
    folder: Option<&Path>,
    selection: &mut impl Selection,
) -> Result<TextCounts> {
    let mut counts = TextCounts::default();
    let mut out = folder.map(|folder| Sink::create(wish, folder)).transpose()?;
    let mut met = Bits::default();
    for table in texts {
        if let Some(out) = &mut out {
            out.begin(table)?;
        }
        let mut reader = RowReader::<TextRow>::open(table)?;
        while let Some(rows) = reader.next()? {
            for row in selection.select(table, rows)? {
                if !row.is_current {
                    counts.superseded += 1;
                    continue;
                }
                match pruned(row, wish.repeated, &mut met, &mut counts) {
                    Ok(row) => {
                        selection.told(&row, true)?;
                        counts.texts += 1;
                        counts.bytes += row.text.len() as u64;
                        out.as_mut().map_or(Ok(()), |out| out.put(row))?;
                    }
                    Err(row) => selection.told(&row, false)?,
                }
            }
        }
    }
    out.map_or(Ok(()), Sink::finish)?;
    Ok(counts)
}

/// The row with another text: its words are counted again, and what followed from the former text is left empty.
pub fn with_text(mut row: TextRow, text: String) -> TextRow {
    let mut num_words = 0u32;
    webmill_text::words(&text, |_| num_words = num_words.saturating_add(1));
    row.markdown = String::new();
    row.bands = Vec::new();
    row.paragraph_languages = Vec::new();
    row.num_words = num_words;
    row.text = text;
    row
}

/// A row without repeated text; the row itself as the error where nothing would be left of it.
fn pruned(
    row: TextRow,
    repeated: Option<(&KnownRepeated, Copies)>,
    met: &mut Bits,
    counts: &mut TextCounts,
) -> Result<TextRow, Box<TextRow>> {
    let Some((known, copies)) = repeated else { return Ok(row) };
    let pruned = match copies {
        Copies::Later => known.without_later(&row.text, met),
        Copies::All => known.without(&row.text),
    };
    if pruned.lines + pruned.paragraphs == 0 {
        return Ok(row);
    }
    counts.repeated_lines += pruned.lines;
    counts.repeated_paragraphs += pruned.paragraphs;
    counts.repeated_bytes += pruned.bytes;
    if pruned.text.trim().is_empty() {
        counts.emptied += 1;
        return Err(Box::new(row));
    }
    let text = pruned.text.into_owned();
    Ok(with_text(row, text))
}

/// A text as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    url: &'a str,
    title: Option<&'a str>,
    text: &'a str,
    language: Option<&'a str>,
    language_confidence: Option<f32>,
    page_type: &'a str,
    num_words: u32,
    warc_filename: &'a str,
    warc_record_offset: i64,
}

/// Where texts go.
enum Sink {
    /// With the bytes of rows that are gathered.
    Table {
        folder: PathBuf,
        footer: Footer,
        open: Option<Box<PartWriter<TextRow>>>,
        gathered: usize,
    },
    Lines {
        path: PathBuf,
        form: Box<Lines>,
    },
}

enum Lines {
    Plain(BufWriter<File>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl Lines {
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        match self {
            Lines::Plain(file) => file.write_all(bytes),
            Lines::Gzip(encoder) => encoder.write_all(bytes),
            Lines::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Lines::Plain(mut file) => file.flush(),
            Lines::Gzip(encoder) => encoder.finish()?.flush(),
            Lines::Zstd(encoder) => encoder.finish()?.flush(),
        }
    }
}

impl Sink {
    fn create(wish: &TextOutput<'_>, folder: &Path) -> Result<Sink> {
        let name = match wish.form {
            TextForm::Parquet => {
                let folder = folder.join("texts");
                std::fs::create_dir_all(&folder).at(&folder)?;
                let footer = Footer { job_key: wish.job_key.clone() };
                return Ok(Sink::Table { folder, footer, open: None, gathered: 0 });
            }
            TextForm::Jsonl => "texts.jsonl",
            TextForm::JsonlGz => "texts.jsonl.gz",
            TextForm::JsonlZst => "texts.jsonl.zst",
        };
        let path = folder.join(name);
        let file = BufWriter::with_capacity(256 << 10, File::create(&path).at(&path)?);
        let form = match wish.form {
            TextForm::JsonlGz => {
                Lines::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
            TextForm::JsonlZst => Lines::Zstd(zstd::stream::write::Encoder::new(file, 0).at(&path)?),
            TextForm::Jsonl | TextForm::Parquet => Lines::Plain(file),
        };
        Ok(Sink::Lines { path, form: Box::new(form) })
    }

    /// Texts of this part follow.
    fn begin(&mut self, part: &Path) -> Result<()> {
        if let Sink::Table { folder, footer, open, gathered } = self {
            *gathered = 0;
            if let Some(writer) = open.take() {
                writer.finish()?;
            }
            let path = folder.join(part.file_name().unwrap_or_default());
            *open = Some(Box::new(PartWriter::create(&path, footer)?));
        }
        Ok(())
    }

    fn put(&mut self, row: TextRow) -> Result<()> {
        match self {
            Sink::Table { open: Some(writer), gathered, .. } => {
                *gathered += row.weight();
                writer.push(row)?;
                if *gathered >= GROUP_BYTES {
                    *gathered = 0;
                    writer.end_group()?;
                }
                Ok(())
            }
            Sink::Table { .. } => Ok(()),
            Sink::Lines { path, form } => {
                let line = Line {
                    url: &row.url,
                    title: row.title.as_deref(),
                    text: &row.text,
                    language: row.language.as_deref(),
                    language_confidence: row.language_confidence,
                    page_type: row.page_type.as_str(),
                    num_words: row.num_words,
                    warc_filename: &row.warc_filename,
                    warc_record_offset: row.warc_record_offset,
                };
                let mut bytes =
                    serde_json::to_vec(&line).map_err(|e| Error::Internal(format!("a line of JSON: {e}")))?;
                bytes.push(b'\n');
                form.write_all(&bytes).at(&*path)
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Sink::Table { open, .. } => open.map_or(Ok(()), |writer| writer.finish().map(|_| ())),
            Sink::Lines { path, form } => form.finish().at(&path),
        }
    }
}

#[cfg(test)]
mod tests {
    use webmill_dedup::RepeatedOptions;
    use webmill_sort::Budget;

    use super::*;

    #[test]
    fn repeated_lines_are_left_out_with_what_followed_from_them() {
        let notice = "All rights reserved. No part of this site may be copied anywhere.";
        let folder = tempfile::tempdir().unwrap();
        let hashes = RepeatedOptions::default().hashes(notice);
        let budget = Budget::new(1 << 16).in_dir(folder.path());
        let known = KnownRepeated::of_hashes(hashes, 40, &budget).unwrap();
        let row = |text: &str| TextRow {
            text: text.into(),
            markdown: "# All".into(),
            bands: vec![1],
            num_words: 99,
            ..TextRow::default()
        };
        let mut counts = TextCounts::default();
        let mut met = Bits::default();
        let mut later = |text: &str| {
            let repeated = Some((&known, Copies::Later));
            pruned(row(text), repeated, &mut met, &mut TextCounts::default()).ok().map(|row| row.text)
        };
        // The first copy stays, and the second one in the same text goes.
        assert_eq!(later(&format!("{notice}\nThe story.\n{notice}")), Some(format!("{notice}\nThe story.")));
        assert_eq!(later(&format!("Another.\n{notice}")), Some("Another.".into()));
        assert_eq!(later(notice), None);
        let mut pruned =
            |text: &str| pruned(row(text), Some((&known, Copies::All)), &mut met, &mut counts).ok();
        let left = pruned(&format!("The story.\n{notice}\nIts end.")).unwrap();
        assert_eq!(
            (&*left.text, left.num_words, &*left.markdown, left.bands.len()),
            ("The story.\nIts end.", 4, "", 0)
        );
        assert_eq!(pruned("Nothing of it."), Some(row("Nothing of it.")));
        assert_eq!(pruned(notice), None);
        assert_eq!((counts.repeated_lines, counts.emptied), (2, 1));
        assert_eq!(counts.repeated_bytes, 2 * notice.len() as u64 + 1);
    }
}
