//! Items of benchmarks, read from files of JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use webmill_capture::error::{AtPath, Error, Result};
use webmill_learn::quality::{Contamination, SHORTEST_ITEM};

/// Bytes of the longest line.
const LONGEST_LINE: u64 = 4 << 20;

/// Bytes of a name.
const LONGEST_NAME: usize = 200;

/// Fields that name an item, in the order in which they are looked for.
const NAMES: [&str; 5] = ["id", "task_id", "question_id", "_id", "key"];

/// Items of benchmarks, and their names.
pub struct Items {
    rows: Contamination,
    /// Number of the file and name of the item of each text.
    names: Vec<(u32, Box<str>)>,
    files: Vec<String>,
    name_bytes: u64,
}

impl Items {
    /// Reads the items of some files, within `memory` bytes; `None` without files.
    ///
    /// # Errors
    /// Where a file cannot be read, more of its lines than `max_bad` are no items, or the items do not fit.
    pub fn read(paths: &[PathBuf], share: f64, memory: u64, max_bad: f64) -> Result<Option<Items>> {
        let mut items =
            Items { rows: Contamination::new(share), names: Vec::new(), files: Vec::new(), name_bytes: 0 };
        for path in paths {
            let (lines, bad, short) = items.read_file(path, memory)?;
            let shown = path.display();
            if lines == bad + short {
                return Err(Error::Config(format!(
                    "{shown}: no item of {SHORTEST_ITEM} words or more in its {lines} lines; a JSON object a line is wanted"
                )));
            }
            if bad > 0 {
                webmill_jobs::say!(
                    "{shown}: {bad} of {lines} lines are no JSON objects of at most 4 MiB: left out"
                );
                if bad as f64 > max_bad * lines as f64 {
                    return Err(Error::Config(format!(
                        "{shown}: that is more than --max-bad {max_bad} allows"
                    )));
                }
            }
            if short > 0 {
                webmill_jobs::say!(
                    "{shown}: {short} items of fewer than {SHORTEST_ITEM} words are looked for in no text"
                );
            }
        }
        let formulas = items.rows.formulas();
        if formulas > 0 {
            webmill_jobs::say!(
                "{formulas} texts of items have no row of words of their own, and are looked for in no text"
            );
        }
        Ok((!paths.is_empty()).then_some(items))
    }

    /// Adds a text of an item; whether it is looked for.
    fn add(&mut self, text: &str, (file, name): (u32, &str)) -> bool {
        self.names.push((file, name.into()));
        self.name_bytes += 32 + name.len() as u64;
        self.rows.add(text)
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
            if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
                reader.skip_until(b'\n').at(path)?;
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            lines += 1;
            let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
            let object = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(text);
            let Ok(object) = object else {
                bad += 1;
                continue;
            };
            let mut texts = Vec::new();
            for (_, value) in object.iter().filter(|(name, _)| !NAMES.contains(&name.as_str())) {
                texts_of(value, &mut texts);
            }
            let name = NAMES.iter().find_map(|name| match object.get(*name) {
                Some(serde_json::Value::String(name)) => Some(name.clone()),
                Some(serde_json::Value::Number(name)) => Some(name.to_string()),
                _ => None,
            });
            let mut name = name.unwrap_or_else(|| format!("line {lines}"));
            name.truncate(name.floor_char_boundary(LONGEST_NAME));
            let all = texts.join("\n");
            let long = texts.iter().filter(|text| self.add(text, (number, &name))).count();
            // Short texts are looked for together.
            short += u64::from(long == 0 && !self.add(&all, (number, &name)));
            if self.rows.bytes() + self.name_bytes > memory {
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
