//! Items of benchmarks, read from files of JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use webmill_capture::error::{AtPath, Error, Result};
use webmill_learn::quality::{Contamination, ContaminationOptions};

/// Bytes of the longest line.
const LONGEST_LINE: u64 = 16 << 20;

/// Fields that name an item, in the order in which they are looked for.
const NAMES: [&str; 5] = ["id", "task_id", "question_id", "_id", "key"];

/// Items of benchmarks, and their names.
pub struct Items {
    rows: Contamination,
    /// Number of the file and name of each item.
    names: Vec<(u32, Box<str>)>,
    files: Vec<String>,
}

impl Items {
    /// Reads the items of some files, within `memory` bytes; whether more of their lines than `max_bad` could not be read. `None` without files.
    ///
    /// # Errors
    /// Where a file cannot be read, or the items do not fit.
    pub fn read(paths: &[PathBuf], share: f64, memory: u64, max_bad: f64) -> Result<(Option<Items>, bool)> {
        let options = ContaminationOptions { share, ..ContaminationOptions::default() };
        let mut items = Items { rows: Contamination::new(options), names: Vec::new(), files: Vec::new() };
        let mut is_much = false;
        for path in paths {
            let (lines, bad, short) = items.read_file(path, memory)?;
            let shown = path.display();
            if bad > 0 {
                webmill_jobs::say!(
                    "{shown}: {bad} of {lines} lines are no JSON objects of at most 16 MiB: left out"
                );
                is_much |= bad as f64 > max_bad * lines as f64;
            }
            if short > 0 {
                webmill_jobs::say!("{shown}: {short} items of fewer than 8 words are looked for in no text");
            }
        }
        Ok(((!paths.is_empty()).then_some(items), is_much))
    }

    /// Lines, those that are no items, and items that are too short.
    fn read_file(&mut self, path: &Path, memory: u64) -> Result<(u64, u64, u64)> {
        let number = self.files.len() as u32;
        self.files.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        let mut file = BufReader::new(File::open(path).at(path)?);
        let start = file.fill_buf().at(path)?;
        let mut reader: Box<dyn BufRead> = match start {
            [0x1F, 0x8B, ..] => Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(file))),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => {
                Box::new(BufReader::new(zstd::stream::read::Decoder::with_buffer(file).at(path)?))
            }
            _ => Box::new(file),
        };
        let (mut lines, mut bad, mut short) = (0, 0, 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            if reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).at(path)? == 0 {
                return Ok((lines, bad, short));
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            lines += 1;
            let object = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&line);
            let Ok(object) = object else {
                bad += 1;
                continue;
            };
            let mut texts = Vec::new();
            for (_, value) in object.iter().filter(|(name, _)| !NAMES.contains(&name.as_str())) {
                texts_of(value, &mut texts);
            }
            let name = NAMES.iter().find_map(|name| object.get(*name));
            let name = match name {
                Some(serde_json::Value::String(name)) => name.clone(),
                Some(name) => name.to_string(),
                None => format!("line {lines}"),
            };
            self.names.push((number, name.into()));
            short += u64::from(!self.rows.add(&texts));
            let names = self.names.len() as u64 * 64;
            if self.rows.bytes() + names > memory {
                let (shown, memory) = (path.display(), memory >> 20);
                return Err(Error::Limit(format!(
                    "{shown}: the items up to line {lines} take more than {memory} MiB, a quarter of --memory: give more, or fewer items"
                )));
            }
        }
    }

    /// Their rows of words.
    pub fn rows(&self) -> &Contamination {
        &self.rows
    }

    /// File and name of an item.
    pub fn name(&self, item: u32) -> (&str, &str) {
        let (file, name) = &self.names[item as usize];
        (&self.files[*file as usize], name)
    }
}

/// All texts of a value, in their order.
fn texts_of<'a>(value: &'a serde_json::Value, into: &mut Vec<&'a str>) {
    match value {
        serde_json::Value::String(text) => into.push(text),
        serde_json::Value::Array(list) => list.iter().for_each(|value| texts_of(value, into)),
        serde_json::Value::Object(object) => object.values().for_each(|value| texts_of(value, into)),
        _ => {}
    }
}
