//! The host of an index key.

use std::borrow::Cow;

use super::{decoded, nameprep, push_escaped};

/// The host in its one form, labels still in their order; empty for none.
pub(super) fn canonical(host: &[u8]) -> Vec<u8> {
    let host = decoded(host);
    let host = if host.is_ascii() { host } else { international(&host) };
    let single = single_dots(&host);
    let host = numeric(strip_dots(&single));
    let mut out = Vec::with_capacity(host.len());
    push_escaped(&host, &mut out);
    let www = www_label(&out);
    out.drain(..www);
    out
}

/// By IDNA where it can be said so, with the bytes left out that are no UTF-8; else as it is.
fn international(host: &[u8]) -> Cow<'_, [u8]> {
    let mut text = String::with_capacity(host.len());
    host.utf8_chunks().for_each(|chunk| text.push_str(chunk.valid()));
    match nameprep::to_ascii(&text) {
        Some(ascii) => Cow::Owned(ascii.into_bytes()),
        None => Cow::Owned(host.to_vec()),
    }
}

/// Two dots as one; three as two, for it is done once.
fn single_dots(host: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memmem::find(host, b"..").is_none() {
        return Cow::Borrowed(host);
    }
    let mut out = Vec::with_capacity(host.len());
    let mut rest = host;
    while let Some(&byte) = rest.first() {
        out.push(byte);
        rest = &rest[if rest.starts_with(b"..") { 2 } else { 1 }..];
    }
    Cow::Owned(out)
}

fn strip_dots(host: &[u8]) -> &[u8] {
    let Some(start) = host.iter().position(|&b| b != b'.') else { return &[] };
    let end = host.iter().rposition(|&b| b != b'.').map_or(start, |last| last + 1);
    &host[start..end]
}

/// An IPv4 address written otherwise, as four numbers: one decimal number (of any size, its last 32 bits), or two to four
/// that are decimal, or octal with a zero in front, the last one of all bits that are left.
fn numeric(host: &[u8]) -> Cow<'_, [u8]> {
    let address = if !host.is_empty() && host.iter().all(u8::is_ascii_digit) {
        let digit = |b: &u8| u32::from(b - b'0');
        Some(host.iter().fold(0_u32, |n, b| n.wrapping_mul(10).wrapping_add(digit(b))))
    } else if host.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        dotted(host)
    } else {
        None
    };
    match address {
        Some(address) => Cow::Owned(std::net::Ipv4Addr::from(address).to_string().into_bytes()),
        None => Cow::Borrowed(host),
    }
}

fn dotted(host: &[u8]) -> Option<u32> {
    let count = host.iter().filter(|&&b| b == b'.').count();
    if !(1..=3).contains(&count) {
        return None;
    }
    let mut address = 0_u32;
    for (i, part) in host.split(|&b| b == b'.').enumerate() {
        let base = if part.first() == Some(&b'0') { 8 } else { 10 };
        let mut number = if part.is_empty() { return None } else { 0_u32 };
        for b in part {
            let digit = char::from(*b).to_digit(base)?;
            number = number.checked_mul(base)?.checked_add(digit)?;
        }
        let bits = if i == count { 8 * (4 - count as u32) } else { 8 };
        if bits < 32 && number >> bits != 0 {
            return None;
        }
        address = address << bits | number;
    }
    Some(address)
}

/// Length of a first label `www`, `www1`, `www34` with its dot.
fn www_label(host: &[u8]) -> usize {
    let Some(rest) = host.strip_prefix(b"www") else { return 0 };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    if rest.get(digits) == Some(&b'.') { 3 + digits + 1 } else { 0 }
}
