//! `webmill crawl`: seeds in, shards and an event log out.

mod actions;
mod again;
mod again_args;
pub(crate) mod args;
mod ctl;
mod earlier;
mod end;
mod explain;
mod seed_text;
mod seeds;
mod view;

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use webmill_capture::CanonicalUrl;
use webmill_capture::settings::SettingGroup;
use webmill_crawl::fetch::cookie_file;
use webmill_crawl::steering::Steering;
use webmill_crawl::{Crawl, CrawlOptions, Ended, SeedNews};
use webmill_run::Cancel;

pub use actions::{CrawlCommand, run as act};
pub use args::CrawlArgs;
use end::CrawlEnd;
pub use seeds::refuse_private;
use view::many;
pub use view::{UnseenCrawl, quoted, sum_up, view};
use webmill_jobs::crawl::{convert, end};

/// Events of seeds that are named at the end of a run.
const SEEDS_NAMED: usize = 10;

/// Runs the command.
///
/// # Errors
/// What it meets.
pub fn run(args: &CrawlArgs, cancel: &Cancel) -> Result<ExitCode> {
    let options = args.options()?;
    options.check_ranges("")?;
    options.check()?;
    let mistakes = options.rules.mistakes();
    if !mistakes.is_empty() {
        mistakes.iter().for_each(|mistake| webmill_jobs::say!("{mistake}"));
        return Ok(ExitCode::from(2));
    }
    // Where rules begin belongs to the crawl as seeds do.
    let entries = Steering::new(&options.rules)?.map(|steering| steering.sites()).unwrap_or_default();
    let seeds = seeds::read(&args.seeds.seeds, &args.urls, args.out(), entries.is_empty())?;
    let begins = [seeds.as_slice(), &entries].concat();
    refuse_private(&begins, &options)?;
    say_who_asks(&options)?;
    if args.dry.dry_run {
        webmill_jobs::print(&as_recipe(&options)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut crawl = open(args, &options, &seeds)?;
    let mut looking = view();
    let ran = crawl.run(&mut *looking, &|| cancel.stopped());
    drop(looking);
    if ran.is_err() {
        // What happened until then is worth a table, if there is room for it.
        let _ = convert(args.out());
    }
    let ended = ran.context("the crawl stopped; the same command goes on with it")?;
    close(crawl, ended, args, &options)
}

/// Says who asks, as servers see it: somebody with an address, with cookies.
fn say_who_asks(options: &CrawlOptions) -> Result<()> {
    if options.fetch.user_agent == CrawlOptions::default().fetch.user_agent && !options.fetch.allow_private {
        webmill_jobs::say!(
            "nobody is named who can be asked about this crawl: say --contact URL|MAIL on foreign servers"
        );
    }
    if let Some(path) = &options.fetch.cookies_file {
        webmill_jobs::say!("{}: {}", path.display(), cookie_file::read(path)?.summary());
    }
    Ok(())
}

/// Opens the crawl, with what an earlier one left for it, and keeps in its folder what it is asked to do.
fn open(args: &CrawlArgs, options: &CrawlOptions, seeds: &[CanonicalUrl]) -> Result<Crawl> {
    let (earlier, notes) = args.earlier.as_deref().map(earlier::read).transpose()?.unzip();
    notes.iter().flatten().for_each(|note| webmill_jobs::say!("{note}"));
    std::fs::create_dir_all(args.out()).with_context(|| args.out().display().to_string())?;
    let (mut crawl, opened) = Crawl::open(args.out(), options, seeds, args.threads(), earlier)?;
    let f = crawl.frontier();
    if !opened.fresh {
        webmill_jobs::say!("{} of {} URLs wait", f.queued, f.seen);
    }
    if let Some(note) = crawl.browser_note() {
        webmill_jobs::say!("{note}: hostile pages are held by nothing but this machine's user");
    }
    for note in opened.notes() {
        webmill_jobs::say!("{note}");
    }
    if !args.retry.is_empty() {
        let again = crawl.ask_again(&args.retry_outcomes()?)?;
        webmill_jobs::say!("asked for again: {} that an earlier run gave up", many(again, "URL"));
    }
    again::import(&mut crawl, &args.again.import)?;
    again::tell_due(&crawl, options, args.out())?;
    for secret in remember(args.out(), options)? {
        webmill_jobs::say!(
            "crawl.toml does not keep a secret: who resumes this crawl says it again: {secret}"
        );
    }
    seeds::keep(args.out(), seeds)?;
    raise_file_limit(options.connections);
    Ok(crawl)
}

/// Writes the tables of a crawl that ended, and says what came of it.
fn close(crawl: Crawl, ended: Ended, args: &CrawlArgs, options: &CrawlOptions) -> Result<ExitCode> {
    let missing = crawl.missing()?;
    let waits = crawl.frontier().queued.saturating_sub(missing.waiting);
    tell_of_seeds(crawl.seed_news());
    for agent in crawl.left_behind()? {
        webmill_jobs::say!("agent {agent} has ended, and URLs wait for it: start it again");
    }
    let over_budget = crawl.hosts_over_budget();
    let focused = crawl.focus_counts();
    let (totals, tables) = end(crawl, args.out(), ended)?;
    let shared = options.agents.exchange.is_some();
    let how = CrawlEnd { ended, stored: totals.stored, missing, shared, waits };
    sum_up(&totals, how.name());
    if let Some(counts) = focused {
        webmill_jobs::say!("{}", view::harvest(&counts));
    }
    again::sum_up(&totals, over_budget, ended);
    tables.context("the tables of the crawl")?;
    how.tell(&totals, args.out());
    if ended != Ended::Stopped {
        webmill_jobs::print(&format!("{}\n", args.out().display()))?;
    }
    Ok(ExitCode::from(how.exit_code()))
}

/// Says what became of seeds that did not become pages.
fn tell_of_seeds(news: &SeedNews) {
    for event in news.events.iter().take(SEEDS_NAMED) {
        let detail = event.detail.as_deref().map_or_else(String::new, |detail| format!(": {detail}"));
        let status = event.status.map_or_else(String::new, |status| format!(", status {status}"));
        webmill_jobs::say!("seed {}: {}{status}{detail}", event.url, event.outcome);
    }
    let more = news.more + news.events.len().saturating_sub(SEEDS_NAMED) as u64;
    if more > 0 {
        webmill_jobs::say!("{} of seeds stand in the event log", many(more, "more event"));
    }
}

/// The settings as table `[crawl]` of a recipe, without secrets.
fn as_recipe(options: &CrawlOptions) -> Result<String> {
    let tables = std::collections::BTreeMap::from([("crawl", options.without_secrets().0)]);
    toml::to_string(&tables).context("settings as TOML")
}

/// File of a crawl's folder with the rules that it goes on with: names of their files, and what these held.
const RULES: &str = "rules.json";

/// The rules that a crawl's folder keeps; `None` if it began without.
pub fn kept_rules(folder: &Path) -> Result<Vec<(String, String)>> {
    let path = folder.join(RULES);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}

/// Leaves settings and rules in the folder, for people and for the next run; gives the names of secrets that are not among them.
///
/// # Errors
/// A file that cannot be written.
pub fn remember(folder: &Path, options: &CrawlOptions) -> Result<Vec<String>> {
    if !options.rules.texts.is_empty() {
        write(folder, RULES, &serde_json::to_string(&options.rules.texts)?)?;
    }
    write(folder, "crawl.toml", &as_recipe(options)?)?;
    Ok(options.without_secrets().1)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    // Written beside and renamed: half a file of settings would be taken for other settings.
    let mut file = tempfile::NamedTempFile::new_in(folder).with_context(|| path.display().to_string())?;
    file.write_all(text.as_bytes())
        .and_then(|()| file.as_file().sync_all())
        .with_context(|| path.display().to_string())?;
    file.persist(&path).with_context(|| path.display().to_string())?;
    Ok(())
}

/// Sockets are files: without room for them connections fail, which looks like dead hosts.
fn raise_file_limit(connections: usize) {
    let wanted = connections as u64 + 512;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: getrlimit and setrlimit read and write the one struct that they are given, which lives here.
    let ok = unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0
            && (limit.rlim_cur >= wanted || {
                limit.rlim_cur = wanted.min(limit.rlim_max);
                libc::setrlimit(libc::RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= wanted
            })
    };
    if !ok {
        webmill_jobs::say!(
            "the limit of open files is too low for {connections} connections; see `ulimit -n`"
        );
    }
}
