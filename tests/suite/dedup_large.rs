//! Duplicates among more pages than memory holds, and among pages made to cost the square of their number.

use std::process::Stdio;
use std::time::Duration;

use rayon::prelude::*;
use webmill::capture::{CanonicalUrl, Result};
use webmill::dedup::{BandShape, TextDigest, simhash, text_bands};
use webmill::jobs::dedup::tables::ClusterRow;
use webmill::jobs::extract::Extract;
use webmill::mill::{PageRow, TextRow};
use webmill::run::{Cancel, Ingredient, Inputs, Job, JobInput, Runtime, Silent, Stage, Unit};
use webmill::table::{Bytes16, Footer, Millis, PartWriter, Table, schema};

use crate::dedup::{changed, rows, text};
use crate::support::Work;

/// Pages as extraction would have left them, from their URLs and texts, without shards.
#[derive(serde::Serialize)]
struct Written {
    pages: u64,
    #[serde(skip)]
    page: fn(u64) -> (String, String),
}

struct Nothing;

impl JobInput for Nothing {
    fn inputs(&self) -> Inputs {
        Inputs::default()
    }
}

/// Pages of a part.
const PART: u64 = 50_000;

impl Job for Written {
    type Input = Nothing;
    const NAME: &'static str = Extract::NAME;
    const VERSION: u32 = Extract::VERSION;

    fn ingredients(&self) -> Vec<Ingredient> {
        Extract::default().ingredients()
    }

    fn run(&self, _: &Nothing, stage: &Stage<'_>) -> Result<()> {
        let parts: Vec<u64> = (0..self.pages.div_ceil(PART)).collect();
        parts
            .par_iter()
            .with_max_len(1)
            .try_for_each(|&part| stage.unit(&format!("part-{part:06}"), |unit| self.part(part, unit)))
    }
}

impl Written {
    fn part(&self, part: u64, unit: &mut Unit<'_>) -> Result<()> {
        let footer = Footer { job_key: unit.stage().key().to_string() };
        let file = |name: &str| format!("{name}/part-{part:06}.parquet");
        let mut pages = PartWriter::<PageRow>::create(&unit.create(&file("pages"))?, &footer)?;
        let mut texts = PartWriter::<TextRow>::create(&unit.create(&file("texts"))?, &footer)?;
        for number in part * PART..self.pages.min((part + 1) * PART) {
            let (url, text) = (self.page)(number);
            let url = CanonicalUrl::parse_stored(&url).expect("a URL");
            let num_words = text.split(' ').count() as u32;
            pages.push(PageRow {
                warc_filename: "a.warc".into(),
                warc_record_offset: number as i64,
                fetch_time: Millis(Some((number.wrapping_mul(0x9E37_79B9) % 1_000_000) as i64)),
                fetch_status: Some(200),
                is_html: true,
                is_current: true,
                num_words,
                text_digest: TextDigest::of(&text).map(|digest| Bytes16(digest.0)),
                simhash: simhash(&text).map_or(0, |fingerprint| fingerprint.0),
                ..PageRow::of_url(&url)
            })?;
            texts.push(TextRow {
                url_key: Bytes16(url.key().0),
                num_words,
                warc_filename: "a.warc".into(),
                warc_record_offset: number as i64,
                bands: text_bands(&text, &BandShape::default()).unwrap_or_default().to_vec(),
                text,
                ..TextRow::default()
            })?;
        }
        let (pages, texts) = (pages.finish()?, texts.finish()?);
        unit.wrote(&file(PageRow::NAME), PageRow::NAME, schema::<PageRow>().columns_in_words(), pages);
        unit.wrote(&file(TextRow::NAME), TextRow::NAME, schema::<TextRow>().columns_in_words(), texts);
        Ok(())
    }
}

pub fn write(work: &Work, pages: u64, page: fn(u64) -> (String, String)) {
    let runtime = Runtime {
        out: work.path("out"),
        threads: 2,
        memory: 1 << 30,
        max_bad: 0.0,
        progress: &Silent,
        cancel: &Cancel::default(),
        rejects: &webmill::jobs::rejects::RejectTable,
    };
    runtime.run(&Written { pages, page }, &Nothing).unwrap();
}

/// Finds duplicates within this memory; what it said, and the most that it had in memory, in bytes.
fn dedup(work: &Work, memory: &str) -> (String, u64) {
    let mut command = work.webmill(&["dedup", "out", "--memory", memory, "--threads", "2"]);
    let child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let watch = std::thread::spawn(move || {
        let mut peak = 0;
        // Until the process is gone: what it had at most only grows.
        while let Ok(status) = std::fs::read_to_string(&status) {
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(kib) = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok())
            else {
                break;
            };
            peak = kib << 10;
            std::thread::sleep(Duration::from_millis(20));
        }
        peak
    });
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (said, watch.join().unwrap())
}

/// Builds without optimisation are for looking for mistakes, not for waiting.
const SMALL: bool = cfg!(debug_assertions);

#[test]
fn more_pages_than_memory_holds_stay_within_the_memory_that_is_allowed() {
    let work = Work::new();
    // A third of the pages are near-duplicates of another, in families of some ten; a tenth are copies.
    fn page(number: u64) -> (String, String) {
        let (family, host) = (number % 600_007, number % 40_009);
        let text = match number % 30 {
            0..10 => changed(&text(family / 10, 60), &[number as usize % 60]),
            10..13 => text(family / 10, 60),
            _ => text(number + (1 << 40), 60),
        };
        (format!("http://h{host}.org/{number}"), text)
    }
    let (pages, memory, most) =
        if SMALL { (40_000, "128MiB", 160 << 20) } else { (800_000, "448MiB", 448 << 20) };
    write(&work, pages, page);
    let (said, peak) = dedup(&work, memory);
    assert!(peak > 1 << 20 && peak <= most, "{} MiB; {said}", peak >> 20);
    let clusters: Vec<ClusterRow> = rows(&work, "out");
    assert!(clusters.len() as u64 > pages / 100, "{}", clusters.len());
}

/// Pages of each attack.
const MANY: u64 = if SMALL { 3000 } else { 100_000 };

#[test]
fn equal_pages_are_one_cluster() {
    let work = Work::new();
    write(&work, MANY, |number| (format!("http://h{}.org/{number}", number % 100), text(1, 100)));
    dedup(&work, "1GiB");
    let clusters: Vec<ClusterRow> = rows(&work, "out");
    assert_eq!(clusters.len() as u64, MANY);
    assert!(clusters.iter().all(|row| u64::from(row.size) == MANY));
}

#[test]
fn pages_of_one_template_cost_their_number() {
    for (own, resemble) in [(9, true), (22, false)] {
        let work = Work::new();
        // 100 words, of which so many are the page's own: J of about .82 and .63.
        let page: fn(u64) -> (String, String) = match own {
            9 => |number| {
                (format!("http://a.org/{number}"), format!("{} {}", text(1, 91), text(number + 9, 9)))
            },
            _ => |number| {
                (format!("http://a.org/{number}"), format!("{} {}", text(1, 78), text(number + 9, 22)))
            },
        };
        write(&work, MANY, page);
        let (said, peak) = dedup(&work, "1GiB");
        assert!(peak <= 1 << 30, "{} MiB", peak >> 20);
        let clusters: Vec<ClusterRow> = rows(&work, "out");
        assert_eq!(clusters.len() as u64 > MANY / 2, resemble, "{}", clusters.len());
        assert_eq!(said.contains("met only the first representatives"), !resemble, "{said}");
    }
}

#[test]
fn a_bucket_attack_is_bounded_and_counted() {
    let work = Work::new();
    // Pages of two shingles: one is everybody's, so that a sixth of all bands or more agree.
    let page =
        |number: u64| (format!("http://a.org/{number}"), format!("{} {}", text(1, 13), text(number + 9, 13)));
    write(&work, MANY, page);
    let (said, _) = dedup(&work, "1GiB");
    assert!(said.contains("met only the first representatives"), "{said}");
}
