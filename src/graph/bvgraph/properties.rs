//! The text file next to a graph that says how it is written.

use super::bits::Code;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use webmill_capture::error::{AtPath, Error, Result};

/// More of a properties file is not looked at.
const MAX_LENGTH: u64 = 1 << 20;

/// What the properties file says.
pub(super) struct Properties {
    pub nodes: usize,
    pub arcs: u64,
    pub window: usize,
    pub min_interval: u64,
    pub outdegrees: Code,
    pub references: Code,
    pub block_counts: Code,
    pub blocks: Code,
    pub intervals: Code,
    pub residuals: Code,
}

impl Properties {
    pub fn read(path: &Path) -> Result<Self> {
        let mut text = Vec::new();
        File::open(path).at(path)?.take(MAX_LENGTH).read_to_end(&mut text).at(path)?;
        let text = String::from_utf8_lossy(&text);
        let values: HashMap<&str, &str> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with(['#', '!']))
            .filter_map(|line| line.split_once('='))
            .map(|(key, value)| (key.trim(), value.trim()))
            .collect();
        let other = |found: &str, expected: &str| Error::Incompatible {
            path: path.to_path_buf(),
            found: found.to_owned(),
            expected: expected.to_owned(),
        };
        let number = |key: &str, default: Option<u64>| match values.get(key).map(|value| value.parse()) {
            Some(Ok(number)) => Ok(number),
            None if default.is_some() => Ok(default.unwrap_or_default()),
            _ => Err(Error::corrupt(path, 0, format!("the property {key} is missing or no number"))),
        };
        let class = values.get("graphclass").copied().unwrap_or_default();
        if !class.ends_with("BVGraph") {
            return Err(other(&format!("graph class {class:?}"), "a BVGraph"));
        }
        if values.get("endianness").is_some_and(|e| *e != "big") || number("version", Some(0))? > 1 {
            return Err(other("another version or byte order", "version 0 or 1, big-endian"));
        }
        let k = number("zetak", Some(3))?;
        if !(1..=16).contains(&k) {
            return Err(other(&format!("zetak={k}"), "1 to 16"));
        }
        let mut properties = Properties {
            nodes: number("nodes", None)? as usize,
            arcs: number("arcs", None)?,
            window: number("windowsize", Some(7))? as usize,
            min_interval: number("minintervallength", Some(4))?,
            outdegrees: Code::Gamma,
            references: Code::Unary,
            block_counts: Code::Gamma,
            blocks: Code::Gamma,
            intervals: Code::Gamma,
            residuals: Code::Zeta(k as u32),
        };
        for flag in
            values.get("compressionflags").unwrap_or(&"").split('|').map(str::trim).filter(|f| !f.is_empty())
        {
            let unknown = || other(&format!("compression flag {flag:?}"), "a code of the format");
            let (part, code) = flag.rsplit_once('_').ok_or_else(unknown)?;
            let code = match code {
                "UNARY" => Code::Unary,
                "GAMMA" => Code::Gamma,
                "DELTA" => Code::Delta,
                "ZETA" => Code::Zeta(k as u32),
                "NIBBLE" => Code::Nibble,
                // As version 1 names them.
                zeta => match zeta.strip_prefix("ZETA").and_then(|k| k.parse().ok()) {
                    Some(k @ 1..=16) => Code::Zeta(k),
                    _ => return Err(unknown()),
                },
            };
            match part {
                "OUTDEGREES" => properties.outdegrees = code,
                "REFERENCES" => properties.references = code,
                "BLOCK_COUNT" => properties.block_counts = code,
                "BLOCKS" => {
                    properties.blocks = code;
                    // The framework's Rust edition, which tells the byte order, has one code for both.
                    if values.contains_key("endianness") {
                        properties.block_counts = code;
                    }
                }
                "INTERVALS" => properties.intervals = code,
                "RESIDUALS" => properties.residuals = code,
                "OFFSETS" => {}
                _ => return Err(unknown()),
            }
        }
        if properties.nodes > u32::MAX as usize {
            return Err(Error::Limit(format!("{} nodes: more than 32 bits can number", properties.nodes)));
        }
        Ok(properties)
    }
}
