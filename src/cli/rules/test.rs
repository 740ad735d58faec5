//! `webmill rules test`: what each tag of a rule finds on a page.

use std::io::IsTerminal;
use std::process::ExitCode;
use webmill_capture::cut::Cut;

use anyhow::{Context, Result, bail};
use console::Style;
use webmill_html::{Limits, charset, parse};
use webmill_rules::cells::Cell;
use webmill_rules::groups::{LinkedPage, Problem, RowSink, VisitedPage, rows};
use webmill_rules::{ApplyLimits, PageResults, Rule, RulePage, TagNumber, TagResult, TagSteps, library};

use super::page::{PageBytes, Pages};
use crate::args::{Address, Results, ShardsOption, Top};

/// Characters of a result that are shown.
const SHOWN: usize = 160;

/// Show what each tag of a rule finds on a page, and the rows that come of it; of tags without a result how far they came.
///
/// The page is a file of HTML, or the address of a page of results. Pages
/// behind links are not read: their columns are null. Ten results of a tag are shown. Exit code 1 where nothing is found.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "webmill rules test [OPTIONS] [RESULTS] <RULE> <PAGE>",
    after_help = "Examples:\n  webmill rules test books.toml page.html --url http://shop.example.com/kettles\n  webmill rules test out/demo/results builtin:articles http://www.lakeside.example/"
)]
pub struct TestArgs {
    #[command(flatten)]
    results: Results,
    /// The rule: a file, or builtin:NAME.
    rule: Option<String>,
    /// The page: a file, or an address.
    page: Option<String>,
    /// The layer that the page is taken for [default: each that it can be of, by `pages`, `entries` and `when`; else all].
    #[arg(long, value_name = "ID")]
    layer: Option<String>,
    #[command(flatten)]
    url: Address,
    #[command(flatten)]
    shards: ShardsOption,
    #[command(flatten)]
    top: Top,
}

/// Runs the command.
pub fn run(args: &TestArgs) -> Result<ExitCode> {
    let (results, [name, page]) = args.results.perhaps_before([&args.rule, &args.page], ["RULE", "PAGE"])?;
    let (_, source) = library::read(std::slice::from_ref(&name))?.pop().context("no rule here")?;
    let rule = match Rule::parse(&source) {
        Ok(rule) => rule,
        Err(mistakes) => {
            mistakes.iter().for_each(|mistake| webmill_jobs::say!("{name}: {mistake}"));
            bail!("{name}: {} mistakes", mistakes.len());
        }
    };
    let from = Pages { url: args.url.url.as_deref(), results, shards: &args.shards.shards };
    let PageBytes { url, body, label } = from.read(&page)?;
    let (text, encoding) = match rule.encoding {
        Some(encoding) => (encoding.decode_with_bom_removal(&body).0, encoding),
        None => {
            let decoded = charset::decode(&body, label.as_deref(), None);
            (decoded.text, decoded.used)
        }
    };
    let dom = parse(&text, &Limits::default());
    let page = RulePage::new(&url, &text, &dom, encoding);
    let layers = layers(args, &rule, &page)?;
    let mut screen = Screen { rule: &rule, most: args.top.top.unwrap_or(10), out: String::new(), found: 0 };
    for layer in layers {
        let (results, steps) = page.trace(&rule, layer, &ApplyLimits::default());
        screen.head(&format!("layer {}", rule.layers[layer].id));
        screen.tags(&results.results, &steps, 1);
        screen.tables(layer, results)?;
    }
    webmill_jobs::print(&screen.out)?;
    Ok(ExitCode::from(u8::from(screen.found == 0)))
}

fn layers(args: &TestArgs, rule: &Rule, page: &RulePage<'_>) -> Result<Vec<usize>> {
    let all = 0..rule.layers.len();
    if let Some(id) = &args.layer {
        let found = rule.layers.iter().position(|layer| layer.id == *id);
        return Ok(vec![found.with_context(|| {
            let ids: Vec<&str> = rule.layers.iter().map(|layer| layer.id.as_str()).collect();
            format!("{id}: no layer of the rule; layers: {}", ids.join(", "))
        })?]);
    }
    let url = page.url().as_str();
    let is_entered = |layer: &usize| {
        let of = &rule.layers[*layer];
        page.is_of(rule, *layer)
            && (rule.enters(*layer, url)
                || of.entries.iter().any(|entry| entry.each().any(|address| address == url)))
    };
    let entered: Vec<usize> = all.clone().filter(is_entered).collect();
    Ok(if entered.is_empty() { all.collect() } else { entered })
}

struct Screen<'a> {
    rule: &'a Rule,
    most: usize,
    out: String,
    found: usize,
}

fn painted(text: &str, how: Style) -> String {
    match std::io::stdout().is_terminal() {
        true => how.apply_to(text).to_string(),
        false => text.to_owned(),
    }
}

/// A result in a line.
fn short(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line.cut(..end)),
        None => line,
    }
}

impl Screen<'_> {
    fn head(&mut self, text: &str) {
        self.out.push_str(&format!("{}\n", painted(text, Style::new().bold())));
    }

    fn tags(&mut self, results: &[(TagNumber, Vec<TagResult>)], steps: &[TagSteps], depth: usize) {
        let indent = "  ".repeat(depth);
        for (tag, found) in results {
            let id = &self.rule.tags[*tag].id;
            self.found += found.len();
            if found.is_empty() {
                let why = painted(&why(&self.rule.tags[*tag], &steps[*tag]), Style::new().yellow());
                self.out.push_str(&format!("{indent}{} {why}\n", painted(id, Style::new().red())));
                continue;
            }
            self.out.push_str(&format!("{indent}{} {}\n", painted(id, Style::new().green()), found.len()));
            for one in found.iter().take(self.most) {
                self.out.push_str(&format!("{indent}  {}\n", short(&one.text)));
                self.tags(&one.results, steps, depth + 2);
            }
            if found.len() > self.most {
                self.out
                    .push_str(&format!("{indent}  … {} more (--top N shows N)\n", found.len() - self.most));
            }
        }
    }

    fn tables(&mut self, layer: usize, found: PageResults) -> Result<()> {
        let rule = self.rule;
        let page = VisitedPage { results: found.results, habits: found.habits, page: () };
        for group in rule.groups.iter().filter(|group| group.levels[0].layer == layer) {
            let mut sink = Rows { rows: Vec::new(), problems: Vec::new() };
            rows(group, &page, &mut sink)?;
            self.head(&format!("table {}: {} rows", rule.table(group), sink.rows.len()));
            let names: Vec<&str> = group.columns.iter().map(|column| column.name.as_str()).collect();
            self.out.push_str(&format!("  {}\n", names.join(" | ")));
            for row in sink.rows.iter().take(self.most) {
                let cells = row.iter().map(|cell| match cell {
                    Cell::Null => "null".to_owned(),
                    Cell::Number(number) => number.to_string(),
                    Cell::Text(text) => short(text),
                });
                self.out.push_str(&format!("  {}\n", cells.collect::<Vec<_>>().join(" | ")));
            }
            for (problem, count) in sink.problems {
                let told = self.told(group, &problem);
                self.out.push_str(&format!(
                    "  {}\n",
                    painted(&format!("{count}× {told}"), Style::new().yellow())
                ));
            }
        }
        Ok(())
    }

    fn told(&self, group: &webmill_rules::Group, problem: &Problem) -> String {
        let column = |number: usize| &group.columns[number].name;
        match problem {
            Problem::Counts(counts) => {
                let counts: Vec<String> = counts
                    .iter()
                    .map(|(tag, count)| format!("{} {count}", self.rule.tags[*tag].id))
                    .collect();
                format!("no rows: tags that stand beside each other differ in number: {}", counts.join(", "))
            }
            Problem::Incomplete => {
                "no row since a cell is missing (outer = true writes it with null)".to_owned()
            }
            Problem::Missing => "behind a link, not read here".to_owned(),
            Problem::Other => "behind a link, not of its layer".to_owned(),
            Problem::Kind(number) => {
                format!("null in column {}: the text is nothing of its kind", column(*number))
            }
            Problem::Shortened(number) => format!("cut at max_length in column {}", column(*number)),
        }
    }
}

/// How far a tag came that has no results.
fn why(tag: &webmill_rules::Tag, steps: &TagSteps) -> String {
    if steps.materials == 0 {
        return "was not looked for: its parent found nothing".to_owned();
    }
    let found = match steps.codes {
        Some((starts, ends)) if steps.found == 0 => {
            return format!(
                "finds nothing: start matches {starts}×, end {ends}×, no start stands before an end"
            );
        }
        _ if steps.found == 0 => return format!("finds nothing in {} materials", steps.materials),
        _ => steps.found,
    };
    let step = if steps.rematched == 0 {
        "rematch matches in none of them"
    } else if steps.included == 0 {
        "include is found in none of them"
    } else if steps.kept == 0 {
        "exclude is found in all of them"
    } else if tag.link && steps.addresses == 0 {
        "none of them is an address"
    } else {
        "a limit left them out"
    };
    format!("finds {found}, but {step}")
}

struct Rows {
    rows: Vec<Vec<Cell>>,
    problems: Vec<(Problem, usize)>,
}

impl RowSink<()> for Rows {
    fn behind(&mut self, _: TagNumber, _: &str) -> webmill_capture::Result<LinkedPage<()>> {
        Ok(LinkedPage::Missing)
    }

    fn row(&mut self, cells: Vec<Cell>, _: &VisitedPage<()>, _: &[usize]) -> webmill_capture::Result<()> {
        self.rows.push(cells);
        Ok(())
    }

    fn problem(&mut self, problem: Problem, _: &VisitedPage<()>) {
        match self.problems.iter_mut().find(|(known, _)| *known == problem) {
            Some((_, count)) => *count += 1,
            None => self.problems.push((problem, 1)),
        }
    }
}
