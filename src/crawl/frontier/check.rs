//! A look at the files of a store before the library under it opens them.
//!
//! The library believes some lengths before it has checked them, and ends the process on others, or on files that it
//! did not write. So the parts that list what there is are checked here, by the checksums that the library writes but does
//! not read: `current` has that of the version file, the version file names the tables, and the end of a table has that of its
//! table of contents. Blocks of data are checked by the library, at each reading.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use webmill_capture::error::{AtPath, Error, Result};

/// Magic, version, kind of checksum, checksum, position and length of the table of contents.
const TRAILER_BYTES: u64 = 4 + 1 + 1 + 16 + 8 + 8;

/// Checks what can be checked without reading all.
pub(super) fn check(path: &Path) -> Result<()> {
    if !path.join("version").is_file() {
        return Err(damage(&path.join("version"), "missing: the folder holds no frontier, or a damaged one"));
    }
    for entry in fs::read_dir(path).at(path)? {
        let entry = entry.at(path)?.path();
        let extension = entry.extension().and_then(|extension| extension.to_str());
        if !extension.is_some_and(|extension| extension.eq_ignore_ascii_case("jnl")) {
            continue;
        }
        let stem = entry.file_stem().and_then(|stem| stem.to_str());
        if !entry.is_file() || stem.is_none_or(|stem| stem.parse::<u64>().is_err()) {
            return Err(damage(&entry, "no part of a frontier"));
        }
    }
    let spaces = path.join("keyspaces");
    let entries = fs::read_dir(&spaces).map_err(|error| unreadable(&spaces, error))?;
    for entry in entries {
        let space = entry.at(&spaces)?.path();
        if !space.is_dir() {
            continue;
        }
        let name = space.file_name().and_then(|name| name.to_str());
        if name.is_none_or(|name| name.parse::<u64>().is_err()) {
            return Err(damage(&space, "no part of a frontier"));
        }
        check_keyspace(&space)?;
    }
    Ok(())
}

fn check_keyspace(space: &Path) -> Result<()> {
    let current = space.join("current");
    let Ok(bytes) = fs::read(&current) else {
        // A keyspace that was being made has none and is made again; one that is lost shows by its commit number.
        return Ok(());
    };
    let cut = || damage(&current, "cut");
    let (version, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
    let checksum = u128::from_le_bytes(*rest.first_chunk().ok_or_else(cut)?);
    let file = space.join(format!("v{}", u64::from_le_bytes(*version)));
    let bytes = fs::read(&file).map_err(|error| unreadable(&file, error))?;
    if xxh3_128(&bytes) != checksum {
        return Err(damage(&file, "other bytes than were written"));
    }
    for table in tables(&bytes).ok_or_else(|| damage(&file, "names no tables"))? {
        check_table(&space.join("tables").join(table.to_string()))?;
    }
    Ok(())
}

/// Numbers of the tables in a version file.
fn tables(file: &[u8]) -> Option<Vec<u64>> {
    let trailer = &file[file.len().checked_sub(TRAILER_BYTES as usize)?..];
    let position = u64::from_le_bytes(*trailer[22..].first_chunk()?);
    let mut contents = file.get(usize::try_from(position).ok()? + 4..)?;
    let input = &mut contents;
    for _ in 0..u32::from_le_bytes(take(input)?) {
        let position = usize::try_from(u64::from_le_bytes(take(input)?)).ok()?;
        let length = usize::try_from(u64::from_le_bytes(take(input)?)).ok()?;
        let name = usize::from(u16::from_le_bytes(take(input)?));
        let (name, rest) = input.split_at_checked(name)?;
        *input = rest;
        if name == b"tables" {
            return table_numbers(file.get(position..position.checked_add(length)?)?);
        }
    }
    None
}

/// Levels of runs of tables: number, kind of checksum, checksum, sequence number.
fn table_numbers(mut section: &[u8]) -> Option<Vec<u64>> {
    let input = &mut section;
    let mut numbers = Vec::new();
    let [levels] = take(input)?;
    for _ in 0..levels {
        let [runs] = take(input)?;
        for _ in 0..runs {
            for _ in 0..u32::from_le_bytes(take(input)?) {
                numbers.push(u64::from_le_bytes(take(input)?));
                take::<25>(input)?;
            }
        }
    }
    Some(numbers)
}

fn take<const N: usize>(input: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = input.split_first_chunk()?;
    *input = tail;
    Some(*head)
}

/// Checks the table of contents of a table.
fn check_table(path: &Path) -> Result<()> {
    let mut file = File::open(path).map_err(|error| unreadable(path, error))?;
    let length = file.metadata().at(path)?.len();
    let wrong = || damage(path, "its table of contents is damaged");
    let end = length.checked_sub(TRAILER_BYTES).ok_or_else(wrong)?;
    file.seek(SeekFrom::Start(end)).at(path)?;
    let mut trailer = [0; TRAILER_BYTES as usize];
    file.read_exact(&mut trailer).at(path)?;
    let (head, mut numbers) = trailer.split_at(6);
    let checksum = u128::from_le_bytes(take(&mut numbers).ok_or_else(wrong)?);
    let position = u64::from_le_bytes(take(&mut numbers).ok_or_else(wrong)?);
    let contents = u64::from_le_bytes(take(&mut numbers).ok_or_else(wrong)?);
    if head != b"SFA!\x01\x00" || position.checked_add(contents) != Some(end) {
        return Err(wrong());
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(position)).at(path)?;
    file.take(contents).read_to_end(&mut bytes).at(path)?;
    if xxh3_128(&bytes) == checksum { Ok(()) } else { Err(wrong()) }
}

fn damage(path: &Path, reason: &str) -> Error {
    Error::corrupt(path, 0, reason)
}

fn unreadable(path: &Path, error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => damage(path, "missing"),
        _ => Error::io(path, error),
    }
}
