//! Results of `extract` whose texts are given, not extracted: what later jobs make of a text is seen without the pages
//! around it.

use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;
use webmill::Result;
use webmill::capture::CanonicalUrl;
use webmill::jobs::extract::Extract;
use webmill::jobs::output::TableFile;
use webmill::jobs::rejects::RejectTable;
use webmill::mill::{PageRow, Reading, TextRow};
use webmill::run::{
    Cancel, Committed, Ingredient, Inputs, Job, JobInput, Progress, Runtime, Silent, Stage, Unit,
};
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
    /// Whether its URL was fetched again later.
    pub superseded: bool,
}

impl PlantedPage {
    /// Page `number` of a host, fetched at that time.
    pub fn new(number: usize, text: impl Into<String>) -> Self {
        let url = format!("http://h{}.example/{number}", number % 3);
        PlantedPage { url, text: text.into(), time_ms: 1_000_000 + number as i64, superseded: false }
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
            is_current: !self.superseded,
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
            is_current: page.is_current,
            num_words: reading.num_words,
            bands: reading.bands.to_vec(),
            warc_filename: page.warc_filename.clone(),
            warc_record_offset: offset,
            ..TextRow::default()
        });
        (page, text)
    }
}

/// A job called extract that writes pages as it would, without shards.
#[derive(Serialize)]
struct PlantedJob<'a> {
    pages: usize,
    /// Pages of a file of each table.
    part: usize,
    #[serde(skip)]
    page: &'a (dyn Fn(usize) -> PlantedPage + Sync),
}

/// No input.
struct NoInput;

impl JobInput for NoInput {
    fn inputs(&self) -> Inputs {
        Inputs::default()
    }
}

impl Job for PlantedJob<'_> {
    type Input = NoInput;
    const NAME: &'static str = Extract::NAME;
    const VERSION: u32 = Extract::VERSION;

    fn ingredients(&self) -> Vec<Ingredient> {
        Extract::default().ingredients()
    }

    fn run(&self, _: &NoInput, stage: &Stage<'_>) -> Result<()> {
        // A corpus without pages has tables too.
        let parts: Vec<usize> = (0..self.pages.div_ceil(self.part).max(1)).collect();
        let write = |part: &usize| stage.unit(&format!("part-{part:06}"), |unit| self.write(*part, unit));
        parts.par_iter().with_max_len(1).try_for_each(write)
    }
}

impl PlantedJob<'_> {
    fn write(&self, part: usize, unit: &mut Unit<'_>) -> Result<()> {
        let name = |table| format!("{table}/part-{part:06}.parquet");
        let mut pages = TableFile::<PageRow>::create(unit, name(PageRow::NAME))?;
        let mut texts = TableFile::<TextRow>::create(unit, name(TextRow::NAME))?;
        for number in part * self.part..self.pages.min((part + 1) * self.part) {
            let page = (self.page)(number);
            let place = xxh3_64(format!("{page:?}").as_bytes()) >> 1;
            let (page, text) = page.rows(place as i64);
            pages.push(page)?;
            text.map_or(Ok(()), |text| texts.push(text))?;
        }
        pages.finish(unit)?;
        texts.finish(unit)?;
        Ok(())
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
    plant_many(out, pages.len(), pages.len().div_ceil(parts), &|number| pages[number].clone())
}

/// As [`plant`], of pages that are made as they are written, `part` of them a file.
pub fn plant_many(
    out: &Path,
    pages: usize,
    part: usize,
    page: &(dyn Fn(usize) -> PlantedPage + Sync),
) -> Committed {
    let planted = PlantedJob { pages, part: part.max(1), page };
    run_job(&planted, &NoInput, out, 2, 256 << 20, &Silent).unwrap()
}
