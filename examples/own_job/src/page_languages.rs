//! `page-languages`: how many pages are in each language, as table `page_languages`.
//!
//! It reads table `texts` of job `extract`: [`TextRow`] has its columns, `columns!` names those that are read. A table of
//! another job is `context.results_of("rank")?` and the row type that `jobs` has for it. `is_current` is true of one row of
//! each URL; in `pages` that may be a redirect or an error (`page_type` is null where nothing was read).

use std::collections::BTreeMap;

use webmill::Result;
use webmill::capture::settings;
use webmill::jobs::job::Context;
use webmill::jobs::output::{first_part, write_rows};
use webmill::jobs::recipe::{Settings, check_settings};
use webmill::jobs::registry::JobEntry;
use webmill::mill::TextRow;
use webmill::run::{Committed, Job, Stage};
use webmill::table::{Reader, columns, schema, table};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: PageLanguages::NAME,
    about: "Count pages by language",
    reads_shards: false,
    optional: false,
    tables: || vec![schema::<PageLanguageRow>()],
    check: check_settings::<PageLanguages>,
    run: |context: &Context<'_>| {
        context.run(&context.settings::<PageLanguages>()?, &context.results_of("extract")?)
    },
};

table! {
    /// One row per language, with the number of its pages.
    PageLanguageRow = "page_languages" sorted by [language] {
        language: String = "language, as table texts has it; empty where it is unknown", "zho";
        pages: u32 = "current captures of pages with a main text in it", "1042";
    }
}

columns! {
    struct Text from TextRow { is_current, language }
}

settings! {
    /// Configuration of the job: the recipe's `[page-languages]`.
    pub struct PageLanguages {
        /// Languages of fewer pages are left out; how many are is in the counts of the manifest.
        pub min_pages: u32 = 1, within 1..=u32::MAX;
    }
}

impl Settings for PageLanguages {
    const TABLE: &'static str = "page-languages";
}

impl Job for PageLanguages {
    type Input = Committed;
    const NAME: &'static str = "page-languages";
    const VERSION: u32 = 1;

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        stage.unit("languages", |unit| {
            let mut pages: BTreeMap<String, u32> = BTreeMap::new();
            let mut reader = Reader::<Text>::open(&extract.path("texts"))?;
            while let Some(batch) = reader.next()? {
                for text in batch.rows().filter(|text| text.is_current) {
                    *pages.entry(text.language.unwrap_or_default().to_owned()).or_default() += 1;
                }
            }
            let all = pages.len();
            pages.retain(|_, count| *count >= self.min_pages);
            unit.dropped("languages-of-few-pages", (all - pages.len()) as u64);
            let rows = pages.into_iter().map(|(language, pages)| PageLanguageRow { language, pages });
            write_rows(unit, first_part::<PageLanguageRow>(), rows).map(drop)
        })
    }
}
