//! Seeds: a URL a line.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use webmill_capture::CanonicalUrl;

/// Lines that are no URLs, of which so many are named.
const NAMED: usize = 10;

/// Reads all seeds; lines that are no URLs are named and left out, none at all is an error.
pub fn read(files: &[PathBuf], urls: &[String]) -> Result<Vec<CanonicalUrl>> {
    let mut seeds = Vec::new();
    let mut wrong = Vec::new();
    for url in urls {
        match parse(url) {
            Some(seed) => seeds.push(seed),
            None => bail!("{url}: not a URL that can be fetched"),
        }
    }
    for file in files {
        let bytes = if file == Path::new("-") {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).context("seeds from stdin")?;
            bytes
        } else {
            std::fs::read(file).with_context(|| format!("seeds {}", file.display()))?
        };
        let mut offset = 0;
        for (number, line) in bytes.split(|b| *b == b'\n').enumerate() {
            let at = offset;
            offset += line.len() + 1;
            let text = String::from_utf8_lossy(line);
            let text = text.trim().trim_start_matches('\u{feff}');
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            match parse(text) {
                Some(seed) => seeds.push(seed),
                None => wrong.push(format!(
                    "{} line {}, byte {at}: {:?} is not a URL that can be fetched",
                    file.display(),
                    number + 1,
                    shortened(text)
                )),
            }
        }
    }
    for line in wrong.iter().take(NAMED) {
        crate::say!("{line}");
    }
    if wrong.len() > NAMED {
        crate::say!("{} more lines are no URLs", wrong.len() - NAMED);
    }
    if seeds.is_empty() {
        bail!("no seeds: name URLs or a file of them (--seeds FILE)");
    }
    Ok(seeds)
}

/// A URL with scheme, or a host with or without a path as people write it.
fn parse(text: &str) -> Option<CanonicalUrl> {
    let url = match CanonicalUrl::parse(text) {
        Some(url) if url.is_web() => url,
        _ if text.contains("://") || text.contains(char::is_whitespace) => return None,
        // `mailto:a@b.example` is of another scheme, `a.example:8000` only looks so.
        _ if !text.split(':').next().is_some_and(|host| host.contains('.')) => return None,
        _ => CanonicalUrl::parse(&format!("http://{text}"))?,
    };
    (url.is_web() && !url.host().is_empty()).then_some(url)
}

fn shortened(text: &str) -> String {
    text.chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn forms() {
        for (text, want) in [
            ("http://a.example/x", Some("http://a.example/x")),
            ("a.example", Some("http://a.example/")),
            ("a.example/x?y", Some("http://a.example/x?y")),
            ("localhost:8000", None),
            ("ftp://a.example/", None),
            ("mailto:a@b.example", None),
            ("no url", None),
            ("", None),
        ] {
            assert_eq!(parse(text).as_ref().map(|u| u.as_str()), want, "{text}");
        }
    }
}
