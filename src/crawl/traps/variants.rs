//! What a host's URLs show over time: counters in bounded memory.
//!
//! A table of 32 paths with queries: how many queries each had, and hashes of 16 bits of its sets of parameter names,
//! 1,024 in all; a table of 32 date templates; a count of far dates. When a table is full, the smallest entry makes
//! room (of the sets, those of the path with fewest queries): counts are exact for hosts with few such paths, and else
//! too low, never too high. Two sets share a hash once in 65,536 pairs. At most some 3 KiB a host, a few bytes for
//! most.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::{dates, day};
use webmill_capture::CanonicalUrl;
use webmill_capture::date::now_ms;

/// Entries of each table.
const SLOTS: usize = 32;

/// Sets of parameter names in all.
const SETS: usize = 1024;

/// Pages of a host whose dates lie more than a year ahead.
const FUTURE_DATES: u32 = 200;

/// Dates of one template: half a century of days.
const DATES_PER_TEMPLATE: u32 = 20_000;

const QUERIES_PER_PATH: u32 = 100_000;

/// Sets of parameter names of one path.
const SETS_PER_PATH: usize = 256;

/// The first byte of stored counters.
const VERSION: u8 = 1;

/// Counters of a host.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Variants {
    paths: Vec<Path>,
    templates: Vec<(u32, u32)>,
    future: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Path {
    key: u32,
    queries: u32,
    sets: Vec<[u8; 2]>,
}

impl Variants {
    /// Counts a URL that is about to be fetched, once for each URL. One that is refused is not counted.
    ///
    /// # Errors
    /// The reason, as the event log has it.
    pub fn observe(&mut self, url: &CanonicalUrl) -> Result<(), &'static str> {
        self.observe_at(url, now_ms())
    }

    /// [`Variants::observe`] at another time: milliseconds since 1970.
    ///
    /// # Errors
    /// The reason, as the event log has it.
    pub fn observe_at(&mut self, url: &CanonicalUrl, now_ms: i64) -> Result<(), &'static str> {
        let date = dates::find(url);
        let future = date.is_some_and(|date| date.days() > day(now_ms) + 365);
        if future && self.future >= FUTURE_DATES {
            return Err("calendar-future");
        }
        let template = date.filter(|date| date.leaf).map(|date| date.template as u32);
        let of_template = |key: u32| self.templates.iter().position(|&(k, _)| k == key);
        let template_at = template.and_then(of_template);
        if template_at.is_some_and(|at| self.templates[at].1 >= DATES_PER_TEMPLATE) {
            return Err("calendar-pages");
        }
        let query = url.query().filter(|query| !query.is_empty());
        if let Some(query) = query {
            self.count_query(url.path(), query)?;
        }
        self.future += u32::from(future);
        match (template_at, template) {
            (Some(at), _) => self.templates[at].1 += 1,
            (None, Some(key)) => push(&mut self.templates, (key, 1), |entry| entry.1),
            _ => {}
        }
        Ok(())
    }

    fn count_query(&mut self, path: &str, query: &str) -> Result<(), &'static str> {
        let key = xxh3_64(path.as_bytes()) as u32;
        let set = names(query);
        let Some(at) = self.paths.iter().position(|entry| entry.key == key) else {
            self.make_room_for_set(None);
            push(&mut self.paths, Path { key, queries: 1, sets: vec![set] }, |entry| entry.queries);
            return Ok(());
        };
        let entry = &self.paths[at];
        if entry.queries >= QUERIES_PER_PATH {
            return Err("query-variants");
        }
        let fresh = !entry.sets.contains(&set);
        if fresh {
            if entry.sets.len() >= SETS_PER_PATH {
                return Err("parameter-sets");
            }
            self.make_room_for_set(Some(at));
        }
        let entry = &mut self.paths[at];
        entry.queries += 1;
        entry.sets.extend(fresh.then_some(set));
        Ok(())
    }

    /// Forgets sets of other paths than that at `keep`, where there are too many in all.
    fn make_room_for_set(&mut self, keep: Option<usize>) {
        while self.paths.iter().map(|entry| entry.sets.len()).sum::<usize>() >= SETS {
            let others = self
                .paths
                .iter_mut()
                .enumerate()
                .filter(|(at, entry)| Some(*at) != keep && !entry.sets.is_empty());
            match others.min_by_key(|(_, entry)| entry.queries) {
                Some((_, entry)) => entry.sets.clear(),
                None => return,
            }
        }
    }

    /// The counters as stored; empty where nothing was counted.
    pub fn to_bytes(&self) -> Vec<u8> {
        if *self == Variants::default() {
            return Vec::new();
        }
        postcard::to_extend(self, vec![VERSION]).unwrap_or_default()
    }

    /// Counters of [`Variants::to_bytes`]; what cannot be read begins anew.
    pub fn from_bytes(bytes: &[u8]) -> Variants {
        match bytes.split_first() {
            Some((&VERSION, rest)) => postcard::from_bytes(rest).unwrap_or_default(),
            _ => Variants::default(),
        }
    }
}

/// Adds an entry; in a full table it takes the place of the smallest.
fn push<T>(table: &mut Vec<T>, entry: T, count: impl Fn(&T) -> u32) {
    let smallest = (0..table.len()).min_by_key(|&at| count(&table[at]));
    match smallest.filter(|_| table.len() >= SLOTS) {
        Some(at) => table[at] = entry,
        None => table.push(entry),
    }
}

/// Hash of the set of parameter names of a query.
fn names(query: &str) -> [u8; 2] {
    let hash = |parameter: &str| xxh3_64(parameter.split('=').next().unwrap_or_default().as_bytes());
    let mut names: Vec<u64> = query.split(['&', ';']).map(hash).collect();
    names.sort_unstable();
    names.dedup();
    let [a, b, ..] = names.iter().fold(0, |sum, name| xxh3_64(&(sum ^ name).to_le_bytes())).to_le_bytes();
    [a, b]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2026-05-12.
    const NOW: i64 = 1_778_544_000_000;

    fn run(urls: impl IntoIterator<Item = String>) -> (Vec<&'static str>, Variants) {
        let mut variants = Variants::default();
        let verdicts = urls
            .into_iter()
            .map(|text| {
                let url = CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL");
                variants.observe_at(&url, NOW).err().unwrap_or("in")
            })
            .collect();
        (verdicts, variants)
    }

    fn taken(verdicts: &[&str]) -> usize {
        verdicts.iter().filter(|v| **v == "in").count()
    }

    #[test]
    fn queries_of_a_path_are_counted_exactly() {
        let urls = (0..100_010).flat_map(|i| (0..2).map(move |path| format!("/p{path}?id={i}")));
        let (verdicts, _) = run(urls);
        assert_eq!(taken(&verdicts), 200_000);
        assert!(verdicts.iter().skip(200_000).all(|v| *v == "query-variants"));
        // Without a query there is no limit.
        assert_eq!(taken(&run((0..100).map(|i| format!("/{i}?"))).0), 100);
    }

    #[test]
    fn a_busy_path_is_found_among_many_and_none_is_cut_for_others() {
        let urls = (0..100_500).flat_map(|i| [format!("/only{i}?print=1"), format!("/busy?id={i}")]);
        let (verdicts, variants) = run(urls);
        assert_eq!(taken(&verdicts), 100_500 + 100_000);
        assert!(variants.to_bytes().len() <= 2048, "{}", variants.to_bytes().len());
    }

    #[test]
    fn combining_filters() {
        let facets = |n: u32| {
            (1..1u32 << n).map(move |set| {
                let names = (0..n).filter(|i| set >> i & 1 == 1).map(|i| format!("filter-{i}=x&"));
                format!("/list?{}page=1", names.collect::<String>())
            })
        };
        let (verdicts, variants) = run(facets(12));
        let admitted = taken(&verdicts);
        assert!((256..300).contains(&admitted), "{admitted}");
        assert!(verdicts.contains(&"parameter-sets"));
        assert!(variants.to_bytes().len() < 600);
        // What is known goes on: only new sets are refused.
        assert_eq!(taken(&run((0..50_000).map(|i| format!("/topic?t={i}"))).0), 50_000);
        assert_eq!(taken(&run(facets(6)).0), 63);
    }

    #[test]
    fn sets_of_many_paths_stay_bounded_and_cut_none() {
        let urls = (0..200).flat_map(|set| (0..40).map(move |path| format!("/p{path}?n{set}=1")));
        let (verdicts, variants) = run(urls);
        assert_eq!(taken(&verdicts), 200 * 40);
        assert!(variants.to_bytes().len() <= 3072, "{}", variants.to_bytes().len());
    }

    #[test]
    fn calendars_end() {
        let months = (2020..2400).flat_map(|y| (1..13).map(move |m| format!("/calendar/{y}/{m}.html")));
        let (verdicts, _) = run(months);
        // 88 months up to a year from now, then 200.
        assert_eq!(taken(&verdicts), 89 + 200 + (2200..2400).len() * 12);
        let back = (0..21_000)
            .map(|i| format!("/day?date={:04}-{:02}-{:02}", 2020 - i / 372, i / 31 % 12 + 1, i % 31 + 1));
        let (verdicts, _) = run(back);
        assert_eq!(taken(&verdicts), 20_000);
        assert_eq!(verdicts[20_000], "calendar-pages");
        // Stories that carry a date are no calendar.
        assert_eq!(taken(&run((0..500).map(|i| format!("/2020/05/12/story-{i}.html"))).0), 500);
    }

    #[test]
    fn damaged_bytes_begin_anew() {
        let (_, variants) = run(["/?a=1".into(), "/x/2031-05-12".into()]);
        let bytes = variants.to_bytes();
        assert_eq!(Variants::from_bytes(&bytes), variants);
        assert_eq!(Variants::from_bytes(&[]), Variants::default());
        assert_eq!(Variants::from_bytes(&[9, 9]), Variants::default());
        assert_eq!(Variants::from_bytes(&bytes[..bytes.len() - 1]), Variants::default());
        assert!(Variants::default().to_bytes().is_empty());
    }

    proptest! {
        #[test]
        fn what_is_stored_is_what_was(urls in prop::collection::vec("/[a-d]{1,2}(\\?[a-c]{1,2}=[0-9]{1,2})?(/20[0-9]{2}-05-12)?", 0..80)) {
            let mut kept = Variants::default();
            let mut stored = Vec::new();
            for text in urls {
                let url = CanonicalUrl::parse(&format!("http://a.example{text}")).expect("a URL");
                let mut read = Variants::from_bytes(&stored);
                prop_assert_eq!(read.observe_at(&url, NOW), kept.observe_at(&url, NOW));
                stored = read.to_bytes();
            }
            prop_assert_eq!(Variants::from_bytes(&stored), kept);
        }
    }
}
