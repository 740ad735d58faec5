//! The part about how the results were made: inputs, what was left out, jobs, settings, how sure the numbers are.

use webmill_report::{Html, Jobs, Lang, Panel, Part, Top, TopRow, Word, thousands};
use webmill_run::Committed;

use super::draw::{Found, bars};
use crate::levels::Level;
use crate::rank::tables::Iterated;

/// Files that are listed.
const MOST_FILES: usize = 20;
/// Characters of a setting that are shown.
const MOST_CHARS: usize = 120;

/// The part.
pub fn part(found: &Found<'_>, lang: Lang) -> Part {
    let word = |word| lang.word(word).to_owned();
    let manifest = &found.sources.extract.manifest;
    let dropped = bars(word(Word::LeftOut), word(Word::Records), "left out", &manifest.counts.dropped);
    let mut files: Vec<_> = manifest.inputs.files.iter().collect();
    files.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    let (bytes, all) = (files.iter().map(|file| file.bytes).sum(), files.len());
    let mut rows: Vec<TopRow> = files
        .iter()
        .take(MOST_FILES)
        .map(|file| row(&file.name, vec![thousands(file.bytes).into()]))
        .collect();
    if all > 1 {
        let total = Html::count(bytes, "input: bytes");
        let name = format!("{} ({})", lang.word(Word::All), thousands(all as u64));
        rows.push(row(&name, vec![total]));
    }
    let inputs = Top {
        title: word(Word::Inputs),
        note: String::new(),
        of: word(Word::File),
        columns: vec![word(Word::Bytes)],
        rows,
    };
    let sources = found.sources.all();
    let panels = vec![
        Panel::Bars(dropped),
        Panel::Facts(word(Word::Certainty), certainty(found, lang)),
        Panel::Top(inputs),
        Panel::Jobs(Jobs {
            title: word(Word::Jobs),
            note: word(Word::JobsNote),
            heads: [Word::Job, Word::Version, Word::Rows, Word::Key].map(word).into(),
            rows: sources.iter().map(|of| (of.manifest.job.clone(), job(of))).collect(),
        }),
        Panel::Folded(word(Word::SettingsNote), sources.iter().map(|of| settings(of)).collect()),
    ];
    Part { id: "made".into(), title: word(Word::Made), note: word(Word::MadeNote), cards: Vec::new(), panels }
}

fn row(name: &str, cells: Vec<Html>) -> TopRow {
    TopRow { name: name.to_owned(), title: None, cells }
}

fn job(of: &Committed) -> Vec<Html> {
    let manifest = &of.manifest;
    let rows: u64 = manifest.tables.values().map(|table| table.rows).sum();
    vec![
        manifest.job_version.to_string().into(),
        thousands(rows).into(),
        Html::name(&manifest.key.to_string()),
    ]
}

/// The settings of a job, nested ones by their path.
fn settings(of: &Committed) -> (String, Vec<(String, Html)>) {
    fn walk(path: &str, value: &serde_json::Value, into: &mut Vec<(String, Html)>) {
        match value {
            serde_json::Value::Object(map) => {
                for (name, value) in map {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    walk(&path, value, into);
                }
            }
            serde_json::Value::String(text) => into.push((path.to_owned(), shortened(text))),
            value => into.push((path.to_owned(), shortened(&value.to_string()))),
        }
    }
    let mut found = Vec::new();
    walk("", &of.manifest.configuration, &mut found);
    (format!("[{}]", of.manifest.job), found)
}

fn shortened(text: &str) -> Html {
    Html::text(&webmill_report::shorten(text, MOST_CHARS))
}

fn certainty(found: &Found<'_>, lang: Lang) -> Vec<(String, Html)> {
    let numbers = found.numbers;
    let mut facts = vec![("webmill".to_owned(), Html::text(env!("CARGO_PKG_VERSION")))];
    let pagerank =
        numbers.convergence.iter().find(|row| row.level == Level::Page && row.measure == Iterated::Pagerank);
    if let Some(rank) = pagerank {
        let with = [
            Html::count(rank.iterations.into(), "rank: pagerank page iterations"),
            Html::number(rank.error, &format!("{:.1e}", rank.error), "rank: pagerank page error_bound"),
        ];
        let mut fact = Html::fill(lang.word(Word::PageRankFact), &with);
        if !rank.converged {
            fact = Html::join(&[fact, lang.word(Word::NotConverged).into()], ", ");
        }
        facts.push(("PageRank".into(), fact));
    }
    let Some(shape) = numbers.shape(Level::Page) else { return facts };
    let number = |x: Option<f64>, digits: usize, of: &str| {
        x.map_or_else(
            || Html::text("–"),
            |x| Html::number(x, &format!("{x:.digits$}"), &format!("shape: {of}")),
        )
    };
    let distances = [
        number(shape.distance_mean, 2, "distances page mean"),
        number(shape.distance_standard_error, 2, "distances page standard_error"),
        number(shape.effective_diameter, 2, "distances page effective_diameter"),
        number(Some(shape.published_distance), 2, "distances page published_estimate"),
        Html::count(shape.distance_sources, "shape: distances page sources"),
    ];
    facts.push((lang.word(Word::Distances).into(), Html::fill(lang.word(Word::DistancesFact), &distances)));
    let mixing = [
        number(shape.reciprocity, 3, "mixing page reciprocity"),
        number(shape.assortativity_out_in, 3, "mixing page assortativity_out_in"),
        number(shape.assortativity_in_in, 3, "mixing page assortativity_in_in"),
        number(shape.links_within_hosts, 3, "mixing page links_within_hosts"),
    ];
    facts.push((lang.word(Word::LinksBetween).into(), Html::fill(lang.word(Word::LinksFact), &mixing)));
    facts
}
