//! The licence of a page.

use webmill_capture::cut::Cut;

/// Longest text of a licence that is taken.
const MAX_TEXT: usize = 300;

/// A licence by the address or text that a page gives: the short name of one of Creative Commons (`CC BY-SA 4.0 DE`), else
/// the given text.
pub(super) fn licence(given: &str) -> Option<String> {
    let given = given.trim();
    if given.is_empty() || given.len() > MAX_TEXT {
        return None;
    }
    if let Some(name) = creative_commons(given) {
        return Some(name);
    }
    // A reservation of rights, or a page of the site, is no licence.
    const WORDS: [&str; 10] = [
        "licen",
        "lizenz",
        "creative commons",
        "public domain",
        "gpl",
        "apache",
        "mozilla",
        "许可",
        "cc ",
        "cc-",
    ];
    let lower = given.to_lowercase();
    let address = lower.starts_with("http://") || lower.starts_with("https://");
    let told = WORDS.iter().any(|word| lower.contains(word)) || ["mit", "cc0"].contains(&lower.as_str());
    let reserved = lower.contains("all rights reserved");
    let local = given.starts_with(['#', '/', '.', '?']) || lower.ends_with(".html") && !address;
    (!local && !reserved && (address || told)).then(|| given.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The short name of a licence of Creative Commons, by its address.
pub(super) fn creative_commons(address: &str) -> Option<String> {
    const HOST: &str = "creativecommons.org/";
    // Nearly all links lead elsewhere: the letter v, which few addresses hold, is looked for.
    let is_host = |v: &usize| {
        let start = v.checked_sub(6);
        let host = start.and_then(|start| address.as_bytes().get(start..start + HOST.len()));
        host.is_some_and(|host| host.eq_ignore_ascii_case(HOST.as_bytes()))
    };
    let v = memchr::memchr2_iter(b'v', b'V', address.as_bytes()).find(is_host)?;
    let lower = address.cut(v - 6..).to_ascii_lowercase();
    let path = lower.cut(HOST.len()..);
    let mut parts = path.split(['/', '?', '#']).filter(|part| !part.is_empty());
    let (kind, name) = (parts.next()?, parts.next()?);
    let version = parts.next().filter(|v| v.len() <= 4 && v.starts_with(|c: char| c.is_ascii_digit()));
    let place = parts
        .next()
        .filter(|p| version.is_some() && p.len() == 2 && p.bytes().all(|b| b.is_ascii_alphabetic()));
    let known =
        name.split('-').all(|word| matches!(word, "by" | "nc" | "nd" | "sa" | "sampling" | "devnations"));
    let mut out = match (kind, name) {
        ("licenses", _) if known => format!("CC {}", name.to_ascii_uppercase()),
        ("publicdomain", "zero") => "CC0".to_string(),
        ("publicdomain", "mark") => "Public Domain Mark".to_string(),
        _ => return None,
    };
    for part in [version, place].into_iter().flatten() {
        out.push(' ');
        out.push_str(&part.to_ascii_uppercase());
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (given, want) in [
            ("https://creativecommons.org/licenses/by-nc-sa/2.0/de/", Some("CC BY-NC-SA 2.0 DE")),
            ("http://creativecommons.org/licenses/by/4.0/deed.en", Some("CC BY 4.0")),
            ("//creativecommons.org/publicdomain/zero/1.0/", Some("CC0 1.0")),
            ("https://creativecommons.org/about", Some("https://creativecommons.org/about")),
            ("CC  BY 4.0", Some("CC BY 4.0")),
            ("/imprint", None),
            ("Service/imprint.html", None),
            ("© 2020 The Herald. All rights reserved", None),
            ("The Herald", None),
            ("Open Data Licence 1.0", Some("Open Data Licence 1.0")),
            ("https://herald.example.org/terms", Some("https://herald.example.org/terms")),
            ("", None),
        ] {
            assert_eq!(licence(given).as_deref(), want, "{given}");
        }
    }
}
