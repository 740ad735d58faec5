//! `webmill count grep`: lines of main texts that match a pattern.
//!
//! **Definition.** A line of table `texts.text` is a paragraph. One that the pattern matches is a row; of a long one the passage around the first match is
//! shown. Patterns are those of crate `regex`: linear in the text, without look-around and references.

use std::borrow::Cow;
use webmill_capture::cut::Cut;

use crate::mapreduce::MapReduce;
use regex::{Regex, RegexBuilder};
use webmill_capture::{Error, Result, settings};
use webmill_mill::TextRow;
use webmill_run::{Committed, Job, Stage};
use webmill_table::{columns, schema, table};

use super::engine::{Engine, Plan};
use crate::extract::Extract;
use crate::job::Context;
use crate::recipe::Settings;
use crate::registry::JobEntry;

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry::of_request::<CountGrep>(
    "Find the lines of the main texts that match a pattern",
    || vec![schema::<GrepRow>()],
    count_grep,
);

table! {
    /// One row per line of a main text that matches the pattern.
    GrepRow = "count_grep" sorted by [url_sortkey, url, line] {
        url_sortkey: String = "SURT form of the URL", "cn,edu,pku)/news/1.html";
        url: String = "canonical URL of the page", "http://pku.edu.cn/news/1.html";
        line: u32 = "number of the line in texts.text, from 1", "3";
        offset: u64 = "bytes of texts.text before the first match", "412";
        num_matches: u32 = "matches in the line", "1";
        matched: String = "the first match, at most 1,024 bytes", "library";
        passage: String = "the line, or where it is long what stands around the first match", "The library opened on Monday.";
    }
}

settings! {
    /// Settings of the job.
    pub struct CountGrep {
        /// The pattern, a regular expression.
        pub pattern: String = String::new();
        /// Whether the pattern is plain text, not a regular expression.
        pub fixed: bool = false;
        /// Whether capital and small letters are the same.
        pub ignore_case: bool = false;
        /// Bytes that are shown before and after the match.
        pub context: usize = 200, within 0..=1 << 20;
    }
}

impl Settings for CountGrep {
    const TABLE: &'static str = "count-grep";

    fn check(&self) -> Result<()> {
        self.regex().map(drop)
    }
}

impl CountGrep {
    fn regex(&self) -> Result<Regex> {
        let pattern = if self.fixed { regex::escape(&self.pattern) } else { self.pattern.clone() };
        let built = RegexBuilder::new(&pattern).case_insensitive(self.ignore_case).build();
        built.map_err(|e| Error::Config(format!("pattern: {e}")))
    }

    /// The kernel of these settings.
    ///
    /// # Errors
    /// [`Error::Config`] for a pattern that is none.
    pub fn kernel(&self) -> Result<Grep> {
        Ok(Grep { pattern: self.regex()?, context: self.context })
    }
}

/// Bytes of a match that is shown.
const LONGEST: usize = 1024;

/// The kernel.
pub struct Grep {
    pattern: Regex,
    context: usize,
}

/// A text with its address.
pub struct Addressed<'p> {
    /// SURT form of the URL.
    pub surt: &'p str,
    /// URL of the page.
    pub url: &'p str,
    /// Main text of the page.
    pub text: &'p str,
}

impl MapReduce for Grep {
    type Page<'p> = Addressed<'p>;
    type Key<'k> = (Cow<'k, str>, &'k str);
    /// Line and offset; matches and the first of them; passage.
    type Value = ((u32, u64), ((u32, String), String));
    type Out = GrepRow;

    fn map(&self, page: &Addressed<'_>, emit: &mut dyn FnMut(Self::Key<'_>, Self::Value)) {
        let mut begin = 0u64;
        for (number, line) in (1..).zip(page.text.split('\n')) {
            let mut matches = self.pattern.find_iter(line);
            if let Some(first) = matches.next() {
                let count = u32::try_from(1 + matches.count()).unwrap_or(u32::MAX);
                let end = first.end().min(first.start() + LONGEST);
                let matched = line.cut(first.start()..line.floor_char_boundary(end));
                let from = line.ceil_char_boundary(first.start().saturating_sub(self.context));
                let to = line.floor_char_boundary((end + self.context).min(line.len()));
                let passage = line.get(from..to).unwrap_or(matched);
                let place = (number, begin + first.start() as u64);
                let found = (count, matched.to_owned());
                emit((Cow::Borrowed(page.surt), page.url), (place, (found, passage.to_owned())));
            }
            begin += line.len() as u64 + 1;
        }
    }

    fn reduce(
        &self,
        (surt, url): Self::Key<'_>,
        values: &mut dyn Iterator<Item = Self::Value>,
        emit: &mut dyn FnMut(GrepRow),
    ) {
        for ((line, offset), ((num_matches, matched), passage)) in values {
            let (url_sortkey, url) = (surt.clone().into_owned(), url.to_owned());
            emit(GrepRow { url_sortkey, url, line, offset, num_matches, matched, passage });
        }
    }
}

columns! {
    struct Text from TextRow { url_sortkey, url, is_current, text }
}

/// Finds the matching lines of the context's texts.
///
/// # Errors
/// What the job meets; [`Error::Config`] where there is no pattern.
pub fn count_grep(context: &Context<'_>) -> Result<Option<Committed>> {
    let job = context.settings::<CountGrep>()?;
    if job.pattern.is_empty() {
        return Err(Error::Config("[count-grep] has no pattern: webmill count grep PATTERN".into()));
    }
    context.run(&job, &context.results_of(Extract::NAME)?)
}

impl Job for CountGrep {
    type Input = Committed;
    const NAME: &'static str = "count-grep";
    const VERSION: u32 = 2;

    fn run(&self, extract: &Committed, stage: &Stage<'_>) -> Result<()> {
        let kernel = self.kernel()?;
        let plan = Plan::of_table(&extract.path("texts"))?;
        let engine = Engine { stage, kernel: &kernel, name: "", parts: 1 };
        let files = engine.map_texts::<Text>(
            &plan,
            |row| row.is_current,
            |row, side| side.map(&Addressed { surt: row.url_sortkey, url: row.url, text: row.text }),
        )?;
        engine.reduce_table(&files, |row, write| write(row))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::kernels::run;
    use proptest::prelude::*;

    fn grep(job: &CountGrep, text: &str) -> Vec<GrepRow> {
        let page =
            |text: &&str, each: &mut dyn FnMut(Addressed<'_>)| each(Addressed { surt: "s", url: "u", text });
        run(&job.kernel().unwrap(), &[text], page, 1).concat()
    }

    #[test]
    fn lines_are_found_with_their_places() {
        let job = CountGrep { pattern: "t.a".into(), context: 3, ..CountGrep::default() };
        let rows = grep(&job, "no\n好green tea, tea 好茶\nTEA t.a");
        assert_eq!((rows[0].line, rows[0].offset, rows[0].num_matches), (2, 3 + 9, 2));
        assert_eq!((rows[0].matched.as_str(), rows[0].passage.as_str()), ("tea", "en tea, t"));
        assert_eq!((rows.len(), rows[1].line), (2, 3));
        assert_eq!(grep(&CountGrep { fixed: true, ..job.clone() }, "tea\nTEA t.a").len(), 1);
        assert_eq!(grep(&CountGrep { ignore_case: true, ..job }, "tea\nTEA").len(), 2);
        let wrong = CountGrep { pattern: "(a)\\1".into(), ..CountGrep::default() };
        assert!(wrong.check().unwrap_err().to_string().starts_with("pattern:"));
    }

    proptest! {
        #[test]
        fn offsets_lead_to_matches(text in "[a-c好\n ]{0,60}", pattern in prop::sample::select(vec!["a", "b+", "a.?", "", "好", "[ab]c", "x*"]), context in 0usize..9) {
            let job = CountGrep { pattern: pattern.into(), context, ..CountGrep::default() };
            for row in grep(&job, &text) {
                prop_assert!(text.cut(row.offset as usize..).starts_with(&row.matched));
                prop_assert!(text.split('\n').nth(row.line as usize - 1).unwrap().contains(&row.passage));
                prop_assert!(row.passage.contains(&row.matched));
            }
        }
    }
}
