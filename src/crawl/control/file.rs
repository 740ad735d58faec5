//! The file of commands: its content is obeyed, sooner or later, once.
//!
//! `OUT/control/commands.jsonl` holds one line a command, with its number and its time. A command is appended under a lock of
//! the file and synced before anybody is told that it was taken; a line that a crash left unfinished is cut off by the
//! next append. The engine keeps the place behind the last command that it obeyed in the frontier's commit, together
//! with what the command did there.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::control::command::{Command, MAX_LINE_BYTES};
use webmill_capture::error::{AtPath, Error, Result};

/// Bytes of the file after which no command is taken.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// A command with number and time is at most so long.
const MAX_RECORD_BYTES: usize = MAX_LINE_BYTES + 256;
/// Commands read at once.
const BATCH: usize = 256;

/// A command as it stands in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbered {
    /// Counts from 1.
    pub number: u64,
    /// When it was given: UTC, ms since 1970.
    pub at_ms: i64,
    /// The command.
    pub order: Command,
}

/// How far the file was obeyed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Obeyed {
    /// Bytes of the file.
    pub offset: u64,
    /// Number of the last command.
    pub number: u64,
}

/// A line of the file.
#[derive(Debug, Clone, PartialEq)]
pub enum Line {
    /// A numbered command.
    Command(Numbered),
    /// Something else, and why.
    Unreadable(String),
}

/// Folder of a crawl's control.
pub fn control_folder(crawl: &Path) -> PathBuf {
    crawl.join("control")
}

fn commands_path(crawl: &Path) -> PathBuf {
    control_folder(crawl).join("commands.jsonl")
}

/// Makes the folder, for its owner alone.
///
/// # Errors
/// [`Error::Io`].
pub fn make_folder(crawl: &Path) -> Result<PathBuf> {
    let folder = control_folder(crawl);
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&folder).at(&folder)?;
    Ok(folder)
}

/// Appends a command; its number. It survives a loss of power when this returns.
///
/// # Errors
/// [`Error::Config`] for a command out of bounds, [`Error::Limit`] for a file that is full, [`Error::Io`].
pub fn append(crawl: &Path, command: &Command, now_ms: i64) -> Result<u64> {
    command.check()?;
    make_folder(crawl)?;
    let path = commands_path(crawl);
    let mut file =
        OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&path).at(&path)?;
    file.lock().at(&path)?;
    let (end, last) = end_of(&mut file).at(&path)?;
    if end > MAX_FILE_BYTES {
        return Err(Error::Limit(format!("{} is full", path.display())));
    }
    let number = match last {
        Some(number) => number + 1,
        None => highest_number(&path)? + 1,
    };
    // Where somebody emptied the file, numbers that were obeyed must not come again.
    let number = number.max(super::state::State::load(crawl).obeyed.number + 1);
    let mut line = serde_json::to_vec(&Numbered { number, at_ms: now_ms, order: command.clone() })
        .map_err(|e| Error::Internal(format!("a command cannot be written: {e}")))?;
    line.push(b'\n');
    if line.len() > MAX_RECORD_BYTES {
        return Err(Error::Config(format!("a command of {} bytes: divide it", line.len())));
    }
    file.set_len(end).at(&path)?;
    file.seek(SeekFrom::Start(end)).at(&path)?;
    file.write_all(&line).and_then(|()| file.sync_all()).at(&path)?;
    Ok(number)
}

/// Where the last whole line ends, and its number if it can be read; 0 in an empty file.
fn end_of(file: &mut File) -> std::io::Result<(u64, Option<u64>)> {
    let length = file.metadata()?.len();
    let from = length.saturating_sub(2 * MAX_RECORD_BYTES as u64);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(length - from).read_to_end(&mut tail)?;
    let Some(end) = tail.iter().rposition(|b| *b == b'\n') else {
        return Ok(if from == 0 { (0, Some(0)) } else { (length, None) });
    };
    let start = tail[..end].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let last = serde_json::from_slice::<Numbered>(&tail[start..end]).ok().map(|n| n.number);
    Ok((from + end as u64 + 1, last))
}

fn highest_number(path: &Path) -> Result<u64> {
    let mut at = Obeyed::default();
    while !read_path(path, &mut at)?.is_empty() {}
    Ok(at.number)
}

/// The next commands behind `obeyed`, which is moved behind them; empty if there are no further ones. A line that is no command, or
/// whose number was obeyed already, is not obeyed.
///
/// # Errors
/// [`Error::Io`].
pub fn read(crawl: &Path, obeyed: &mut Obeyed) -> Result<Vec<Line>> {
    read_path(&commands_path(crawl), obeyed)
}

/// Bytes of the file.
pub fn length(crawl: &Path) -> u64 {
    std::fs::metadata(commands_path(crawl)).map_or(0, |meta| meta.len())
}

fn read_path(path: &Path, obeyed: &mut Obeyed) -> Result<Vec<Line>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(path, error)),
    };
    if file.metadata().at(path)?.len() < obeyed.offset {
        // Somebody emptied it: what comes now begins anew, and has higher numbers or is known.
        obeyed.offset = 0;
    }
    file.seek(SeekFrom::Start(obeyed.offset)).at(path)?;
    let mut reader = BufReader::new(file);
    let mut lines = Vec::new();
    while lines.len() < BATCH {
        let mut line = Vec::new();
        let read = (&mut reader).take(MAX_RECORD_BYTES as u64 + 1).read_until(b'\n', &mut line).at(path)?;
        if line.last() != Some(&b'\n') {
            if read <= MAX_RECORD_BYTES {
                // Unfinished, or the end.
                break;
            }
            match skip_line(&mut reader).at(path)? {
                Some(more) => obeyed.offset += read as u64 + more,
                None => break,
            }
            lines.push(Line::Unreadable("a line that is too long".into()));
            continue;
        }
        obeyed.offset += read as u64;
        match serde_json::from_slice::<Numbered>(&line) {
            Ok(numbered) if numbered.number <= obeyed.number => {}
            Ok(numbered) => {
                obeyed.number = numbered.number;
                lines.push(match numbered.order.check() {
                    Ok(()) => Line::Command(numbered),
                    Err(error) => Line::Unreadable(error.to_string()),
                });
            }
            Err(error) => lines.push(Line::Unreadable(format!("not a command: {error}"))),
        }
    }
    Ok(lines)
}

/// Skips the rest of a line and returns its length in bytes, or `None` if the line has no end.
fn skip_line(reader: &mut impl BufRead) -> std::io::Result<Option<u64>> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(None);
        }
        let at = buffer.iter().position(|b| *b == b'\n');
        let count = at.map_or(buffer.len(), |at| at + 1);
        reader.consume(count);
        skipped += count as u64;
        if at.is_some() {
            return Ok(Some(skipped));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::state::State;

    fn numbers(lines: &[Line]) -> Vec<Option<u64>> {
        let number = |line: &Line| match line {
            Line::Command(numbered) => Some(numbered.number),
            Line::Unreadable(_) => None,
        };
        lines.iter().map(number).collect()
    }

    fn write(crawl: &Path, text: &[u8]) {
        let mut file = OpenOptions::new().append(true).create(true).open(commands_path(crawl)).unwrap();
        file.write_all(text).unwrap();
    }

    #[test]
    fn commands_are_read_once_in_order() {
        let crawl = tempfile::tempdir().unwrap();
        let mut obeyed = Obeyed::default();
        assert_eq!(read(crawl.path(), &mut obeyed).unwrap(), []);
        assert_eq!(append(crawl.path(), &Command::Pause {}, 5).unwrap(), 1);
        assert_eq!(append(crawl.path(), &Command::Resume {}, 6).unwrap(), 2);
        assert_eq!(numbers(&read(crawl.path(), &mut obeyed).unwrap()), [Some(1), Some(2)]);
        assert_eq!(read(crawl.path(), &mut obeyed).unwrap(), []);
        assert_eq!((obeyed.number, obeyed.offset), (2, length(crawl.path())));
        assert_eq!(append(crawl.path(), &Command::Stop {}, 7).unwrap(), 3);
        assert_eq!(numbers(&read(crawl.path(), &mut obeyed).unwrap()), [Some(3)]);
    }

    #[test]
    fn an_unfinished_line_is_not_obeyed_and_is_cut_off() {
        let crawl = tempfile::tempdir().unwrap();
        append(crawl.path(), &Command::Pause {}, 5).unwrap();
        write(crawl.path(), br#"{"number":2,"at_ms":1,"order":{"comm"#);
        let mut obeyed = Obeyed::default();
        assert_eq!(numbers(&read(crawl.path(), &mut obeyed).unwrap()), [Some(1)]);
        assert_eq!(read(crawl.path(), &mut obeyed).unwrap(), []);
        assert_eq!(append(crawl.path(), &Command::Resume {}, 5).unwrap(), 2);
        assert_eq!(numbers(&read(crawl.path(), &mut obeyed).unwrap()), [Some(2)]);
    }

    #[test]
    fn lines_that_are_no_commands_are_passed_over() {
        let crawl = tempfile::tempdir().unwrap();
        append(crawl.path(), &Command::Pause {}, 5).unwrap();
        write(crawl.path(), b"what is this\n\xff\xfe\n");
        write(crawl.path(), &[b"x".repeat(3 * MAX_RECORD_BYTES), b"\n".to_vec()].concat());
        write(crawl.path(), br#"{"number":1,"at_ms":1,"order":{"command":"stop"}}"#);
        write(crawl.path(), b"\n");
        write(crawl.path(), br#"{"number":9,"at_ms":1,"order":{"command":"drop","pattern":"("}}"#);
        write(crawl.path(), b"\nlast\n");
        assert_eq!(append(crawl.path(), &Command::Resume {}, 5).unwrap(), 10);
        let mut obeyed = Obeyed::default();
        let lines = read(crawl.path(), &mut obeyed).unwrap();
        assert_eq!(numbers(&lines), [Some(1), None, None, None, None, None, Some(10)]);
    }

    #[test]
    fn a_file_that_was_emptied_goes_on_with_higher_numbers() {
        let crawl = tempfile::tempdir().unwrap();
        append(crawl.path(), &Command::Pause {}, 5).unwrap();
        append(crawl.path(), &Command::Resume {}, 5).unwrap();
        let mut state = State::default();
        assert_eq!(numbers(&read(crawl.path(), &mut state.obeyed).unwrap()), [Some(1), Some(2)]);
        state.save(crawl.path()).unwrap();
        std::fs::write(commands_path(crawl.path()), b"").unwrap();
        assert_eq!(append(crawl.path(), &Command::Pause {}, 5).unwrap(), 3);
        assert_eq!(numbers(&read(crawl.path(), &mut state.obeyed).unwrap()), [Some(3)]);
    }

    #[test]
    fn many_at_once_get_different_numbers() {
        let crawl = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    (0..20).for_each(|_| assert!(append(crawl.path(), &Command::Pause {}, 1).is_ok()))
                });
            }
        });
        let mut obeyed = Obeyed::default();
        let lines = read(crawl.path(), &mut obeyed).unwrap();
        assert_eq!(numbers(&lines), (1..=160).map(Some).collect::<Vec<_>>());
    }
}
