//! `webmill crawl ctl DIR …`: the operator's hand on a crawl, running or not.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use webmill_capture::date::now_ms;
use webmill_crawl::control::command::{MAX_LINE_BYTES, MAX_URLS};
use webmill_crawl::control::{self, Command, Status};

use super::args::parse_time;
use super::view::{ago, grouped, size, troubles};
use crate::args::Seeds;
use crate::print::DocumentFormat;

/// Steer a crawl, or ask how it goes.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  webmill crawl ctl out/demo/crawl status\n  webmill crawl ctl crawl drop 'https://example.org/calendar/'\n  webmill crawl ctl crawl set delay 5s\n\nA command survives the crawl: where none runs, it is obeyed when the crawl goes on (stop is not: nothing runs)."
)]
pub struct CtlArgs {
    /// Folder of the crawl.
    #[arg(value_name = "CRAWL")]
    folder: PathBuf,
    #[command(subcommand)]
    order: Order,
}

#[derive(Debug, Subcommand)]
enum Order {
    /// Say how it goes.
    Status {
        #[command(flatten)]
        format: DocumentFormat,
    },
    /// Ask for nothing further until `resume`; requests under way are finished.
    Pause,
    /// Go on after `pause`.
    Resume,
    /// End the run, as Ctrl-C does.
    Stop,
    /// Add URLs, as seeds are added; those that are known are requested again.
    Add(Urls),
    /// Ask for known URLs again, now.
    Due(Urls),
    /// Neither queue nor ask for what matches.
    Drop {
        /// Beginning of URLs (http://… or https://…), else a regular expression.
        pattern: String,
    },
    /// Take back a pattern of `drop`, for URLs that are found from now on.
    Undrop {
        /// The pattern, as it was given.
        pattern: String,
    },
    /// Leave a host alone until `unpark`; its URLs are kept.
    Park {
        /// Name of the host.
        host: String,
    },
    /// Go on with a parked host, or with one that waits after failures.
    Unpark {
        /// Name of the host.
        host: String,
    },
    /// Change a setting, for this and for later runs.
    #[command(subcommand)]
    Set(Setting),
}

#[derive(Debug, Args)]
struct Urls {
    /// URLs.
    #[arg(value_name = "URL")]
    urls: Vec<String>,
    #[command(flatten)]
    seeds: Seeds,
}

#[derive(Debug, Subcommand)]
enum Setting {
    /// Least pause between two requests to a host.
    Delay {
        /// As 1s or 250ms; a bare number is seconds.
        #[arg(value_parser = parse_time)]
        time: u64,
    },
    /// Stop after this many pages.
    Pages {
        /// Pages since the crawl began.
        count: u64,
    },
}

/// Runs the command.
///
/// # Errors
/// What it meets, and what the crawl refuses.
pub fn run(args: &CtlArgs) -> Result<ExitCode> {
    let folder = &args.folder;
    if !folder.join("frontier").is_dir() && !folder.join("crawl.toml").is_file() {
        bail!("{}: no crawl is here", folder.display());
    }
    let commands = match &args.order {
        Order::Status { format } => return status(folder, format.is_json()),
        Order::Stop if !control::status(folder).is_some_and(|status| status.running) => {
            webmill_jobs::say!("the crawl does not run");
            return Ok(ExitCode::SUCCESS);
        }
        Order::Stop => vec![Command::Stop {}],
        Order::Pause => vec![Command::Pause {}],
        Order::Resume => vec![Command::Resume {}],
        Order::Add(urls) => chunks(folder, urls, |urls| Command::Add { urls })?,
        Order::Due(urls) => chunks(folder, urls, |urls| Command::Due { urls })?,
        Order::Drop { pattern } => vec![Command::Drop { pattern: pattern.clone() }],
        Order::Undrop { pattern } => vec![Command::Undrop { pattern: pattern.clone() }],
        Order::Park { host } => vec![Command::Park { host: host.clone() }],
        Order::Unpark { host } => vec![Command::Unpark { host: host.clone() }],
        Order::Set(Setting::Delay { time }) => vec![Command::Set { delay_ms: Some(*time), pages: None }],
        Order::Set(Setting::Pages { count }) => vec![Command::Set { delay_ms: None, pages: Some(*count) }],
    };
    for command in &commands {
        let number = control::file::append(folder, command, now_ms())?;
        webmill_jobs::print(&format!(
            "{number}: written down; obeyed within a second, or when the crawl goes on\n"
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Commands of as many URLs as one may have.
fn chunks(folder: &Path, given: &Urls, command: impl Fn(Vec<String>) -> Command) -> Result<Vec<Command>> {
    if given.urls.is_empty() && given.seeds.seeds.is_empty() {
        bail!("name URLs or a file of them (--seeds FILE)");
    }
    let urls = super::seeds::read(&given.seeds.seeds, &given.urls, folder, true)?;
    let (mut commands, mut some, mut bytes) = (Vec::new(), Vec::new(), 0);
    for url in urls {
        // With quotes and comma; escapes are not needed in canonical URLs.
        let more = url.as_str().len() + 3;
        if some.len() == MAX_URLS || bytes + more > MAX_LINE_BYTES / 2 {
            commands.push(command(std::mem::take(&mut some)));
            bytes = 0;
        }
        bytes += more;
        some.push(url.into_string());
    }
    commands.push(command(some));
    Ok(commands)
}

fn status(folder: &Path, as_json: bool) -> Result<ExitCode> {
    let Some(status) = control::status(folder) else {
        bail!("{}: it has said nothing of itself yet", folder.display());
    };
    let text = if as_json { serde_json::to_string(&status)? + "\n" } else { in_words(&status, now_ms()) };
    webmill_jobs::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// A status for people.
fn in_words(s: &Status, now_ms: i64) -> String {
    let mut text = String::new();
    let state = match (s.running, s.paused) {
        (true, true) => "paused".to_owned(),
        (true, false) => "running".to_owned(),
        (false, _) => format!("not running; as it was {} ago", ago(now_ms - s.at_ms)),
    };
    let f = &s.frontier;
    let _ = writeln!(text, "state     {state}");
    let _ = writeln!(
        text,
        "pages     {} stored, {:.1}/s; {} received, {}/s",
        grouped(s.stored),
        s.pages_per_second,
        size(s.bytes as f64),
        size(s.bytes_per_second)
    );
    if let Some(counts) = &s.focus {
        let _ = writeln!(text, "topic     {}", super::view::harvest(counts));
    }
    let _ = writeln!(
        text,
        "queue     {} waiting of {} URLs seen; {} on their way",
        grouped(f.queued),
        grouped(f.seen),
        s.in_flight
    );
    let _ = writeln!(
        text,
        "hosts     {} active, {} ready, {} waiting, {} parked on disk, {} in trouble",
        grouped(f.hosts_leased),
        grouped(f.hosts_ready),
        grouped(f.hosts_waiting),
        grouped(f.hosts_parked),
        grouped(s.troubled_hosts)
    );
    let limit = s.page_limit.map_or_else(String::new, |pages| format!("; at most {} pages", grouped(pages)));
    let _ = writeln!(text, "settings  {} ms delay{limit}", s.delay_ms);
    if let Some(bytes) = s.resident_bytes {
        let (held, given) = (size(bytes as f64), size(s.memory_bytes as f64));
        let _ = writeln!(text, "memory    {held} held; {given} for the frontier");
    }
    for pattern in &s.drops {
        let _ = writeln!(text, "dropped   {pattern}");
    }
    for host in &s.parked {
        let _ = writeln!(text, "parked    {host}");
    }
    for (number, why) in &s.unobeyed {
        let _ = writeln!(text, "command   {number} could not be obeyed: {why}");
    }
    for line in troubles(&s.troubled, s.at_ms) {
        let _ = writeln!(text, "trouble   {line}");
    }
    text
}
