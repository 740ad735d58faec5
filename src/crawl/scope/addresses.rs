//! Address ranges and countries: sorted intervals, binary search.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use ipnet::IpNet;

use webmill_capture::error::{AtPath, Error, Result};

/// Disjoint intervals (first, last, value), ascending.
#[derive(Debug, Default)]
struct Intervals<N, V>(Vec<(N, N, V)>);

impl<N: Ord + Copy + Step, V: Copy + PartialEq> Intervals<N, V> {
    /// Makes intervals disjoint: inside another, the inner one holds. Two that overlap otherwise, or are equal with
    /// different values, are given back as the error.
    fn new(mut all: Vec<(N, N, V, u32)>) -> std::result::Result<Self, (u32, u32)> {
        all.sort_by_key(|&(first, last, _, line)| (first, std::cmp::Reverse(last), line));
        let mut out: Vec<(N, N, V)> = Vec::with_capacity(all.len());
        // Intervals that are open, the innermost last; `next` is what they have not given out yet.
        let mut open: Vec<(N, N, V, u32)> = Vec::new();
        let mut next = None;
        let close = |open: &mut Vec<(N, N, V, u32)>,
                     next: &mut Option<N>,
                     until: Option<N>,
                     out: &mut Vec<(N, N, V)>| {
            while let Some(&(_, last, value, _)) = open.last() {
                let ends = until.is_none_or(|until| last < until);
                let end = if ends { Some(last) } else { until.and_then(Step::before) };
                if let (Some(from), Some(end)) = (*next, end)
                    && from <= end
                {
                    push(out, (from, end, value));
                    *next = end.after();
                }
                if !ends {
                    break;
                }
                open.pop();
            }
        };
        for interval in all {
            let (first, last, value, line) = interval;
            close(&mut open, &mut next, Some(first), &mut out);
            if let Some(&(outer_first, outer_last, outer_value, outer_line)) = open.last() {
                let same = (outer_first, outer_last) == (first, last);
                if last > outer_last || (same && value != outer_value) {
                    return Err((outer_line, line));
                }
            }
            next = Some(first);
            open.push(interval);
        }
        close(&mut open, &mut next, None, &mut out);
        Ok(Intervals(out))
    }

    fn get(&self, at: N) -> Option<V> {
        let after = self.0.partition_point(|&(first, ..)| first <= at);
        let &(_, last, value) = self.0.get(after.checked_sub(1)?)?;
        (at <= last).then_some(value)
    }
}

/// Appends, joined with the last where it goes on with the same value.
fn push<N: Step + PartialEq, V: PartialEq>(out: &mut Vec<(N, N, V)>, interval: (N, N, V)) {
    match out.last_mut() {
        Some((_, last, value)) if *value == interval.2 && last.after() == Some(interval.0) => {
            *last = interval.1
        }
        _ => out.push(interval),
    }
}

/// Neighbours of a number.
trait Step: Copy {
    fn after(self) -> Option<Self>;
    fn before(self) -> Option<Self>;
}

impl Step for u32 {
    fn after(self) -> Option<u32> {
        self.checked_add(1)
    }
    fn before(self) -> Option<u32> {
        self.checked_sub(1)
    }
}

impl Step for u128 {
    fn after(self) -> Option<u128> {
        self.checked_add(1)
    }
    fn before(self) -> Option<u128> {
        self.checked_sub(1)
    }
}

/// Both families.
#[derive(Debug, Default)]
struct FamilyIntervals<V> {
    v4: Intervals<u32, V>,
    v6: Intervals<u128, V>,
}

impl<V: Copy + PartialEq> FamilyIntervals<V> {
    /// Of (first, last, value, line), first and last of one family.
    fn new(all: Vec<(IpAddr, IpAddr, V, u32)>) -> std::result::Result<Self, (u32, u32)> {
        let (mut v4, mut v6) = (Vec::new(), Vec::new());
        for (first, last, value, line) in all {
            match (first, last) {
                (IpAddr::V4(a), IpAddr::V4(b)) => v4.push((u32::from(a), u32::from(b), value, line)),
                (IpAddr::V6(a), IpAddr::V6(b)) => v6.push((u128::from(a), u128::from(b), value, line)),
                _ => {}
            }
        }
        Ok(FamilyIntervals { v4: Intervals::new(v4)?, v6: Intervals::new(v6)? })
    }

    fn get(&self, address: IpAddr) -> Option<V> {
        match address.to_canonical() {
            IpAddr::V4(v4) => self.v4.get(v4.into()),
            IpAddr::V6(v6) => self.v6.get(v6.into()),
        }
    }
}

/// First and last address of `10.0.0.0/8`, `2001:db8::/32` or a single address.
fn network(text: &str) -> Option<(IpAddr, IpAddr)> {
    let text = text.trim();
    let Ok(net) = text.parse::<IpNet>() else {
        let address = text.parse::<IpAddr>().ok()?.to_canonical();
        return Some((address, address));
    };
    let (first, last) = (net.network(), net.broadcast());
    match (first.to_canonical(), last.to_canonical()) {
        // Below ::ffff:0:0/96 it is the mapped IPv4 network; a wider one stays IPv6.
        (IpAddr::V4(a), IpAddr::V4(b)) => Some((a.into(), b.into())),
        _ => Some((first, last)),
    }
}

/// A set of networks.
#[derive(Debug)]
pub struct Ranges(FamilyIntervals<()>);

impl Ranges {
    /// Networks in CIDR form, or single addresses.
    ///
    /// # Errors
    /// [`Error::Config`] with the entry.
    pub fn parse<'a>(entries: impl IntoIterator<Item = &'a String>) -> Result<Ranges> {
        let all = entries
            .into_iter()
            .map(|entry| {
                let wrong = || {
                    Error::Config(format!(
                        "scope: networks: {entry:?} is no network (10.0.0.0/8), address or country (CN)"
                    ))
                };
                network(entry).map(|(first, last)| (first, last, (), 0)).ok_or_else(wrong)
            })
            .collect::<Result<Vec<_>>>()?;
        let both = FamilyIntervals::new(all).map_err(|_| Error::Internal("networks overlap".into()))?;
        Ok(Ranges(both))
    }

    /// Whether the address lies in one of them; an IPv4 address mapped to IPv6 is the IPv4 address.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.get(address).is_some()
    }
}

/// A two-letter country, upper-case.
pub(super) fn country(text: &str) -> Option<[u8; 2]> {
    match text.trim().as_bytes() {
        [a, b] if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
            Some([a.to_ascii_uppercase(), b.to_ascii_uppercase()])
        }
        _ => None,
    }
}

/// Countries of addresses.
///
/// A CSV file: `network,country` or `first,last,country` a line, quoted or not; more fields are ignored; empty lines,
/// lines with `#` and one heading are skipped; `-` and `ZZ` or an empty field stand for no country. A network inside another holds there.
#[derive(Debug)]
pub struct CountryTable(FamilyIntervals<Option<[u8; 2]>>);

impl CountryTable {
    /// Reads a table.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Corrupt`] with offset and line of what cannot be read, or of two lines that contradict.
    pub fn open(path: &Path) -> Result<CountryTable> {
        Self::read(BufReader::new(File::open(path).at(path)?), path)
    }

    /// Reads a table from any reader; `path` is named in errors.
    ///
    /// # Errors
    /// As [`CountryTable::open`].
    pub fn read(mut reader: impl BufRead, path: &Path) -> Result<CountryTable> {
        let mut all = Vec::new();
        let (mut offset, mut number, mut line) = (0u64, 0u32, Vec::new());
        loop {
            line.clear();
            let length = reader.read_until(b'\n', &mut line).at(path)?;
            if length == 0 {
                break;
            }
            number += 1;
            let wrong = |reason: &str| Error::corrupt(path, offset, format!("line {number}: {reason}"));
            let text = std::str::from_utf8(&line).map_err(|_| wrong("not UTF-8"))?;
            let text = text.trim_start_matches('\u{feff}').trim();
            if !text.is_empty() && !text.starts_with('#') {
                match entry(text) {
                    Ok((first, last, country)) => all.push((first, last, country, number)),
                    Err(_) if number == 1 && is_heading(text) => {}
                    Err(reason) => return Err(wrong(reason)),
                }
            }
            offset += length as u64;
        }
        let clash = |(a, b): (u32, u32)| {
            let reason = format!(
                "line {b}: overlaps line {a} without lying inside it, or gives the same network another country"
            );
            Error::corrupt(path, 0, reason)
        };
        Ok(CountryTable(FamilyIntervals::new(all).map_err(clash)?))
    }

    /// Country of an address, two upper-case letters.
    pub fn country(&self, address: IpAddr) -> Option<[u8; 2]> {
        self.0.get(address).flatten()
    }
}

fn is_heading(line: &str) -> bool {
    line.split(',').next().is_some_and(|f| f.contains(|c: char| c.is_alphabetic()) && !f.contains([':', '/']))
}

fn entry(line: &str) -> std::result::Result<(IpAddr, IpAddr, Option<[u8; 2]>), &'static str> {
    let mut fields = line.split(',').map(|f| f.trim().trim_matches('"').trim());
    let first = fields.next().unwrap_or_default();
    let second = fields.next().ok_or("no comma")?;
    let (range, code) = match (address(first), address(second)) {
        (Some(a), Some(b)) => ((a, b), fields.next().ok_or("no country")?),
        _ => (network(first).ok_or("no network or address in the first field")?, second),
    };
    if range.0.is_ipv4() != range.1.is_ipv4() || range.0 > range.1 {
        return Err("the last address is before the first");
    }
    match code {
        "" | "-" | "ZZ" => Ok((range.0, range.1, None)),
        code => country(code).map(|c| (range.0, range.1, Some(c))).ok_or("no two-letter country"),
    }
}

/// An address, or a number that stands for an IPv4 one, as some tables have it.
fn address(text: &str) -> Option<IpAddr> {
    let number = || text.parse::<u32>().ok().map(|n| IpAddr::V4(Ipv4Addr::from(n)));
    text.parse::<IpAddr>().ok().map(|a| a.to_canonical()).or_else(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::net::Ipv6Addr;

    fn read(text: &str) -> Result<CountryTable> {
        CountryTable::read(text.as_bytes(), Path::new("table.csv"))
    }

    fn code(table: &CountryTable, address: &str) -> String {
        let found = table.country(address.parse().expect("an address"));
        found.map_or("-".into(), |c| String::from_utf8_lossy(&c).into_owned())
    }

    #[test]
    fn tables() {
        let table = read(
            "\u{feff}network,country\r\n# comment\n\n10.0.0.0/8,de\n10.1.0.0/16,CN,ignored\n10.1.2.3,US\n\
             \"11.0.0.0\",\"11.0.0.255\",\"FR\"\n16909056,16909311,JP\n2001:da8::/32,CN\n2001:da8:1::/48,-\n\
             ::ffff:12.0.0.0/104,IT\n0.0.0.0/8,ZZ\n255.255.255.255/32,GB",
        )
        .unwrap();
        for (address, country) in [
            ("10.0.255.255", "DE"),
            ("10.1.0.0", "CN"),
            ("10.1.2.2", "CN"),
            ("10.1.2.3", "US"),
            ("10.1.2.4", "CN"),
            ("10.1.255.255", "CN"),
            ("10.2.0.0", "DE"),
            ("10.255.255.255", "DE"),
            ("9.255.255.255", "-"),
            ("11.0.0.0", "FR"),
            ("11.0.0.255", "FR"),
            ("11.0.1.0", "-"),
            ("1.2.3.0", "JP"),
            ("1.2.4.0", "-"),
            ("12.255.1.1", "IT"),
            ("::ffff:10.1.2.3", "US"),
            ("2001:da8::1", "CN"),
            ("2001:da8:1::1", "-"),
            ("2001:da8:2::", "CN"),
            ("2001:da9::", "-"),
            ("0.1.2.3", "-"),
            ("255.255.255.255", "GB"),
        ] {
            assert_eq!(code(&table, address), country, "{address}");
        }
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line, offset) in [
            ("1.0.0.0/8,CN\n1.0.0.0/33,CN\n", 2, 13),
            ("1.0.0.0/8,CN\nx", 2, 13),
            ("1.0.0.0/8,China", 1, 0),
            ("1.0.0.9,1.0.0.1,CN", 1, 0),
            ("1.0.0.9,::1,CN", 1, 0),
            ("network,country\nnetwork,country\n", 2, 16),
            ("1.0.0.0,1.0.0.9,CN\n1.0.0.5,1.0.0.12,US", 2, 0),
            ("1.0.0.0/8,CN\n1.0.0.0/8,US", 2, 0),
        ] {
            let error = read(text).expect_err(text);
            assert!(matches!(&error, Error::Corrupt { offset: o, .. } if *o == offset), "{text:?}: {error}");
            assert!(error.to_string().contains(&format!("line {line}: ")), "{text:?}: {error}");
        }
        assert!(CountryTable::read(&b"1.0.0.0/8,\xff"[..], Path::new("t")).is_err());
        assert!(read("1.0.0.0/8,CN\n1.0.0.0/8,CN").is_ok());
    }

    proptest! {
        #[test]
        fn the_longest_prefix_holds(nets in prop::collection::vec((any::<u8>(), any::<u8>(), 0u8..=16, "[A-C]{2}"), 0..40)) {
            let nets: std::collections::BTreeMap<IpNet, String> = nets
                .into_iter()
                .map(|(a, b, prefix, code)| {
                    let net: IpNet = format!("{a}.{b}.0.0/{prefix}").parse().unwrap();
                    (net.trunc(), code)
                })
                .collect();
            let text: String = nets.iter().map(|(net, code)| format!("{net},{code}\n")).collect();
            let table = read(&text).unwrap();
            for n in (0..=u32::MAX).step_by(0x00FF_FFFF).chain([0, 1 << 16, u32::MAX]) {
                let address = IpAddr::V4(Ipv4Addr::from(n));
                let want = nets.iter().filter(|(net, _)| net.contains(&address)).max_by_key(|(net, _)| net.prefix_len());
                prop_assert_eq!(table.country(address).map(|c| String::from_utf8_lossy(&c).into_owned()), want.map(|(_, c)| c.clone()));
            }
            let ranges = Ranges::parse(&nets.keys().map(ToString::to_string).collect::<Vec<_>>()).unwrap();
            for n in (0..=u32::MAX).step_by(0x00FF_FFFF) {
                let address = IpAddr::V4(Ipv4Addr::from(n));
                prop_assert_eq!(ranges.contains(address), nets.keys().any(|net| net.contains(&address)));
            }
        }
    }

    #[test]
    fn mapped_and_wide_networks() {
        let ranges = Ranges::parse(&["::/0".into(), "::ffff:1.2.3.4".into()]).unwrap();
        assert!(ranges.contains(IpAddr::V6(Ipv6Addr::LOCALHOST)));
        assert!(ranges.contains("1.2.3.4".parse().unwrap()) && !ranges.contains("1.2.3.5".parse().unwrap()));
        assert!(Ranges::parse(&["1.2.3".into()]).is_err());
        let wide = Ranges::parse(&["::fffe:0:0/95".into()]).unwrap();
        assert!(wide.contains("::fffe:1:1".parse().unwrap()) && !wide.contains("1.2.3.4".parse().unwrap()));
    }
}
