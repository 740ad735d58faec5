//! `webmill focused`: a focused crawl tried over stored pages.

use std::collections::HashSet;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use webmill_capture::CanonicalUrl;
use webmill_crawl::focus::{Corpus, Scorer};
use webmill_crawl::priority::PriorityOptions;
use webmill_run::Cancel;

use crate::command::crawl::read_seeds;
use crate::crawl::files::TableFile;
use crate::focused::hubs::hubs;
use crate::focused::replay::{Course, Focused, FocusedSettings, Stop, best, breadth, focused};
use crate::focused::stored::StoredWeb;
use crate::focused::tables::{HarvestRow, HubRow, RecallRow};
use crate::focused::topic_file;
use crate::settings::parse_memory;

/// Points of a recall curve.
const POINTS: usize = 1000;

/// Hubs that are written, and shown.
const HUBS: usize = 1000;
const HUBS_SHOWN: usize = 5;

/// Try a focused crawl over the stored pages of an earlier run: how much of a topic it finds, and how soon.
///
/// Prints of each strategy: pages fetched, the relevant of them, harvest (their share), recall (share of all relevant pages), area under
/// the recall curve (mean recall over the fetches of the longest course), and the fetches until the first 10, 100 and 1,000 relevant pages; and the best hubs.
/// What is relevant is said by --truth; without, relevance decides, by how common words are on all stored pages.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  webmill focused --replay results --topic tea.toml --url http://a.example/\n  webmill focused --replay results --topic tea.toml --seeds seeds.txt --compare --truth tea-urls.txt --out curves"
)]
pub struct FocusedArgs {
    /// Results of a run over shards: its tables `pages`, `texts` and `links` are crawled.
    #[arg(long, value_name = "RESULTS", required = true)]
    replay: PathBuf,
    /// Topic file (TOML).
    #[arg(long, value_name = "FILE", required = true)]
    topic: PathBuf,
    /// File of seeds, a URL a line; may be repeated.
    #[arg(long, value_name = "FILE")]
    seeds: Vec<PathBuf>,
    /// A seed; may be repeated.
    #[arg(long, value_name = "URL")]
    url: Vec<String>,
    /// File of the URLs that are relevant, one a line.
    #[arg(long, value_name = "FILE")]
    truth: Option<PathBuf>,
    /// Irrelevant pages in a row that it goes through, before links wait in the reserve.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100))]
    tunnel: u32,
    /// Stop after so many pages.
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    pages: u64,
    /// Stop after so many relevant pages.
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    target: u64,
    /// Compare with breadth-first and best-first order.
    #[arg(long)]
    compare: bool,
    /// Write tables `harvest`, `recall` and `hubs` to DIR/tables.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Memory for texts and links, e.g. 8GiB.
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = parse_memory)]
    memory: u64,
}

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &FocusedArgs, cancel: &Cancel) -> Result<ExitCode> {
    let options = topic_file::read_options(&args.topic)?;
    let topic = topic_file::topic(&options).with_context(|| args.topic.display().to_string())?;
    let topic = Arc::new(topic);
    let web = StoredWeb::read(&args.replay, args.memory)?;
    let seeds = seeds(args, &web)?;
    let truth = truth(args, &web, &topic)?;
    let all = truth.iter().filter(|relevant| **relevant).count() as u64;
    crate::say!(
        "{} stored pages, {all} of them relevant ({}); threshold {:.3}; {} links lead out",
        web.pages.len(),
        if args.truth.is_some() { "by truth" } else { "by relevance" },
        topic.threshold(),
        web.links_outside,
    );
    let stop = Stop { pages: args.pages.max(1), target: args.target.max(1) };
    let priority = PriorityOptions::default();
    let began = Instant::now();
    let settings = FocusedSettings { topic, tunnel: args.tunnel, priority: priority.clone() };
    let Focused { course, rows, counts } = focused(&web, &seeds, (&truth, stop), &settings, cancel)?;
    let seconds = began.elapsed().as_secs_f64();
    let mut courses = vec![course];
    if args.compare {
        courses.push(breadth(&web, &seeds, &truth, stop, cancel)?);
        courses.push(best(&web, &seeds, (&truth, stop), &priority, cancel)?);
    }
    print(&courses, all)?;
    crate::say!(
        "{} links waited in the reserve at the end, {} came in from there, {} were scored again; {:.0} pages a second",
        counts.reserved,
        counts.released,
        counts.rescored,
        rows.len() as f64 / seconds.max(1e-9)
    );
    let hubs = hubs(&web, &courses[0], HUBS)?;
    for hub in hubs.iter().take(HUBS_SHOWN) {
        crate::say!(
            "hub {}: {} of {} pages that it links to are relevant",
            hub.url,
            hub.relevant_targets,
            hub.targets
        );
    }
    if let Some(out) = &args.out {
        let mut best_hubs = TableFile::<HubRow>::create(out, 0)?;
        hubs.into_iter().try_for_each(|row| best_hubs.push(row))?;
        best_hubs.finish()?;
        let mut harvest = TableFile::<HarvestRow>::create(out, 0)?;
        rows.into_iter().try_for_each(|row| harvest.push(row.into()))?;
        harvest.finish()?;
        let mut recall = TableFile::<RecallRow>::create(out, 0)?;
        for course in &courses {
            curve(course, all).into_iter().try_for_each(|row| recall.push(row))?;
        }
        recall.finish()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn seeds(args: &FocusedArgs, web: &StoredWeb) -> Result<Vec<u32>> {
    if args.seeds.is_empty() && args.url.is_empty() {
        bail!("no seeds: name URLs (--url) or a file of them (--seeds)");
    }
    let urls = read_seeds(&args.seeds, &args.url, &args.replay, true)?;
    let numbers: Vec<u32> = urls.iter().filter_map(|url| web.number(url)).collect();
    if numbers.is_empty() {
        bail!("{}: none of the {} seeds is a page of it", args.replay.display(), urls.len());
    }
    if numbers.len() < urls.len() {
        crate::say!("{} of {} seeds are no pages of the run", urls.len() - numbers.len(), urls.len());
    }
    Ok(numbers)
}

/// Which pages are relevant.
fn truth(args: &FocusedArgs, web: &StoredWeb, topic: &Arc<webmill_crawl::focus::Topic>) -> Result<Vec<bool>> {
    if let Some(path) = &args.truth {
        let mut keys = HashSet::new();
        for line in topic_file::read_urls(path)? {
            let Some(url) = CanonicalUrl::parse(&line) else {
                bail!("{}: {line:?} is no URL", path.display())
            };
            keys.insert(url.key());
        }
        let truth: Vec<bool> = web.pages.iter().map(|page| keys.contains(&page.url.key())).collect();
        let known = truth.iter().filter(|relevant| **relevant).count();
        if known < keys.len() {
            crate::say!(
                "{}: {} of {} URLs are no pages of the run",
                path.display(),
                keys.len() - known,
                keys.len()
            );
        }
        return Ok(truth);
    }
    let mut corpus = Corpus::default();
    web.pages.iter().for_each(|page| corpus.add(topic.bag(&page.title, &page.text).terms()));
    let scorer = Scorer::new(topic.clone(), &Arc::new(corpus));
    let relevant = |page: &crate::focused::stored::StoredPage| {
        scorer.page(page.url.as_str(), &page.title, &page.text).relevance >= topic.threshold()
    };
    Ok(web.pages.iter().map(relevant).collect())
}

fn print(courses: &[Course], all: u64) -> Result<()> {
    let longest = courses.iter().map(|course| course.fetched.len() as u64).max().unwrap_or(0);
    let mut out =
        String::from("strategy\tfetched\trelevant\tharvest\trecall\tarea\tfirst10\tfirst100\tfirst1000\n");
    for course in courses {
        let (fetched, found) = (course.fetched.len(), course.found());
        let until = |n| course.until(n).map_or("-".to_owned(), |fetched| fetched.to_string());
        out += &format!(
            "{}\t{fetched}\t{found}\t{:.4}\t{:.4}\t{:.4}\t{}\t{}\t{}\n",
            course.strategy,
            found as f64 / fetched.max(1) as f64,
            found as f64 / all.max(1) as f64,
            course.area(all, longest),
            until(10),
            until(100),
            until(1000),
        );
    }
    Ok(crate::print(&out)?)
}

/// Points of the curve of a course.
fn curve(course: &Course, all: u64) -> Vec<RecallRow> {
    let step = course.fetched.len().div_ceil(POINTS).max(1);
    let mut rows = Vec::new();
    let mut relevant = 0;
    for (n, is) in course.relevant.iter().enumerate() {
        relevant += u64::from(*is);
        let fetched = n + 1;
        if fetched.is_multiple_of(step) || fetched == course.fetched.len() {
            rows.push(RecallRow {
                strategy: course.strategy.to_owned(),
                fetched: fetched as u64,
                relevant,
                recall: relevant as f64 / all.max(1) as f64,
            });
        }
    }
    rows
}
