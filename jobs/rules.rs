//! `webmill rules`: tables out of any site by rules.
//!
//! **What.** A rule ([`webmill_rules`]) is applied to the pages of the corpus that its layers are entered by, and to those that its
//! link tags lead to, however deep; its groups become tables.
//!
//! **Algorithm.** Shards are read in one pass (`scan`), in which the layers that pages are entered by for their address are done at
//! once. The other pages are visited in waves: the targets of one wave's link tags are the next wave; each (page, rule, layer) is done once, so that layers that open each
//! other end. A page is read, decoded and parsed once for all that a wave wants of it. What tags found is kept on disk by
//! (page, rule, layer); at last groups are walked from the pages on which their rows begin, in the order of their SURT.
//!
//! **Cost.** One reading of the shards, and of each page behind a link; look-ups of links in an embedded store. Within `--memory`, but for the
//! rows that begin on one page, which are held until they are written.
//!
//! **Determinism.** A function of the current captures and the rules: neither shards nor threads matter.

mod scan;
mod store;
pub mod tables;
mod tally;
mod tops;
mod visit;
mod waves;
mod write;

use serde::Serialize;
use webmill_capture::settings;
use webmill_capture::{Error, Result};
use webmill_rules::{Rule, builtin};
use webmill_run::{Committed, Job, Reject, Stage, Unit};
use webmill_table::schema;

use crate::inputs::Shards;
use crate::job::Context;
use crate::recipe::{Settings, check_settings};
use crate::registry::JobEntry;
use tables::{RuleProblemRow, RuleReportRow};
use tally::{LINKS, MISSING_PAGE, Tally};

/// The job as the registry lists it.
pub const ENTRY: JobEntry = JobEntry {
    name: RulesJob::NAME,
    about: "Make tables of what rules find in pages",
    reads_shards: false,
    optional: false,
    tables: || vec![tables::any_group(), schema::<RuleReportRow>(), schema::<RuleProblemRow>()],
    check: check_settings::<RuleSettings>,
    run: rules,
};

settings! {
    /// The recipe's `[rules]`.
    #[derive(PartialEq)]
    pub struct RuleSettings {
        /// Rule files, and folders of them; `builtin:NAME` or `builtin:all` for built-in rules. `webmill run`
        /// leaves the job out if there are none.
        pub files: Vec<String> = Vec::new();
        /// Share of links to pages that are in no shard, beyond which the exit code is 1; 0 to 1.
        pub max_missing: f64 = 0.1;
    }
}

impl Settings for RuleSettings {
    const TABLE: &'static str = "rules";

    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.max_missing) {
            return Err(Error::Config(format!("max_missing {}: 0 to 1 are possible", self.max_missing)));
        }
        Ok(())
    }
}

/// The rules that come with the program: not each of them is expected to find something.
pub const ALL_BUILTIN: &str = "builtin:all";

/// The job: rules by their text, so that a rule that was changed is another job.
#[derive(Debug, Clone, Serialize)]
pub struct RulesJob {
    /// Names of files, without their folders, and what they hold.
    rules: Vec<(String, String)>,
    /// Whether rules that come with the program may match nothing: all of them were asked for, whatever pages there are.
    all_builtin: bool,
}

/// Applies the recipe's rules to the context's shards, else to those that the results in the output folder are of.
///
/// # Errors
/// What the job meets.
pub fn rules(context: &Context<'_>) -> Result<Option<Committed>> {
    let settings: RuleSettings = context.settings()?;
    let job = RulesJob {
        rules: webmill_rules::library::read(&settings.files)?,
        all_builtin: settings.files.iter().any(|file| file == ALL_BUILTIN),
    };
    if context.would_fetch() {
        return Ok(None);
    }
    let shards = match context.inputs.as_slice() {
        [] => Shards::of_results(&context.results_of("extract")?, &context.runtime)?,
        named => Shards::discover(named, &context.runtime)?,
    };
    context.run(&job, &shards)
}

/// The message if more of the links that were followed lead to no page than the settings bear.
///
/// # Errors
/// For settings that cannot work.
pub fn too_many_missing(context: &Context<'_>) -> Result<Option<String>> {
    let settings: RuleSettings = context.settings()?;
    let results = context.results();
    let Some(counts) = results.get(RulesJob::NAME).map(|committed| &committed.manifest.counts) else {
        return Ok(None);
    };
    let of = |counts: &std::collections::BTreeMap<String, u64>, name| counts.get(name).copied().unwrap_or(0);
    let (missing, links) = (of(&counts.dropped, MISSING_PAGE), of(&counts.kept, LINKS));
    let is_much = missing as f64 > settings.max_missing * (missing + links) as f64;
    Ok(is_much.then(|| {
        format!(
            "{missing} of {} links that rules follow lead to pages that are in no shard: rows are not whole ([rules] max_missing = {})",
            missing + links,
            settings.max_missing
        )
    }))
}

impl Job for RulesJob {
    type Input = Shards;
    const NAME: &'static str = "rules";
    const VERSION: u32 = 4;

    fn run(&self, shards: &Shards, stage: &Stage<'_>) -> Result<()> {
        let rules = self.parse().0;
        let records = visit::Shards::new(&shards.inputs);
        scan::Scan::new(&visit::Visitor::new(&records, &rules), shards).read(stage)?;
        stage.unit("rules", |unit| self.apply(shards, unit))
    }
}

impl RulesJob {
    /// Whether a rule is expected to find something: what it does not find is told, and its tables are there without rows too.
    fn expects(&self, rule: &Rule) -> bool {
        !(self.all_builtin && builtin::is_builtin(&rule.source))
    }

    fn apply(&self, shards: &Shards, unit: &mut Unit<'_>) -> Result<()> {
        let mut tally = Tally::default();
        let (rules, mistakes) = self.parse();
        mistakes.into_iter().for_each(|(name, mistake)| tell(name, mistake, unit, &mut tally));
        webmill_rules::library::check_numbers(&rules)?;
        let (folder, memory) = (unit.temp(), unit.stage().memory);
        let mut store = store::Store::new(folder, memory / 4);
        let mut tops = tops::Gathered::new(folder, memory / 8);
        let records = visit::Shards::new(&shards.inputs);
        let visitor = visit::Visitor::new(&records, &rules);
        scan::Scan::new(&visitor, shards).gather(&mut store, &mut tops, unit, &mut tally)?;
        waves::run(&visitor, (&store, &mut tops), unit, &mut tally)?;
        let tops = tops.sort(unit.temp())?;
        write::groups(self, &rules, (&store, &tops, &records), unit, &mut tally)?;
        tally.write(&rules, &|rule| self.expects(rule), unit)
    }

    /// The rules that can be applied, and the mistakes of the others by the names of their files.
    fn parse(&self) -> (Vec<Rule>, Vec<(&str, String)>) {
        webmill_rules::library::parse(&self.rules)
    }
}

/// Says a mistake of a file that is no rule, and counts it.
fn tell(name: &str, mistake: String, unit: &mut Unit<'_>, tally: &mut Tally) {
    unit.stage().progress.note(&format!("{name}: {mistake}"));
    tally.rule_problem(name, &mistake);
    unit.rejected(Reject {
        reason: "unreadable-rule".into(),
        shard: name.to_owned(),
        offset: 0,
        bytes_lost: 0,
        detail: mistake,
    });
}
