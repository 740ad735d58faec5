//! What tags found and why rows are not there, over all pages.

use std::collections::BTreeMap;

use webmill_capture::Result;
use webmill_rules::{Rule, TagCounts, TagNumber};
use webmill_run::Unit;

use super::store::Task;
use super::tables::{RuleProblemRow, RuleReportRow};
use crate::output::{TableFile, first_part};

/// Counts of a tag over pages.
#[derive(Debug, Clone, Copy, Default)]
struct OfTag {
    pages: u64,
    without: u64,
    results: u64,
    no_address: u64,
    cut: u64,
}

/// A problem: how often, and its first case.
#[derive(Debug, Clone, Default)]
struct OfProblem {
    count: u64,
    detail: Option<String>,
    url: Option<String>,
}

/// Rule (or the name of a file that is none), group, what it is, and the number of the column that it is about.
type ProblemKey = (String, Option<String>, &'static str, Option<usize>);

/// Links that lead to pages, as the manifest counts them.
pub const LINKS: &str = "links";
/// Links that lead to no page.
pub const MISSING_PAGE: &str = "missing-page";

/// Counts of a run.
#[derive(Default)]
pub struct Tally {
    tags: BTreeMap<(u16, TagNumber), OfTag>,
    problems: BTreeMap<ProblemKey, OfProblem>,
    links: u64,
}

impl Tally {
    /// What a layer's tags did on a page.
    pub fn page(&mut self, task: Task, counts: &[TagCounts]) {
        for count in counts {
            let of = self.tags.entry((task.rule, count.tag)).or_default();
            of.pages += 1;
            of.without += u64::from(count.results == 0);
            of.results += count.results;
            of.no_address += count.no_address;
            of.cut += u64::from(count.cut);
        }
    }

    /// A link that leads to a page.
    pub fn link(&mut self) {
        self.links += 1;
    }

    /// A mistake of a file that is no rule.
    pub fn rule_problem(&mut self, name: &str, mistake: &str) {
        self.add((name.to_owned(), None, "unreadable-rule", None), None, || Some(mistake.to_owned()));
    }

    /// A problem of a whole rule.
    pub fn of_rule(&mut self, rule: &Rule, problem: &'static str, detail: &str, url: Option<&str>) {
        self.add((rule.id.clone(), None, problem, None), url, || Some(detail.to_owned()));
    }

    /// A problem of a group on a page.
    pub fn of_group(
        &mut self,
        at: (&Rule, &str),
        (problem, column): (&'static str, Option<usize>),
        url: &str,
        detail: impl FnOnce() -> Option<String>,
    ) {
        self.add((at.0.id.clone(), Some(at.1.to_owned()), problem, column), Some(url), detail);
    }

    /// Counts a case. The one that is told is that of the smallest address, in whatever order pages come; of one page the first.
    fn add(&mut self, key: ProblemKey, url: Option<&str>, detail: impl FnOnce() -> Option<String>) {
        let of = self.problems.entry(key).or_default();
        if of.count == 0 || url < of.url.as_deref() {
            (of.detail, of.url) = (detail(), url.map(str::to_owned));
        }
        of.count += 1;
    }

    /// Writes both tables, and says the defects of the rules that are expected to find something, also where they find nothing. Problems of the
    /// others are in the table and the manifest alone.
    pub fn write(
        mut self,
        rules: &[Rule],
        is_expected: &dyn Fn(&Rule) -> bool,
        unit: &mut Unit<'_>,
    ) -> Result<()> {
        for (number, rule) in rules.iter().enumerate() {
            let found = self
                .tags
                .iter()
                .filter(|((of, _), _)| usize::from(*of) == number)
                .map(|(_, tag)| tag.results)
                .sum::<u64>();
            if found == 0 && is_expected(rule) {
                self.of_rule(rule, "no-match", "it matches nothing on any page", None);
            }
        }
        self.write_report(rules, unit)?;
        unit.kept(LINKS, self.links);
        self.write_problems(rules, is_expected, unit)
    }

    fn write_report(&self, rules: &[Rule], unit: &mut Unit<'_>) -> Result<()> {
        let mut report = TableFile::<RuleReportRow>::create(unit, first_part::<RuleReportRow>())?;
        let mut rows: Vec<RuleReportRow> = Vec::new();
        for (number, rule) in rules.iter().enumerate() {
            for (tag, of) in rule.tags.iter().enumerate() {
                let counts = self.tags.get(&(number as u16, tag)).copied().unwrap_or_default();
                rows.push(RuleReportRow {
                    rule: rule.id.clone(),
                    layer: rule.layers[of.layer].id.clone(),
                    tag: of.id.clone(),
                    pages: counts.pages,
                    pages_without_match: counts.without,
                    results: counts.results,
                    no_address: counts.no_address,
                    cut_pages: counts.cut,
                });
            }
        }
        // Rules come in the order of their files; within one, tags in theirs.
        rows.sort_by(|a, b| a.rule.cmp(&b.rule));
        rows.into_iter().try_for_each(|row| report.push(row))?;
        report.finish(unit)?;
        Ok(())
    }

    /// Writes the problems, and says those of rules that are expected to find something.
    fn write_problems(
        self,
        rules: &[Rule],
        is_expected: &dyn Fn(&Rule) -> bool,
        unit: &mut Unit<'_>,
    ) -> Result<()> {
        let mut file = TableFile::<RuleProblemRow>::create(unit, first_part::<RuleProblemRow>())?;
        let progress = unit.stage().progress;
        for ((rule, group, problem, _), of) in self.problems {
            // Those are rejects, counted where they were met; rows without the page behind a link come of a link that was counted.
            let is_counted = matches!(problem, "unreadable-rule" | "unreadable-page")
                || (problem == MISSING_PAGE && group.is_some());
            if !is_counted {
                unit.dropped(problem, of.count);
            }
            let is_told = |of: &str| rules.iter().find(|rule| rule.id == of).is_none_or(is_expected);
            if problem != "unreadable-rule" && is_told(&rule) {
                let at = group.as_ref().map_or(String::new(), |group| format!(", group {group}"));
                let detail = of.detail.as_ref().map_or(String::new(), |detail| format!(" ({detail})"));
                let url = of.url.as_ref().map_or(String::new(), |url| format!(", first on {url}"));
                progress.note(&format!("rule {rule}{at}: {problem} {}×{detail}{url}", of.count));
            }
            let (detail, url) = (of.detail, of.url);
            file.push(RuleProblemRow {
                rule,
                group,
                problem: problem.to_owned(),
                detail,
                count: of.count,
                url,
            })?;
        }
        file.finish(unit)?;
        Ok(())
    }
}
