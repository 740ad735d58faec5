//! What the standard asks of a WARC record beyond what reading needs.
//!
//! `webmill shard check` asks it about every record. It looks at the fields that a type must have, at the forms of target
//! URIs, identifiers, dates, addresses and media types, at the media type that goes with a type, and at whether an
//! identifier stands in the file before. Digests are compared by the reader.
//!
//! Memory: a hash of 64 bits for each identifier, up to [`Validator::MOST_IDS`] of them; two different identifiers of a file are taken
//! for one with a probability below 10⁻⁶. Reference: ISO 28500:2017, 5 and 6.

use std::collections::HashSet;
use std::net::IpAddr;

use webmill_capture::date::parse_w3c;
use xxhash_rust::xxh3::xxh3_64;

use super::{Format, Record, RecordType};

/// Fields of a record that may stand in its head several times.
const REPEATED: [&str; 2] = ["warc-concurrent-to", "warc-protocol"];
/// Most faults of a record that are told.
const MOST_FAULTS: usize = 20;

/// A rule that a record breaks, and the value that breaks it; empty where one is missing.
pub type RuleFault = (String, String);

/// The rules, and the identifiers of one file.
#[derive(Debug, Default)]
pub struct Validator {
    ids: HashSet<u64>,
    overfull: bool,
}

impl Validator {
    /// Most identifiers that are compared.
    pub const MOST_IDS: usize = 1 << 22;

    /// Whether the file has more identifiers than were compared.
    pub fn is_overfull(&self) -> bool {
        self.overfull
    }

    /// The rules that the next record of the file breaks.
    pub fn faults(&mut self, record: &Record<'_>) -> Vec<RuleFault> {
        let mut faults = Vec::new();
        if record.format != Format::Warc {
            return faults;
        }
        let old = record.head.starts_with(b"WARC/1.0");
        let mut seen = HashSet::new();
        for (name, value) in record.properties() {
            let lower = name.to_ascii_lowercase();
            let fault = match &*lower {
                _ if value.is_empty() => Some("has no value"),
                "warc-type" => {
                    (record.kind == RecordType::Unknown).then_some("is none of the standard's types")
                }
                "warc-target-uri" | "warc-refers-to-target-uri" | "warc-profile" => {
                    uri_fault(unbracketed(&value))
                }
                "warc-record-id"
                | "warc-refers-to"
                | "warc-concurrent-to"
                | "warc-warcinfo-id"
                | "warc-segment-origin-id" => id_fault(&value),
                // One that cannot be read as the standard's is a defect already.
                "warc-date" if parse_w3c(&value).is_none() => None,
                "warc-date" | "warc-refers-to-date" => date_fault(&value, old),
                "warc-ip-address" => value.parse::<IpAddr>().is_err().then_some("is no address"),
                "content-type" | "warc-identified-payload-type" => {
                    (!is_media_type(&value)).then_some("is no media type")
                }
                "warc-segment-number" | "warc-segment-total-length" | "content-length" => {
                    (!value.bytes().all(|b| b.is_ascii_digit())).then_some("is no number")
                }
                _ => None,
            };
            let once = lower.starts_with("warc-") && !REPEATED.contains(&&*lower);
            let again = !seen.insert(lower) && once;
            for fault in fault.into_iter().chain(again.then_some("stands in the head more than once")) {
                faults.push((format!("{name} {fault}"), value.to_string()));
            }
            if faults.len() >= MOST_FAULTS {
                return faults;
            }
        }
        let missing = |name: &&&str| !seen.contains(&name.to_ascii_lowercase());
        for name in fields_of(record.kind).iter().filter(missing) {
            faults.push((format!("a {} without {name}", record.kind.name()), String::new()));
        }
        if record.kind == RecordType::Warcinfo && seen.contains("warc-target-uri") {
            faults.push(("a warcinfo with a WARC-Target-URI".into(), record.url.to_string()));
        }
        faults.extend(content_fault(record, seen.contains("content-type")));
        if let Some(id) = &record.id {
            let full = self.ids.len() >= Self::MOST_IDS;
            self.overfull |= full;
            if !full && !self.ids.insert(xxh3_64(id.as_bytes())) {
                faults.push(("WARC-Record-ID of an earlier record of the file".into(), id.to_string()));
            }
        }
        faults
    }
}

/// Fields that only some types must have.
fn fields_of(kind: RecordType) -> &'static [&'static str] {
    match kind {
        RecordType::Response | RecordType::Resource | RecordType::Request | RecordType::Conversion => {
            &["WARC-Target-URI"]
        }
        RecordType::Revisit => &["WARC-Target-URI", "WARC-Profile"],
        RecordType::Continuation => &["WARC-Target-URI", "WARC-Segment-Number", "WARC-Segment-Origin-ID"],
        _ => &[],
    }
}

/// Whether the block is what the type of the record and its media type say.
fn content_fault(record: &Record<'_>, has_type: bool) -> Option<RuleFault> {
    let kind = record.kind;
    let declared = record.content_type.as_deref().unwrap_or_default();
    if declared.is_empty() {
        let asks = !has_type && record.full_length > 0 && kind != RecordType::Continuation;
        return asks.then(|| ("a block without Content-Type".into(), String::new()));
    }
    let mut parts = declared.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    let of_http = record.url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
    let (wanted, message) = match kind {
        RecordType::Response if of_http => ("application/http", "response"),
        RecordType::Request if of_http => ("application/http", "request"),
        _ => return None,
    };
    let told = parts.find_map(|part| part.strip_prefix("msgtype=")).map(|told| told.trim_matches('"'));
    if !essence.eq_ignore_ascii_case(wanted) {
        return Some((format!("Content-Type of a {} is not {wanted}", kind.name()), declared.to_owned()));
    }
    if told.is_some_and(|told| !told.eq_ignore_ascii_case(message)) {
        return Some((format!("msgtype of a {} is another", kind.name()), declared.to_owned()));
    }
    let headless = kind == RecordType::Response && !record.data.starts_with(b"HTTP/");
    headless.then(|| ("the block of a response over HTTP begins with no status line".into(), String::new()))
}

fn unbracketed(uri: &str) -> &str {
    uri.strip_prefix('<').and_then(|uri| uri.strip_suffix('>')).unwrap_or(uri)
}

fn uri_fault(uri: &str) -> Option<&'static str> {
    let is_scheme = |text: &str| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    };
    if uri.bytes().any(|b| b <= b' ' || matches!(b, 0x7f | b'<' | b'>' | b'"')) {
        return Some("has characters that a URI cannot have");
    }
    let (scheme, rest) = uri.split_once(':').unwrap_or_default();
    (!is_scheme(scheme) || rest.is_empty()).then_some("is no absolute URI")
}

fn id_fault(id: &str) -> Option<&'static str> {
    let Some(uri) = id.strip_prefix('<').and_then(|id| id.strip_suffix('>')) else {
        return Some("is not a URI in angle brackets");
    };
    let is_uuid = |text: &str| {
        let dashes = [8, 13, 18, 23];
        text.len() == 36
            && text.bytes().enumerate().all(|(at, b)| match dashes.contains(&at) {
                true => b == b'-',
                false => b.is_ascii_hexdigit(),
            })
    };
    match uri.get(..9).filter(|start| start.eq_ignore_ascii_case("urn:uuid:")) {
        Some(start) => (!uri.get(start.len()..).is_some_and(is_uuid)).then_some("is no UUID"),
        None => uri_fault(uri),
    }
}

/// The profile of ISO 8601 that each version of the standard takes.
fn date_fault(date: &str, old: bool) -> Option<&'static str> {
    let shape: String = date.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let shape = match shape.split_once('.') {
        Some((whole, fraction))
            if !old && matches!(fraction.len(), 2..=10) && fraction.trim_start_matches('0') == "Z" =>
        {
            format!("{whole}Z")
        }
        _ => shape,
    };
    let shapes = ["0000-00-00T00:00:00Z", "0000-00-00T00:00Z", "0000-00-00", "0000-00", "0000"];
    let known = if old { &shapes[..1] } else { &shapes[..] };
    (!known.contains(&&*shape)).then_some("is not of the standard's form")
}

fn is_media_type(text: &str) -> bool {
    let parts: Vec<&str> = text.split(';').next().unwrap_or_default().trim().split('/').collect();
    let is_token = |part: &&str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_graphic() && !b"()<>@,;:\\\"[]?=".contains(&b))
    };
    parts.len() == 2 && parts.iter().all(is_token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, ShardReader};

    const HEAD: &str = "HTTP/1.1 200 OK\r\n\r\nx";

    /// A record with these fields instead of the usual ones; an empty value takes one away.
    fn record(changes: &[(&str, &str)]) -> String {
        let mut fields = vec![
            ("WARC-Type", "response"),
            ("WARC-Target-URI", "http://a.example/"),
            ("WARC-Date", "2024-05-03T10:31:00Z"),
            ("WARC-Record-ID", "<urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8>"),
            ("Content-Type", "application/http;msgtype=response"),
        ];
        for (name, value) in changes {
            match fields.iter_mut().find(|field| field.0 == *name) {
                Some(field) => field.1 = *value,
                None => fields.push((*name, *value)),
            }
        }
        fields.retain(|field| !field.1.is_empty());
        let lines: String = fields.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("WARC/1.1\r\n{lines}Content-Length: {}\r\n\r\n{HEAD}\r\n\r\n", HEAD.len())
    }

    fn faults(file: String) -> Vec<String> {
        let bytes = std::io::Cursor::new(file.into_bytes());
        let mut reader =
            ShardReader::from_reader(Box::new(bytes), "a.warc", &ReadOptions::default()).unwrap();
        let (mut validator, mut all) = (Validator::default(), Vec::new());
        while let Some(record) = reader.next() {
            all.extend(validator.faults(&record.unwrap()).into_iter().map(|(what, _)| what));
        }
        all
    }

    #[test]
    fn each_rule_has_its_line() {
        assert!(faults(record(&[])).is_empty());
        for (name, value, want) in [
            ("WARC-Target-URI", "", "a response without WARC-Target-URI"),
            ("WARC-Target-URI", "not a url", "WARC-Target-URI has characters that a URI cannot have"),
            (
                "WARC-Target-URI",
                "http://a.example/\u{1}",
                "WARC-Target-URI has characters that a URI cannot have",
            ),
            ("WARC-Target-URI", "/relative", "WARC-Target-URI is no absolute URI"),
            (
                "WARC-Record-ID",
                "urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
                "WARC-Record-ID is not a URI in angle brackets",
            ),
            ("WARC-Record-ID", "<urn:uuid:6ba7b810>", "WARC-Record-ID is no UUID"),
            ("WARC-Record-ID", "<nonsense>", "WARC-Record-ID is no absolute URI"),
            ("WARC-Type", "respnse", "WARC-Type is none of the standard's types"),
            ("WARC-Type", "revisit", "a revisit without WARC-Profile"),
            ("WARC-Type", "request", "msgtype of a request is another"),
            ("WARC-IP-Address", "999.1.1.1", "WARC-IP-Address is no address"),
            ("WARC-Date", "2024-05-03T10:31:00+02:00", "WARC-Date is not of the standard's form"),
            ("warc-date", "2024-05-03T10:31:00Z", "warc-date stands in the head more than once"),
            ("Content-Type", "", "a block without Content-Type"),
            ("Content-Type", "html", "Content-Type is no media type"),
            ("Content-Type", "text/html", "Content-Type of a response is not application/http"),
        ] {
            let found = faults(record(&[(name, value)]));
            assert!(found.iter().any(|fault| fault == want), "{name}: {value}: {found:?}");
        }
        assert_eq!(faults(record(&[]).repeat(2)), ["WARC-Record-ID of an earlier record of the file"]);
        let concurrent = ("WARC-Concurrent-To", "<urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8>");
        assert!(faults(record(&[concurrent])).is_empty());
    }

    #[test]
    fn dates_are_those_of_the_version() {
        for (date, fits, fits_old) in [
            ("2016-01-11T23:24:25Z", true, true),
            ("2016-01-11T23:24:25.412030Z", true, false),
            ("2016-01-11T23:24Z", true, false),
            ("2016", true, false),
            ("2016-01-11T23:24:25", false, false),
            ("2016-01-11t23:24:25z", false, false),
            ("2016-01-11 23:24:25", false, false),
        ] {
            let found = [date_fault(date, false), date_fault(date, true)].map(|fault| fault.is_none());
            assert_eq!(found, [fits, fits_old], "{date}");
        }
    }
}
