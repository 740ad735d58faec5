//! Addresses of replayed captures, and the addresses that references on a captured page become.
//!
//! Every rewriter of this folder (pages, style sheets, scripts, headers) calls it for each reference.
//!
//! A capture lies at `PREFIX TIMESTAMP MODIFIER TOKEN / URL`: `/news/20240615060000mp_5f3a…/http://www.example.com/a?b=c`.
//! The URL is written as it is, query included, so references relative to the page's folder work by themselves and stay
//! byte for byte. All others get the prefix put before them: absolute ones, those with `//` or `/` in front (scheme or
//! origin are added), and relative ones with more `..` than the page's path has folders, which would climb out of the
//! archived URL.
//!
//! What needs a parser to be understood (backslashes, line breaks, character references before the query, dot segments
//! in absolute references, `http:page`, unusual hosts) is joined by [`CanonicalUrl`] as browsers join it, with the query
//! in the page's encoding. Everything else is decided by looking at its first bytes, and its own bytes are kept: the
//! browser then encodes them as it would have done for the live page.

use encoding_rs::Encoding;
use webmill_capture::CanonicalUrl;
use webmill_capture::cut::Cut;

use super::Context;

/// How a capture is to be answered: what stands behind the timestamp.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// Nothing: the page around the frame, with the banner.
    Frame,
    /// `mp_`: the page in the frame, or anything, by its media type.
    Page,
    /// `if_`: a page in a frame of the page.
    Inner,
    /// `js_`: a script.
    Script,
    /// `cs_`: a style sheet.
    Style,
    /// `im_`: a picture, sound, video or font.
    Image,
    /// `id_`: the bytes as they were captured; not answered here.
    Raw,
}

impl Modifier {
    const ALL: [(&'static str, Modifier); 7] = [
        ("", Modifier::Frame),
        ("mp_", Modifier::Page),
        ("if_", Modifier::Inner),
        ("js_", Modifier::Script),
        ("cs_", Modifier::Style),
        ("im_", Modifier::Image),
        ("id_", Modifier::Raw),
    ];

    /// As written in addresses.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, of)| *of == self).map_or("", |(text, _)| text)
    }

    fn parse(text: &str) -> Option<Modifier> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, of)| *of)
    }
}

/// The address of a capture, taken apart.
///
/// # Examples
/// ```
/// use webmill_serve::replay::{Modifier, Place};
/// let place = Place::parse("/news/20240615mp_/http://www.example.com/a?b=c", "/news/").unwrap();
/// assert_eq!((place.timestamp, place.modifier), ("20240615", Modifier::Page));
/// assert_eq!(place.url, "http://www.example.com/a?b=c");
/// assert!(Place::parse("/news/search?url=x", "/news/").is_none());
/// ```
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// 1 to 14 digits as given, or none at all: the newest.
    pub timestamp: &'a str,
    /// How it is to be answered.
    pub modifier: Modifier,
    /// The proof that the reference comes from a replayed page of the collection: see [`super::Tokens`].
    pub token: Option<&'a str>,
    /// The URL as written, query included. A scheme may be missing, and a proxy may have left one slash of two.
    pub url: &'a str,
}

impl<'a> Place<'a> {
    /// Takes `target` (path and query of a request) apart; `None` where it is no capture's address below `prefix`.
    pub fn parse(target: &'a str, prefix: &str) -> Option<Place<'a>> {
        let rest = target.strip_prefix(prefix)?;
        let (head, url) = rest.split_once('/')?;
        let digits = head.bytes().take_while(u8::is_ascii_digit).count();
        let (timestamp, rest) = head.split_at(digits);
        let (modifier, token) = match rest.find('_') {
            Some(at) => rest.split_at(at + 1),
            None => (rest, ""),
        };
        let plain = token.bytes().all(|b| b.is_ascii_hexdigit());
        let some = digits + modifier.len() > 0 && digits <= 14 && plain && !url.is_empty();
        let token = (!token.is_empty()).then_some(token);
        let modifier = Modifier::parse(modifier).filter(|of| token.is_none() || *of != Modifier::Frame)?;
        some.then_some(Place { timestamp, modifier, token, url })
    }
}

/// What a reference becomes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It stays: it leads where it should, or nowhere.
    Keep,
    /// This is put before it.
    Prefix(String),
    /// It must be decoded and joined.
    Join,
}

/// The references of one page or style sheet.
#[derive(Clone)]
pub(super) struct References {
    /// `PREFIX TIMESTAMP`.
    start: String,
    /// `TOKEN /`.
    end: String,
    /// What relative references are resolved against: the page's URL, or what its `<base>` says.
    base: CanonicalUrl,
    /// Folders in the path of the base.
    depth: usize,
    /// Whether scheme, host and port of the base can be written anywhere without being escaped.
    plain_origin: bool,
    /// What queries are encoded in.
    pub encoding: &'static Encoding,
    /// What the bytes of the source are encoded in: the same, unless the source has been decoded.
    pub decoded: &'static Encoding,
    /// Whether a `<base>` has been met.
    pub based: bool,
    /// What pages within the page get before their first element.
    pub inject: String,
}

impl References {
    pub fn new(
        prefix: &str,
        timestamp: &str,
        token: Option<&str>,
        base: CanonicalUrl,
        encoding: &'static Encoding,
    ) -> References {
        let mut references = References {
            start: format!("{prefix}{timestamp}"),
            end: format!("{}/", token.unwrap_or_default()),
            base,
            depth: 0,
            plain_origin: false,
            encoding,
            decoded: encoding,
            based: false,
            inject: String::new(),
        };
        references.measure();
        references
    }

    /// The references of the capture that is asked for.
    pub fn new_of(
        context: &Context,
        base: Option<CanonicalUrl>,
        encoding: &'static Encoding,
    ) -> Option<References> {
        Some(References::new(context.prefix, context.timestamp, context.token, base?, encoding))
    }

    pub fn has_token(&self) -> bool {
        self.end.len() > 1
    }

    fn measure(&mut self) {
        self.depth = self.base.path().bytes().filter(|&b| b == b'/').count().saturating_sub(1);
        self.plain_origin = self.base.is_web()
            && self.origin().bytes().all(|b| b.is_ascii_alphanumeric() || b".-:/[]_".contains(&b));
    }

    /// Scheme, host and port: all before the path.
    fn origin(&self) -> &str {
        let text = self.base.as_str();
        text.cut(..text.len() - self.base.path_and_query().len())
    }

    /// The address of `url` here.
    pub fn place(&self, modifier: Modifier, url: &str) -> String {
        format!("{}{}{}{url}", self.start, modifier.as_str(), self.end)
    }

    /// Resolves what follows against another base, where `href` makes one.
    pub fn rebase(&mut self, href: &str) {
        if let Some(base) = self.base.join_encoded(href, self.encoding).filter(CanonicalUrl::is_web) {
            self.base = base;
            self.measure();
        }
    }

    /// Decides about a reference as it stands in the source. `amp` says that `&` begins character references there.
    pub fn judge(&self, raw: &[u8], modifier: Modifier, amp: bool) -> Verdict {
        let raw = trim(raw);
        let path_end = raw.iter().position(|b| matches!(b, b'?' | b'#')).unwrap_or(raw.len());
        let path = &raw[..path_end];
        let Some(&first) = raw.first() else { return Verdict::Keep };
        // Browsers take line breaks and tabs out, wherever they stand, and a reference may begin with a character
        // reference that means `#`.
        if raw.iter().any(|&b| b < b' ') || path.iter().any(|&b| b == b'\\' || (amp && b == b'&')) {
            return Verdict::Join;
        }
        if matches!(first, b'#' | b'?') {
            return Verdict::Keep;
        }
        if let Some(scheme) = scheme(path) {
            if !(scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https")) {
                return Verdict::Keep;
            }
            let rest = &path[scheme.len() + 1..];
            if !rest.starts_with(b"//") || !has_path(rest) || climb(&rest[2..]).is_none_or(|up| up.dots) {
                return Verdict::Join;
            }
            return Verdict::Prefix(self.place(modifier, ""));
        }
        match climb(path) {
            None => Verdict::Join,
            Some(up) if first == b'/' => {
                let authority = path.get(1) == Some(&b'/');
                if up.dots || !self.plain_origin || (authority && !has_path(path)) {
                    return Verdict::Join;
                }
                let put =
                    if authority { self.base.scheme().to_owned() + ":" } else { self.origin().to_owned() };
                Verdict::Prefix(self.place(modifier, &put))
            }
            Some(up) if up.most > self.depth => Verdict::Join,
            Some(_) => Verdict::Keep,
        }
    }

    /// The address of a decoded reference; `None` where it leads to nothing that could be archived.
    pub fn join(&self, text: &str, modifier: Modifier) -> Option<String> {
        let text = text.trim_matches(|c: char| c <= ' ');
        let (reference, fragment) = match text.find('#') {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        if reference.is_empty() {
            return None;
        }
        let url = self.base.join_encoded(reference, self.encoding).filter(CanonicalUrl::is_web)?;
        let mut place = self.place(modifier, url.as_str());
        place.push_str(fragment);
        Some(place)
    }
}

/// Whether `//host/path` has a host and a path: without its slash, a relative reference on the page there would take the place
/// of the host.
fn has_path(authority: &[u8]) -> bool {
    authority[2..].iter().position(|&b| b == b'/').is_some_and(|at| at > 0)
}

/// The scheme that a reference begins with.
fn scheme(path: &[u8]) -> Option<&[u8]> {
    let end = path
        .iter()
        .position(|&b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))
        .filter(|&end| path[end] == b':')?;
    path[0].is_ascii_alphabetic().then(|| &path[..end])
}

/// What the dot segments of a path do.
struct Climb {
    /// Whether there are any.
    dots: bool,
    /// How many folders above its start it leads at the most.
    most: usize,
}

/// `None` for a path that has to be read by the parser.
fn climb(path: &[u8]) -> Option<Climb> {
    let mut climb = Climb { dots: false, most: 0 };
    if !path.contains(&b'.') && !path.contains(&b'%') {
        return Some(climb);
    }
    let mut level = 0isize;
    for segment in path.split(|&b| b == b'/') {
        match segment {
            b"." => climb.dots = true,
            b".." => {
                climb.dots = true;
                level -= 1;
                climb.most = climb.most.max(level.unsigned_abs() * usize::from(level < 0));
            }
            // Dots as `%2e` count as well.
            _ if segment.len() <= 6
                && segment.windows(3).any(|w| w.eq_ignore_ascii_case(b"%2e"))
                && segment.iter().all(|b| b".%2eE".contains(b)) =>
            {
                return None;
            }
            _ => level += 1,
        }
    }
    Some(climb)
}

/// Without what browsers take off both ends.
pub(super) fn trim(raw: &[u8]) -> &[u8] {
    let start = raw.iter().position(|&b| b > b' ').unwrap_or(raw.len());
    let end = raw.iter().rposition(|&b| b > b' ').map_or(start, |at| at + 1);
    &raw[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(base: &str) -> References {
        let base = CanonicalUrl::parse(base).unwrap();
        References::new("/c/", "20240615060000", None, base, encoding_rs::UTF_8)
    }

    /// What a browser requests for `reference` on the page `base` when it is replayed.
    fn requested(base: &str, reference: &str) -> String {
        let references = references(base);
        let here = format!("http://h{}", references.place(Modifier::Page, base));
        let here = CanonicalUrl::parse(&here).unwrap();
        let text = match references.judge(reference.as_bytes(), Modifier::Page, false) {
            Verdict::Keep => reference.to_owned(),
            Verdict::Prefix(put) => put + reference.trim(),
            Verdict::Join => {
                references.join(reference, Modifier::Page).unwrap_or_else(|| reference.to_owned())
            }
        };
        let Some(url) = here.join(&text) else { return format!("{text}: no URL") };
        let start = "http://h/c/20240615060000mp_/";
        let original = url.as_str().strip_prefix(start).unwrap_or(url.as_str());
        // A path keeps no `//` of a scheme, nor the case of a host: the server reads it as a URL again.
        CanonicalUrl::parse(original).map_or(format!("{original}: no URL"), CanonicalUrl::into_string)
    }

    #[test]
    fn references_lead_to_the_archived_url() {
        let bases = [
            "http://e.org/",
            "http://e.org/a/b/c.html?x=/y/../z",
            "https://e.org:8443/a/",
            "http://[::1]/d//e",
        ];
        let references = [
            "b.html",
            "/b.html",
            "//f.org/x",
            "http://f.org",
            "http://f.org/a/../../b",
            "../x",
            "../../../../x",
            "./y/./z",
            "?q=/../",
            "#top",
            "x#y",
            "/x/../../y",
            "HTTPS://F.org:443/x",
            "http:b",
            "http:/b",
            "http:///g.org/b",
            "///g.org/c",
            "\\x\\y",
            "/a\tb",
            " /blank ",
            "%2e%2e/%2e./x",
            ".%2E/..",
            "a/../../b/../../../c",
            "...",
            "/...",
            "a:b/..",
            "/a:b",
            "https:x",
            "//f.org",
            "//f.org/..",
            "/",
            ".",
            "..",
            "x/..",
            "/%2e%2e/x",
            "//[::2]:80/a",
            "http://u:p@f.org/",
            "mailto:a@b",
            "javascript:1",
            "data:,x",
            "/?a=http://b/",
            "http://ｅ.org/",
            "http://例え.jp/é?é",
        ];
        for base in bases {
            for reference in references {
                let live = CanonicalUrl::parse(base).unwrap().join(reference).map(CanonicalUrl::into_string);
                let live = live.unwrap_or_else(|| format!("{reference}: no URL"));
                assert_eq!(requested(base, reference), live, "{reference:?} on {base}");
            }
        }
    }

    #[test]
    fn what_leads_there_already_is_kept() {
        let references = references("http://e.org/a/b.html");
        for reference in
            ["c.html", "../c.png", "x/../../y", "?a&b", "#x", "", "data:,", "about:blank", "ftp://x/"]
        {
            assert_eq!(
                references.judge(reference.as_bytes(), Modifier::Page, true),
                Verdict::Keep,
                "{reference}"
            );
        }
    }

    #[test]
    fn addresses_are_taken_apart() {
        let cases = [
            (
                "/c/20240615060000mp_ab12/http://e.org/?a=b/c",
                Some(("20240615060000", Modifier::Page, Some("ab12"), "http://e.org/?a=b/c")),
            ),
            ("/c/2024/http:/e.org", Some(("2024", Modifier::Frame, None, "http:/e.org"))),
            ("/c/mp_/e.org", Some(("", Modifier::Page, None, "e.org"))),
            ("/c/2024id_/x", Some(("2024", Modifier::Raw, None, "x"))),
            ("/c/2024ab12/x", None),
            ("/c/2024zz_/x", None),
            ("/c/202406150600001/x", None),
            ("/c//x", None),
            ("/c/2024mp_/", None),
            ("/c/2024mp_x/x", None),
            ("/d/2024mp_/x", None),
        ];
        for (target, expected) in cases {
            let found = Place::parse(target, "/c/").map(|p| (p.timestamp, p.modifier, p.token, p.url));
            assert_eq!(found, expected, "{target}");
        }
    }
}
