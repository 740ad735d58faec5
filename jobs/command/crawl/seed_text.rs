//! A seed as people type or paste it: read as what was meant where that is clear, refused in words where it is not.
//!
//! What is read in another way than it stands is noted, so that nobody crawls by mistake what he did not mean.

use std::path::Path;

use webmill_capture::CanonicalUrl;

/// A seed that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// What is fetched.
    pub url: CanonicalUrl,
    /// How it differs from what was typed, where that may surprise.
    pub note: Option<String>,
}

/// Misspelt schemes, and what was meant.
const MISSPELT: [(&str, &str); 16] = [
    ("htp", "http"),
    ("htt", "http"),
    ("ttp", "http"),
    ("hhtp", "http"),
    ("htttp", "http"),
    ("httpp", "http"),
    ("hxxp", "http"),
    ("http;", "http"),
    ("htps", "https"),
    ("htpps", "https"),
    ("ttps", "https"),
    ("hhtps", "https"),
    ("htttps", "https"),
    ("httpss", "https"),
    ("hxxps", "https"),
    ("https;", "https"),
];

/// Reads one seed.
///
/// # Errors
/// Why it cannot be one, in words.
pub fn read(typed: &str) -> Result<Read, String> {
    let (text, cleaned) = cleaned(typed);
    if text.is_empty() {
        return Err("there is nothing to fetch in it".into());
    }
    refuse_other_things(&text)?;
    let (url, completed) = complete(&text)?;
    let host = url.host();
    if host.is_empty() || ["www", "www."].contains(&host) {
        return Err("there is no host name in it".into());
    }
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._".contains(&b);
    if !host.starts_with('[') && !host.bytes().all(plain) {
        return Err(format!("{host:?} is no host name; one URL a line, without anything before or after it"));
    }
    let other_port = match (url.scheme(), url.port()) {
        ("http", Some(443)) => Some("at port 443 https is spoken: https:// may be meant".to_owned()),
        ("https", Some(80)) => Some("at port 80 http is spoken: http:// may be meant".to_owned()),
        _ => None,
    };
    let changed = (cleaned || completed).then(|| format!("read as {url}"));
    let notes: Vec<String> = changed.into_iter().chain(other_port).collect();
    Ok(Read { url, note: (!notes.is_empty()).then(|| notes.join("; ")) })
}

/// Without what comes along when text is copied: quotes, brackets, a comma at the end, characters without width, and with
/// full-width characters before the path as ASCII. Whether anything but white space went.
fn cleaned(typed: &str) -> (String, bool) {
    let unseen = |c: char| matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{ad}');
    let visible: String = typed.chars().filter(|c| !unseen(*c)).collect();
    let mut text = visible.trim();
    let pairs = [
        ('<', '>'),
        ('"', '"'),
        ('\'', '\''),
        ('“', '”'),
        ('‘', '’'),
        ('«', '»'),
        ('「', '」'),
        ('(', ')'),
        ('[', ']'),
    ];
    let before = text;
    loop {
        let shorter = text.trim_end_matches([',', ';', '，', '；', '、', '。']).trim();
        let inner = pairs.iter().find_map(|(open, close)| shorter.strip_prefix(*open)?.strip_suffix(*close));
        // An IPv6 address stands in brackets itself.
        let inner = inner.filter(|inner| {
            !(shorter.starts_with('[') && inner.matches(':').count() > 1 && !inner.contains('/'))
        });
        let next = inner.unwrap_or(shorter).trim();
        if next == text {
            break;
        }
        text = next;
    }
    // One that has lost its opening bracket, as at the end of a sentence in brackets.
    if text.ends_with(')') && text.matches(')').count() > text.matches('(').count() {
        text = &text[..text.len() - 1];
    }
    if text.ends_with('>') && !text.contains('<') {
        text = &text[..text.len() - 1];
    }
    let narrow = narrow_authority(text);
    let changed = text != before || narrow != text;
    (narrow, changed)
}

/// Full-width characters as ASCII, up to the path.
fn narrow_authority(text: &str) -> String {
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3002}' | '\u{ff61}' => '.',
        c => c,
    };
    let (mut out, mut slashes, mut rest) = (String::with_capacity(text.len()), 0, text.chars());
    let most = if text.chars().map(narrow).collect::<String>().contains("://") { 3 } else { 1 };
    for c in rest.by_ref() {
        let c = narrow(c);
        out.push(c);
        slashes += usize::from(c == '/');
        if slashes == most || c == '?' || c == '#' {
            break;
        }
    }
    out.extend(rest);
    out
}

/// What is no URL of the Web although it may look like one.
fn refuse_other_things(text: &str) -> Result<(), String> {
    let lower = text.to_ascii_lowercase();
    let mut words = text.split_whitespace();
    let several =
        words.by_ref().skip(1).any(|word| word.starts_with("http://") || word.starts_with("https://"));
    if several {
        return Err("there are several URLs in it; write one a line".into());
    }
    let drive = text.as_bytes().get(1..3).is_some_and(|rest| rest == b":\\" || rest == b":/")
        && text.as_bytes()[0].is_ascii_alphabetic();
    if text.starts_with(['/', '~', '.']) || drive || lower.starts_with("file:") {
        return Err("that is the path of a file; a list of seeds is named with --seeds FILE, and pages are fetched by http or https".into());
    }
    let scheme = lower.split("://").next().filter(|scheme| scheme.len() < lower.len()).unwrap_or_default();
    let rest = || text.get(scheme.len() + 3..).unwrap_or_default();
    if let Some((_, meant)) = MISSPELT.iter().find(|(wrong, _)| *wrong == scheme) {
        return Err(format!("{scheme}:// is no scheme; did you mean {meant}://{}?", rest()));
    }
    if !scheme.is_empty() && !["http", "https"].contains(&scheme) {
        return Err(format!("{scheme}:// is not fetched, only http:// and https:// are"));
    }
    for scheme in ["http", "https"] {
        let after = lower.strip_prefix(scheme).unwrap_or_default();
        if after.starts_with("//") || after.starts_with(";//") || after.starts_with(".//") {
            let rest = text[scheme.len()..].trim_start_matches([';', '.', '/']);
            return Err(format!("the colon of the scheme is missing; did you mean {scheme}://{rest}?"));
        }
    }
    if ["http://http://", "http://https://", "https://https://", "https://http://"]
        .iter()
        .any(|twice| lower.starts_with(twice))
    {
        return Err("it has two schemes".into());
    }
    Ok(())
}

/// A URL with its scheme, put before it where it is clear; whether it was changed.
fn complete(text: &str) -> Result<(CanonicalUrl, bool), String> {
    let lower = text.to_ascii_lowercase();
    if lower.starts_with("http:") || lower.starts_with("https:") {
        let url =
            CanonicalUrl::parse(text).filter(|url| url.is_web()).ok_or("it is no URL that can be fetched")?;
        let odd = !lower[..8.min(lower.len())].contains("://") || text.contains(char::is_whitespace);
        return Ok((url, odd));
    }
    if text.contains(char::is_whitespace) {
        return Err("a URL holds no white space; in a path it is written %20".into());
    }
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let bracketed = host.starts_with('[') && host.ends_with(']');
    if authority.matches(':').count() > 1 && !bracketed {
        return Err(format!("an IPv6 address stands in brackets: http://[{authority}]/"));
    }
    if let Some(port) = port.filter(|port| !port.bytes().all(|b| b.is_ascii_digit()) || port.is_empty()) {
        return Err(match authority.contains('@') {
            true => {
                "it is a mail address or has an account without a scheme; write http://user:password@host/"
                    .into()
            }
            false => format!("{host}: is not fetched, only http: and https: are ({port:?} is no port)"),
        });
    }
    if authority.contains('@') {
        return Err("it looks like a mail address; a URL begins with http:// or https://".into());
    }
    if port.is_none() && !host.contains('.') && !bracketed && !host.eq_ignore_ascii_case("localhost") {
        return Err(format!("it has neither scheme nor dot; if {host:?} is a host, write http://{text}"));
    }
    if Path::new(text).is_file() {
        return Err("there is a file of that name; a list of seeds is named with --seeds FILE, a host as http://HOST/".into());
    }
    let url = CanonicalUrl::parse(&format!("http://{text}")).ok_or("it is no URL that can be fetched")?;
    // A plain name is what everybody types; a port or a name without dots may have been meant otherwise.
    Ok((url, port.is_some() || !host.contains('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_clear_is_read_and_what_surprises_is_noted() {
        for (typed, want, noted) in [
            ("http://a.example/x", "http://a.example/x", false),
            (" HTTPS://A.example ", "https://a.example/", false),
            ("a.example", "http://a.example/", false),
            ("a.example/x?y", "http://a.example/x?y", false),
            ("www.a.example", "http://www.a.example/", false),
            ("例え.jp", "http://xn--r8jz45g.jp/", false),
            ("http://a.example/Foo_(bar)", "http://a.example/Foo_(bar)", false),
            ("http://user:pw@a.example/", "http://user:pw@a.example/", false),
            ("http://a.example/x.", "http://a.example/x.", false),
            ("localhost:8111", "http://localhost:8111/", true),
            ("localhost", "http://localhost/", true),
            ("intranet:8000/wiki", "http://intranet:8000/wiki", true),
            ("a.example:8000", "http://a.example:8000/", true),
            ("127.0.0.1:80", "http://127.0.0.1/", true),
            ("[::1]:8000", "http://[::1]:8000/", true),
            ("http:a.example/x", "http://a.example/x", true),
            ("https:/a.example/x", "https://a.example/x", true),
            ("http://a.example/my page", "http://a.example/my%20page", true),
            ("<http://a.example/>", "http://a.example/", true),
            ("\"http://a.example/x\",", "http://a.example/x", true),
            ("“http://a.example/”", "http://a.example/", true),
            ("[http://a.example/]", "http://a.example/", true),
            ("http://a.example/x;", "http://a.example/x", true),
            ("http://a.example/x)", "http://a.example/x", true),
            ("http://a.example/x。", "http://a.example/x", true),
            ("ｈｔｔｐ：／／ａ．example／x", "http://a.example/x", true),
            ("ａ。example/ｂ", "http://a.example/%EF%BD%82", true),
            ("\u{feff}http://a.example/\u{200b}", "http://a.example/", false),
            ("http://a.example:443/", "http://a.example:443/", true),
            ("https://a.example:80/", "https://a.example:80/", true),
        ] {
            let read = read(typed).unwrap_or_else(|why| panic!("{typed}: {why}"));
            assert_eq!((read.url.as_str(), read.note.is_some()), (want, noted), "{typed}: {:?}", read.note);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_in_words() {
        for (typed, word) in [
            ("", "nothing"),
            ("\"\"", "nothing"),
            ("no url", "white space"),
            ("http://a.example/ http://b.example/", "one a line"),
            ("htp://a.example/", "did you mean http://a.example/"),
            ("hxxps://a.example/x", "did you mean https://a.example/x"),
            ("http//a.example/", "did you mean http://a.example/"),
            ("https;//a.example/", "did you mean https://a.example/"),
            ("http://http://a.example/", "two schemes"),
            ("ftp://a.example/", "ftp:// is not fetched"),
            ("javascript:void(0)", "is not fetched"),
            ("mailto:a@b.example", "mail address"),
            ("me@b.example", "mail address"),
            ("user:pw@b.example", "account"),
            ("/home/me/seeds.txt", "path of a file"),
            ("./seeds", "path of a file"),
            ("~/seeds.txt", "path of a file"),
            (r"C:\seeds.txt", "path of a file"),
            ("file:///tmp/x", "path of a file"),
            ("www.", "no host name"),
            ("http://www./", "no host name"),
            ("http://", "no URL"),
            ("intranet", "neither scheme nor dot"),
            ("seeds/list", "neither scheme nor dot"),
            ("::1", "in brackets"),
            ("fe80::1/x", "in brackets"),
            ("1,a.example", "no host name"),
            ("http://a b.example/", "no URL"),
            ("http://*.a.example/", "no host name"),
            ("a.example:http", "no port"),
        ] {
            let why = read(typed).expect_err(typed);
            assert!(why.contains(word), "{typed}: {why}");
        }
    }

    #[test]
    fn a_file_is_not_taken_for_a_host() {
        let why = read("Cargo.toml");
        assert!(why.unwrap_err().contains("--seeds FILE"));
    }
}
