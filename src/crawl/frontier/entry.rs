//! An entry of the queue as bytes: what its key or its URL already says is left out.
//!
//! ```text
//! flags       1 byte: 1 https, 2 whole URL, 4 origin, 8 referrer, 16 priority, 32 sitemap, 64 robots, 32 + 64 requisite,
//!             128 lineage
//! depth       varint
//! redirects   1 byte
//! retries     1 byte
//! postponed   1 byte
//! url         varint length, bytes: after `scheme://host`, or whole
//! origin      varint bytes shared with the URL, varint length, bytes
//! referrer    likewise
//! priority    8 bytes, little-endian
//! lineage     1 byte off site, 4 bytes mark of the seed, little-endian
//! ```

use crate::scope::{Lineage, SeedMark};
use crate::task::{Discovered, Entry, Purpose};
use webmill_capture::CanonicalUrl;
use webmill_capture::cut::Cut;
use webmill_capture::varint::{read_varint, write_varint};

const HTTPS: u8 = 1;
const WHOLE: u8 = 2;
const ORIGIN: u8 = 4;
const REFERRER: u8 = 8;
const PRIORITY: u8 = 16;
const SITEMAP: u8 = 32;
const ROBOTS: u8 = 64;
const LINEAGE: u8 = 128;
const REQUISITE: u8 = SITEMAP | ROBOTS;

/// The data written of an entry, borrowed from whichever form it has.
pub(super) struct Fields<'a> {
    pub url: &'a CanonicalUrl,
    pub purpose: Purpose,
    pub depth: u32,
    pub redirects: u8,
    pub lineage: Lineage,
    pub retries: u8,
    pub postponed: u8,
    pub origin: Option<&'a str>,
    pub referrer: Option<&'a str>,
    pub priority: f64,
}

impl<'a> From<&'a Discovered> for Fields<'a> {
    fn from(found: &'a Discovered) -> Self {
        Fields {
            url: &found.url,
            purpose: found.purpose,
            depth: found.depth,
            redirects: found.redirects,
            lineage: found.lineage,
            retries: 0,
            postponed: 0,
            origin: found.origin.as_deref(),
            referrer: found.referrer.as_deref(),
            priority: found.priority,
        }
    }
}

impl<'a> From<&'a Entry> for Fields<'a> {
    fn from(entry: &'a Entry) -> Self {
        Fields {
            url: &entry.url,
            purpose: entry.purpose,
            depth: entry.depth,
            redirects: entry.redirects,
            lineage: entry.lineage,
            retries: entry.retries,
            postponed: entry.postponed,
            origin: entry.origin.as_deref(),
            referrer: entry.referrer.as_deref(),
            priority: entry.priority,
        }
    }
}

/// The bytes of an entry of the queue of `url.host()`.
pub(super) fn encode(fields: &Fields<'_>) -> Vec<u8> {
    let url = fields.url.as_str();
    let rest = match fields.url.scheme() {
        "http" => url.get(7..).map(|rest| (0, rest)),
        "https" => url.get(8..).map(|rest| (HTTPS, rest)),
        _ => None,
    }
    .and_then(|(flag, rest)| Some((flag, rest.strip_prefix(fields.url.host())?)));
    let (mut flags, text) = rest.unwrap_or((WHOLE, url));
    let mut flag = |set: bool, bit: u8| flags |= if set { bit } else { 0 };
    flag(fields.origin.is_some(), ORIGIN);
    flag(fields.referrer.is_some(), REFERRER);
    flag(fields.priority.to_bits() != 0, PRIORITY);
    flag(!fields.lineage.is_empty(), LINEAGE);
    flag(fields.purpose == Purpose::Sitemap, SITEMAP);
    flag(fields.purpose == Purpose::Robots, ROBOTS);
    flag(fields.purpose == Purpose::Requisite, REQUISITE);
    let mut bytes = Vec::with_capacity(text.len() + 48);
    bytes.push(flags);
    write_varint(&mut bytes, u64::from(fields.depth));
    bytes.extend([fields.redirects, fields.retries, fields.postponed]);
    put_text(&mut bytes, text);
    for other in [fields.origin, fields.referrer].into_iter().flatten() {
        let shared = url.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
        // A cut inside a character would leave no text; canonical URLs are ASCII, but origins need not be.
        let shared = other.floor_char_boundary(shared);
        write_varint(&mut bytes, shared as u64);
        put_text(&mut bytes, other.cut(shared..));
    }
    if flags & PRIORITY != 0 {
        bytes.extend(fields.priority.to_le_bytes());
    }
    if flags & LINEAGE != 0 {
        bytes.push(fields.lineage.off_site);
        bytes.extend(fields.lineage.seed.0.to_le_bytes());
    }
    bytes
}

/// The entry of [`encode`]; `None` where the bytes are none.
pub(super) fn decode(host: &str, mut bytes: &[u8]) -> Option<Entry> {
    let input = &mut bytes;
    let flags = take(input, 1)?[0];
    let depth = u32::try_from(read_varint(input)?).ok()?;
    let counts = take(input, 3)?;
    let (redirects, retries, postponed) = (counts[0], counts[1], counts[2]);
    let text = take_text(input)?;
    let scheme = if flags & HTTPS == 0 { "http://" } else { "https://" };
    let url = if flags & WHOLE == 0 { [scheme, host, text].concat() } else { text.to_owned() };
    let mut other = |flag: u8| -> Option<Option<String>> {
        if flags & flag == 0 {
            return Some(None);
        }
        let shared = usize::try_from(read_varint(input)?).ok()?;
        Some(Some([url.get(..shared)?, take_text(input)?].concat()))
    };
    let (origin, referrer) = (other(ORIGIN)?, other(REFERRER)?);
    let priority =
        if flags & PRIORITY == 0 { 0.0 } else { f64::from_le_bytes(take(input, 8)?.try_into().ok()?) };
    let mut lineage = Lineage::default();
    if flags & LINEAGE != 0 {
        lineage.off_site = take(input, 1)?[0];
        lineage.seed = SeedMark(u32::from_le_bytes(take(input, 4)?.try_into().ok()?));
    }
    let purpose = match flags & (SITEMAP | ROBOTS) {
        0 => Purpose::Page,
        SITEMAP => Purpose::Sitemap,
        ROBOTS => Purpose::Robots,
        REQUISITE => Purpose::Requisite,
        _ => return None,
    };
    let parsed = CanonicalUrl::parse(&url)?;
    let whole = input.is_empty() && parsed.as_str() == url && parsed.host() == host;
    whole.then_some(Entry {
        url: parsed,
        purpose,
        depth,
        redirects,
        lineage,
        retries,
        postponed,
        origin,
        referrer,
        priority,
    })
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    write_varint(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

fn take<'a>(input: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (head, tail) = input.split_at_checked(count)?;
    *input = tail;
    Some(head)
}

fn take_text<'a>(input: &mut &'a [u8]) -> Option<&'a str> {
    let length = usize::try_from(read_varint(input)?).ok()?;
    std::str::from_utf8(take(input, length)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    fn sample(url: &str) -> Entry {
        Entry {
            url: CanonicalUrl::parse(url).unwrap(),
            purpose: Purpose::Page,
            depth: 3,
            redirects: 1,
            lineage: Lineage::default(),
            retries: 2,
            postponed: 1,
            origin: Some("http://a.example/ältere".into()),
            referrer: Some("http://a.example/dir/page.html".into()),
            priority: -0.25,
        }
    }

    #[test]
    fn what_the_host_says_is_left_out() {
        let mut entry = sample("http://a.example/dir/other.html");
        let bytes = encode(&Fields::from(&entry));
        assert_eq!(decode("a.example", &bytes), Some(entry.clone()));
        entry = Entry { origin: None, priority: 0.0, ..entry };
        let bytes = encode(&Fields::from(&entry));
        assert_eq!(bytes.len(), 1 + 1 + 3 + 1 + "/dir/other.html".len() + 2 + "page.html".len());
        assert_eq!(decode("a.example", &bytes), Some(entry));
        assert_eq!(
            decode("b.example", &bytes).map(|entry| entry.url.to_string()).as_deref(),
            Some("http://b.example/dir/other.html")
        );
    }

    #[test]
    fn every_kind_of_url() {
        for url in [
            "https://a.example:8443/?q=1",
            "http://[::1]/x",
            "http://user:secret@a.example/",
            "ftp://a.example/file",
            "mailto:somebody@a.example",
            "http://127.0.0.1/",
        ] {
            for (purpose, off_site, seed) in [
                (Purpose::Page, 0, 0),
                (Purpose::Sitemap, 3, 0),
                (Purpose::Robots, 255, u32::MAX),
                (Purpose::Requisite, 1, 7),
            ] {
                let lineage = Lineage { off_site, seed: SeedMark(seed) };
                let entry = Entry { purpose, lineage, ..sample(url) };
                let bytes = encode(&Fields::from(&entry));
                assert_eq!(decode(entry.url.host(), &bytes), Some(entry.clone()), "{url}");
            }
        }
    }
}
