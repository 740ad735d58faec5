//! The arguments of `webmill crawl`, and the settings that they make with the recipe.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use webmill_capture::cut::Cut;

use anyhow::{Result, bail};
use clap::ValueEnum;
use webmill_crawl::CrawlOptions;
use webmill_crawl::archive::ArchiveFormat;
use webmill_crawl::event::outcome;
use webmill_crawl::frontier::Strategy;
use webmill_crawl::scope::{ScopeOptions, Seeds};

use super::again_args::AgainArgs;
use crate::args::{self, Budget, DryRun, Out, Pages, RecipeFlags, parse_size};
use crate::print::TO_HELP;
use webmill_jobs::builtin::registry;
use webmill_jobs::focused::topic_file;
use webmill_jobs::machine;
use webmill_jobs::recipe::Recipe;
use webmill_jobs::run_options::within_machine;

/// What a crawl is asked to do.
#[derive(Debug, clap::Args)]
pub struct CrawlArgs {
    /// URLs to begin with.
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// Where it begins.
    #[command(flatten)]
    pub seeds: args::Seeds,
    #[command(flatten)]
    out: Out,
    #[command(flatten)]
    recipe: RecipeFlags,
    /// Results of an earlier `webmill run`: best-first order uses its in-degrees, PageRank and mirrors.
    #[arg(long, value_name = "EARLIER_RESULTS", hide_short_help = true)]
    pub earlier: Option<PathBuf>,
    #[command(flatten)]
    budget: Budget,
    /// Prints the settings alone.
    #[command(flatten)]
    pub dry: DryRun,

    #[command(flatten)]
    pages: Pages,
    /// Stop after this many bytes, such as 10GiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "What to fetch", hide_short_help = true)]
    bytes: Option<u64>,
    /// Stop after this time, such as 90s, 15m or 8h.
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "What to fetch")]
    time: Option<u64>,
    /// Most links from a seed; 0 fetches only the seeds.
    #[arg(long, value_name = "N", help_heading = "What to fetch")]
    depth: Option<u32>,
    /// Where links may lead: hosts, domains, any or listed [default: hosts].
    ///
    /// `hosts` of the seeds, their registrable `domains`, `any` host, or only those `listed` by scope.hosts of the
    /// settings, where `*.example.org` is a domain. Seeds are fetched in any case.
    #[arg(long, value_name = "WHERE", value_parser = parse_within, help_heading = "What to fetch")]
    within: Option<Seeds>,
    /// Stay under this prefix of a URL; may be repeated.
    #[arg(long, value_name = "PREFIX", help_heading = "What to fetch", hide_short_help = true)]
    prefix: Vec<String>,
    /// Only URLs that match this regular expression; may be repeated.
    #[arg(long, value_name = "REGEX", help_heading = "What to fetch", hide_short_help = true)]
    include: Vec<String>,
    /// No URLs that match this regular expression; may be repeated.
    #[arg(long, value_name = "REGEX", help_heading = "What to fetch", hide_short_help = true)]
    exclude: Vec<String>,
    /// Only answers of this media type, as text/*; of this one too, as +image/*.
    ///
    /// The default is pages, text and documents; a type with + in front is added to these. May be repeated.
    #[arg(long, value_name = "TYPE", help_heading = "What to fetch", hide_short_help = true)]
    media_type: Vec<String>,
    /// Rules (see `webmill rules`), a file or a folder of them, or builtin:NAME: their entries are fetched like
    /// seeds, and only the targets of their link and paging tags are followed. May be repeated.
    #[arg(long = "rules", value_name = "FILE", help_heading = "What to fetch", hide_short_help = true)]
    steering: Vec<String>,

    /// Order of fetching [default: breadth].
    #[arg(
        long,
        value_enum,
        value_name = "ORDER",
        help_heading = "What to fetch",
        hide_possible_values = true
    )]
    strategy: Option<Order>,
    /// Topic file of a focused crawl: which pages it looks for (docs/focused.md).
    #[arg(long, value_name = "FILE.toml", help_heading = "What to fetch", hide_short_help = true)]
    topic: Option<PathBuf>,
    /// Least pause between two requests to a host, as 250ms [default: 1s].
    ///
    /// A bare number is seconds.
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "What to fetch")]
    delay: Option<u64>,
    /// Request URLs again that were given up with this outcome, such as server-error; `all`: every URL that may
    /// exist after all.
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',', num_args = 1.., help_heading = "What to fetch", hide_short_help = true)]
    pub retry: Vec<String>,
    /// Mail address or page by which site owners can reach you; part of the User-Agent.
    #[arg(long, value_name = "URL|MAIL", help_heading = "What to fetch")]
    contact: Option<String>,
    /// Proxy, as http://127.0.0.1:3128, socks5h://user:password@host:1080 (it looks names up), socks5:// (they are looked
    /// up here); for some URLs only as http=URL,https=URL.
    #[arg(long, value_name = "URL", help_heading = "What to fetch", hide_short_help = true)]
    proxy: Option<String>,
    /// Fetch the files that pages need for display: styles, scripts, pictures, fonts.
    ///
    /// They are fetched from any host, frames too, are stored with the pages, and do not count as pages. If pages
    /// are visited again, their files are requested again with them.
    #[arg(long, help_heading = "What to fetch")]
    requisites: bool,
    /// Open pages whose URL matches in a headless Chromium, for links that scripts make.
    ///
    /// A regular expression; may be repeated.
    #[arg(long, value_name = "REGEX", help_heading = "What to fetch", hide_short_help = true)]
    render: Vec<String>,
    /// Fetch from private and loopback addresses too.
    #[arg(long, help_heading = "What to fetch")]
    allow_private: bool,

    /// Visiting again.
    #[command(flatten)]
    pub again: AgainArgs,

    #[arg(long = "to", value_enum, value_name = "FORMAT", help = TO_HELP, help_heading = "What to fetch", hide_possible_values = true, hide_short_help = true)]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Order {
    Breadth,
    Depth,
    Best,
    Focused,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Rawdb,
    Warc,
}

impl CrawlArgs {
    /// The outcomes that are asked for again.
    pub fn retry_outcomes(&self) -> Result<Vec<&str>> {
        let mut outcomes = Vec::new();
        for name in &self.retry {
            match name.as_str() {
                "all" => outcomes.extend(outcome::SOFT),
                name if outcome::ALL.iter().any(|(known, _)| *known == name) => outcomes.push(name),
                name => {
                    let names: Vec<&str> = outcome::ALL.iter().map(|(name, _)| *name).collect();
                    bail!("--retry {name}: no such outcome; known are all, {}", names.join(", "))
                }
            }
        }
        Ok(outcomes)
    }

    /// Folder of the crawl.
    pub fn out(&self) -> &Path {
        &self.out.out
    }

    /// Threads to use.
    pub fn threads(&self) -> usize {
        self.budget.threads()
    }

    /// Memory that was asked for.
    pub fn memory(&self) -> Option<u64> {
        self.budget.memory_asked()
    }

    /// The settings of the recipe, else those the crawl had before, overridden by flags.
    pub fn options(&self) -> Result<CrawlOptions> {
        let before = self.out().join("crawl.toml");
        let goes_on = !self.recipe.has_file() && before.exists();
        let recipe = if goes_on {
            // What was allowed once goes on being allowed: nobody should overlook it.
            webmill_jobs::say!("settings of {} hold where no flag says otherwise", before.display());
            self.recipe.over(Recipe::read(&before)?)?
        } else {
            let recipe = self.recipe.read()?;
            registry().check_recipe(&recipe.without(webmill_jobs::crawl::TABLE))?;
            recipe
        };
        let mut options: CrawlOptions = recipe.unchecked()?;
        if !self.steering.is_empty() {
            options.rules.files.clone_from(&self.steering);
        } else if goes_on {
            options.rules.texts = super::kept_rules(self.out())?;
        }
        options.rules.read()?;
        self.set_limits(&mut options);
        self.set_scope(&mut options);
        self.set_fetching(&mut options)?;
        self.again.set(&mut options);
        if let Some(format) = self.format {
            options.archive.format = match format {
                Format::Rawdb => ArchiveFormat::RawDb,
                Format::Warc => ArchiveFormat::Warc,
            };
        }
        Ok(options)
    }

    fn set_limits(&self, options: &mut CrawlOptions) {
        let limits = &mut options.limits;
        limits.pages = self.pages.pages.or(limits.pages);
        limits.bytes = self.bytes.or(limits.bytes);
        limits.seconds = self.time.map(|ms| ms.div_ceil(1000)).or(limits.seconds);
        let usual = CrawlOptions::default().memory;
        if options.memory == usual {
            options.memory = within_machine(usual, machine::memory());
        }
        options.memory = self.memory().unwrap_or(options.memory);
    }

    fn set_scope(&self, options: &mut CrawlOptions) {
        let scope = &mut options.scope;
        scope.max_depth = self.depth.or(scope.max_depth);
        if let Some(within) = self.within {
            scope.seeds = within;
        }
        let lists = [
            (&self.prefix, &mut scope.prefixes),
            (&self.include, &mut scope.url_include),
            (&self.exclude, &mut scope.url_exclude),
        ];
        for (given, setting) in lists {
            if !given.is_empty() {
                setting.clone_from(given);
            }
        }
        self.set_media_types(scope);
    }

    /// Types with + in front join those that are there, the others take their place.
    fn set_media_types(&self, scope: &mut ScopeOptions) {
        let (more, only): (Vec<&String>, Vec<&String>) =
            self.media_type.iter().partition(|given| given.starts_with('+'));
        if !only.is_empty() {
            scope.media_types = only.into_iter().cloned().collect();
        }
        // An empty list is one of all types.
        if !scope.media_types.is_empty() {
            let more = more.iter().map(|given| given.cut(1..).to_owned());
            let new: Vec<String> = more.filter(|given| !scope.media_types.contains(given)).collect();
            scope.media_types.extend(new);
        }
    }

    fn set_fetching(&self, options: &mut CrawlOptions) -> Result<()> {
        if let Some(order) = self.strategy {
            options.strategy = match order {
                Order::Breadth => Strategy::Breadth,
                Order::Depth => Strategy::Depth,
                Order::Best => Strategy::Best,
                Order::Focused => Strategy::Focused,
            };
        }
        let focus = &mut options.focus;
        if let Some(path) = &self.topic {
            focus.topic = Some(topic_file::read_options(path)?);
        }
        if let Some(topic) = focus.topic.as_ref().filter(|_| options.strategy == Strategy::Focused) {
            focus.ready = Some(Arc::new(topic_file::topic(topic)?));
        }
        options.politeness.delay_ms = self.delay.unwrap_or(options.politeness.delay_ms);
        if let Some(contact) = &self.contact {
            let known =
                contact.starts_with("http://") || contact.starts_with("https://") || contact.contains('@');
            if !known || !contact.bytes().all(|b| b.is_ascii_graphic()) {
                bail!("--contact {contact:?}: a URL (http:// or https://) or a mail address is needed");
            }
        }
        // Who sets the token alone goes by it.
        let usual = CrawlOptions::default();
        let is_renamed = options.agent != usual.agent && options.fetch.user_agent == usual.fetch.user_agent;
        if self.contact.is_some() || is_renamed {
            let version = env!("CARGO_PKG_VERSION");
            let contact = self.contact.as_ref().map_or_else(String::new, |c| format!(" (+{c})"));
            options.fetch.user_agent = format!("{}/{version}{contact}", options.agent);
        }
        if self.proxy.is_some() {
            options.fetch.proxy.clone_from(&self.proxy);
        }
        options.fetch.allow_private |= self.allow_private;
        if !self.render.is_empty() {
            options.render.patterns.clone_from(&self.render);
        }
        options.requisites |= self.requisites;
        Ok(())
    }
}

fn parse_within(text: &str) -> Result<Seeds, String> {
    match text {
        "hosts" => Ok(Seeds::Hosts),
        "domains" => Ok(Seeds::Domains),
        "any" | "anywhere" => Ok(Seeds::Any),
        "listed" => Ok(Seeds::None),
        _ => Err(format!("{text}: write hosts, domains, any or listed")),
    }
}

/// Parses `250ms`, `1s`, `15m`, `8h`, `0` into milliseconds; a bare number is seconds.
pub fn parse_time(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text}: not a time; write 250ms, 1s, 15m or 8h");
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let factor = match unit.trim() {
        "ms" => 1.0,
        "" | "s" => 1e3,
        "m" | "min" => 6e4,
        "h" => 3.6e6,
        "d" => 8.64e7,
        _ => return Err(wrong()),
    };
    let ms = number * factor;
    if ms.is_finite() && ms < 1e15 { Ok(ms.round() as u64) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::parse_time;

    #[test]
    fn times() {
        for (text, want) in [
            ("250ms", Some(250)),
            ("1s", Some(1_000)),
            ("0", Some(0)),
            ("1.5m", Some(90_000)),
            ("8h", Some(28_800_000)),
            ("s", None),
            ("-1s", None),
            ("1 week", None),
            ("999999999999999999d", None),
        ] {
            assert_eq!(parse_time(text).ok(), want, "{text}");
        }
    }
}
