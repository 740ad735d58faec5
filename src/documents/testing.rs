//! Containers for tests, written by another program than the one that reads them.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;

/// A zip container of parts.
pub(crate) fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(part).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A zip container of texts.
pub(crate) fn packed(parts: &[(&str, &str)]) -> Vec<u8> {
    zipped(&parts.iter().map(|(name, part)| (*name, part.as_bytes())).collect::<Vec<_>>())
}

/// Relationships: id, kind, target; targets with a colon are outside.
pub(crate) fn relationships(all: &[(&str, &str, &str)]) -> String {
    let one = |(id, kind, target): &(&str, &str, &str)| {
        let mode = if target.contains(':') { " TargetMode=\"External\"" } else { "" };
        format!("<Relationship Id=\"{id}\" Type=\"http://a.example/{kind}\" Target=\"{target}\"{mode}/>")
    };
    format!("<Relationships>{}</Relationships>", all.iter().map(one).collect::<String>())
}
