//! Results of `extract` whose texts are given, not extracted: what later jobs make of a text is seen without the pages
//! around it.

use std::path::Path;

use serde::Serialize;
use webmill::Result;
use webmill::capture::CanonicalUrl;
use webmill::jobs::output::write_rows;
use webmill::jobs::rejects::RejectTable;
use webmill::mill::{PageRow, Reading, TextRow};
use webmill::run::{Cancel, Committed, Inputs, Job, JobInput, Progress, Runtime, Silent, Stage};
use webmill::table::{Bytes16, Millis, Table};
use webmill::text::MainText;
use xxhash_rust::xxh3::xxh3_64;

/// A page and its text.
#[derive(Clone, Debug, Serialize)]
pub struct PlantedPage {
    pub url: String,
    pub text: String,
    /// When it was fetched.
    pub time_ms: i64,
}

impl PlantedPage {
    /// Page `number` of a host, fetched at that time.
    pub fn new(number: usize, text: impl Into<String>) -> Self {
        let url = format!("http://h{}.example/{number}", number % 3);
        PlantedPage { url, text: text.into(), time_ms: 1_000_000 + number as i64 }
    }

    /// What `extract` would write of it, with its record at `offset`.
    pub fn rows(&self, offset: i64) -> (PageRow, Option<TextRow>) {
        let url = CanonicalUrl::parse(&self.url).unwrap();
        let mut main = MainText::default();
        main.text.clone_from(&self.text);
        let reading = Reading::of(&main, None);
        let page = PageRow {
            fetch_time: Millis(Some(self.time_ms)),
            fetch_status: Some(200),
            is_html: true,
            is_current: true,
            // The body of a page is told by its URL: only texts are copies of each other.
            content_digest: Some(format!("{:016X}", xxh3_64(self.url.as_bytes()))),
            content_length: 1,
            num_words: reading.as_ref().map_or(0, |reading| reading.num_words),
            text_digest: reading.as_ref().and_then(|reading| reading.digest).map(Bytes16),
            simhash: reading.as_ref().and_then(|reading| reading.simhash).unwrap_or_default(),
            warc_filename: "planted.rawdb".into(),
            warc_record_offset: offset,
            ..PageRow::of_url(&url)
        };
        let text = reading.map(|reading| TextRow {
            url_sortkey: page.url_sortkey.clone(),
            url: page.url.clone(),
            url_key: page.url_key,
            text: self.text.clone(),
            num_words: reading.num_words,
            bands: reading.bands.to_vec(),
            warc_filename: page.warc_filename.clone(),
            warc_record_offset: offset,
            ..TextRow::default()
        });
        (page, text)
    }
}

/// A job called extract that writes given pages.
#[derive(Serialize)]
pub struct Planted {
    pages: Vec<PlantedPage>,
    /// Files of each table.
    parts: usize,
}

/// No input.
pub struct Nothing;

impl JobInput for Nothing {
    fn inputs(&self) -> Inputs {
        Inputs::default()
    }
}

impl Job for Planted {
    type Input = Nothing;
    const NAME: &'static str = "extract";
    const VERSION: u32 = 1;

    fn run(&self, _: &Nothing, stage: &Stage<'_>) -> Result<()> {
        stage.unit("planted", |unit| {
            let size = self.pages.len().div_ceil(self.parts).max(1);
            let mut parts: Vec<&[PlantedPage]> = self.pages.chunks(size).collect();
            // A corpus without pages has tables too.
            parts.resize(parts.len().max(1), &[]);
            for (part, pages) in parts.into_iter().enumerate() {
                let name = |table| format!("{table}/part-{part:06}.parquet");
                let place = |page: &PlantedPage| xxh3_64(format!("{page:?}").as_bytes()) >> 1;
                let (pages, texts): (Vec<_>, Vec<_>) =
                    pages.iter().map(|page| page.rows(place(page) as i64)).unzip();
                write_rows(unit, name(PageRow::NAME), pages)?;
                let texts = texts.into_iter().flatten();
                write_rows(unit, name(TextRow::NAME), texts)?;
            }
            Ok(())
        })
    }
}

/// Runs a job in the folder `out`.
pub fn run_job<J: Job>(
    job: &J,
    input: &J::Input,
    out: &Path,
    threads: usize,
    memory: u64,
    progress: &dyn Progress,
) -> Result<Committed> {
    let cancel = Cancel::default();
    let runtime = Runtime {
        out: out.to_path_buf(),
        threads,
        memory,
        max_bad: 0.0,
        progress,
        cancel: &cancel,
        rejects: &RejectTable,
    };
    runtime.run(job, input)
}

/// Commits pages to `out` as results of `extract`, in `parts` files of each table, in the order given.
pub fn plant(out: &Path, pages: &[PlantedPage], parts: usize) -> Committed {
    let planted = Planted { pages: pages.to_vec(), parts };
    run_job(&planted, &Nothing, out, 1, 256 << 20, &Silent).unwrap()
}
