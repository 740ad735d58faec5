//! The arguments of `webmill crawl`, and the settings that they make with the recipe.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use webmill_crawl::CrawlOptions;
use webmill_crawl::archive::ArchiveFormat;
use webmill_crawl::event::outcome;
use webmill_crawl::frontier::Strategy;
use webmill_crawl::scope::{ScopeOptions, Seeds};

use super::again_args::AgainArgs;
use super::rule_args::RuleArgs;
use crate::focused::topic_file;
use crate::recipe::Recipe;
use crate::registry::check_recipe;
use crate::settings::{parse_size, parse_threads};

/// What a crawl is asked to do.
#[derive(Debug, clap::Args)]
pub struct CrawlArgs {
    /// URLs to begin with.
    #[arg(value_name = "URL")]
    pub urls: Vec<String>,
    /// File of URLs to begin with, one a line, # for comments; - for stdin.
    #[arg(long, value_name = "FILE")]
    pub seeds: Vec<PathBuf>,
    /// Folder of the crawl.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Settings; flags override them.
    #[arg(long, value_name = "FILE.toml")]
    recipe: Option<PathBuf>,
    /// Results of an earlier `webmill run`, whose in-degrees, PageRank and mirrors count in best-first order.
    #[arg(long, value_name = "DIR")]
    pub earlier: Option<PathBuf>,
    /// Threads that fetch and read pages [default: all processors].
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,
    /// Memory of the frontier, of bodies and connections, as 512MiB or 4GiB [default: 1GiB].
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
    /// Print the settings and do nothing.
    #[arg(long)]
    pub dry_run: bool,

    /// Stop after so many pages.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pages: Option<u64>,
    /// Stop after so many bytes, as 10GiB.
    #[arg(long, value_name = "SIZE", value_parser = parse_size, help_heading = "Limits")]
    bytes: Option<u64>,
    /// Stop after so long, as 90s, 15m, 8h.
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "Limits")]
    time: Option<u64>,
    /// Links from a seed; 0 fetches the seeds alone.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    depth: Option<u32>,
    /// Pages of one host.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pages_per_host: Option<u64>,

    /// Where links may lead: `hosts` of the seeds, their registrable `domains`, `any` host, or only those `listed` by --host
    /// and --domain [default: hosts]. Seeds are fetched in any case.
    #[arg(long, value_name = "WHERE", value_parser = parse_within, help_heading = "Scope")]
    within: Option<Seeds>,
    /// This host belongs to the crawl too; may be repeated. With `--within listed` no other.
    #[arg(long, value_name = "HOST", help_heading = "Scope")]
    host: Vec<String>,
    /// All hosts under this domain, as edu.cn, belong to it too; may be repeated.
    #[arg(long, value_name = "SUFFIX", help_heading = "Scope")]
    domain: Vec<String>,
    /// Stay under this prefix of a URL; may be repeated.
    #[arg(long, value_name = "PREFIX", help_heading = "Scope")]
    prefix: Vec<String>,
    /// Only URLs that match this regular expression; may be repeated.
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    include: Vec<String>,
    /// No URLs that match this regular expression; may be repeated.
    #[arg(long, value_name = "REGEX", help_heading = "Scope")]
    exclude: Vec<String>,
    /// Only answers of this media type, as text/*; with + in front, as +image/*, of this one besides those that are stored
    /// anyway: pages, text and documents. May be repeated.
    #[arg(long, value_name = "TYPE", help_heading = "Scope")]
    media_type: Vec<String>,
    #[command(flatten)]
    rules: RuleArgs,
    /// Rules (see `webmill rules`), a file or a folder of them, or builtin:NAME: what they name as entries is fetched as seeds are, and only what
    /// their link tags and paging tags lead to. May be repeated.
    #[arg(long = "rules", value_name = "FILE", help_heading = "Scope")]
    steering: Vec<String>,

    /// Order of fetching [default: breadth].
    #[arg(long, value_enum, help_heading = "Fetching")]
    strategy: Option<Order>,
    /// Topic file of a focused crawl: which pages it looks for (docs/focused.md).
    #[arg(long, value_name = "FILE.toml", help_heading = "Fetching")]
    topic: Option<PathBuf>,
    /// Irrelevant pages in a row that a focused crawl goes through, before links wait in its reserve [default: 3].
    #[arg(long, value_name = "N", help_heading = "Fetching")]
    tunnel: Option<u32>,
    /// Relevant pages after which a focused crawl stops.
    #[arg(long, value_name = "N", help_heading = "Fetching")]
    target: Option<u64>,
    /// Connections at the same time; with 1 the order of fetching is a function of the answers alone [default: 256].
    #[arg(long, value_name = "N", help_heading = "Fetching")]
    connections: Option<usize>,
    /// Least pause between two requests to a host, as 1s or 250ms; a bare number is seconds [default: 1s].
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "Fetching")]
    delay: Option<u64>,
    /// Pause after a failure, doubled by each further one [default: 5s].
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "Fetching")]
    backoff: Option<u64>,
    /// Ask again for what was given up with this outcome, as server-error; `all` for every URL that may be there after all.
    #[arg(long, value_name = "OUTCOME", value_delimiter = ',', num_args = 1.., help_heading = "Fetching")]
    pub retry: Vec<String>,
    /// How long to wait, without any good answer, for hosts in trouble when nothing else is left, as 10m; `0` not at all
    /// [default: 1h]. What they have queued is kept for the next run.
    #[arg(long, value_name = "TIME", value_parser = parse_time, help_heading = "Fetching")]
    patience: Option<u64>,
    /// Product token that robots.txt files address [default: webmill].
    #[arg(long, value_name = "TOKEN", help_heading = "Fetching")]
    agent: Option<String>,
    /// Address or page that tells site owners who is asking; part of the User-Agent.
    #[arg(long, value_name = "URL|MAIL", help_heading = "Fetching")]
    contact: Option<String>,
    /// Proxy, as http://127.0.0.1:3128, socks5h://user:password@host:1080 (it looks names up), socks5:// (they are looked
    /// up here); for some URLs only as http=URL,https=URL.
    #[arg(long, value_name = "URL", help_heading = "Fetching")]
    proxy: Option<String>,
    /// Hosts that are asked without the proxy, separated by commas: host, .domain, address, 10.0.0.0/8.
    #[arg(long, value_name = "HOSTS", value_delimiter = ',', help_heading = "Fetching")]
    no_proxy: Vec<String>,
    /// Further request header, as 'Accept-Language: zh'; may be repeated.
    #[arg(long, value_name = "NAME: VALUE", help_heading = "Fetching")]
    header: Vec<String>,
    /// Address of a host, as name=127.0.0.1, before any resolver; may be repeated.
    #[arg(long, value_name = "HOST=IP", help_heading = "Fetching")]
    resolve: Vec<String>,
    /// Keep cookies of all sites. (Those of sites that cannot be read without are kept in any case.)
    #[arg(long, help_heading = "Fetching")]
    cookies: bool,
    /// Leave nothing out for being a copy: patterns of URLs whose pages repeat each other are fetched on and on.
    #[arg(long, help_heading = "Scope")]
    no_brake: bool,
    /// Cookies to begin with, as browsers and their tools export them (cookies.txt).
    #[arg(long, value_name = "FILE", help_heading = "Fetching")]
    cookies_file: Option<PathBuf>,
    /// Fetch images of pages too.
    #[arg(long, help_heading = "Fetching")]
    images: bool,
    /// Fetch what pages need to be shown, wherever it is: styles, scripts, pictures, fonts, frames. Stored with the pages,
    /// not counted as pages. Where pages are visited again, it is asked for again with them.
    #[arg(long, help_heading = "Fetching")]
    requisites: bool,
    /// Follow links that only scripts of pages name: in handlers, `javascript:` URLs and strings, without running them.
    #[arg(long, help_heading = "Fetching")]
    script_links: bool,
    /// Open pages whose URL matches this regular expression in a headless Chromium of this machine, for the links that scripts
    /// make; may be repeated.
    #[arg(long, value_name = "REGEX", help_heading = "Rendering")]
    render: Vec<String>,
    /// What pages in the browser are not let ask for; may be repeated.
    #[arg(long, value_name = "REGEX", help_heading = "Rendering")]
    render_block: Vec<String>,
    /// Do not read sitemaps.
    #[arg(long, help_heading = "Fetching")]
    no_sitemaps: bool,
    /// Fetch from private and loopback addresses too.
    #[arg(long, help_heading = "Fetching")]
    allow_private: bool,
    /// Do not ask for robots.txt: for one's own servers only.
    #[arg(long, help_heading = "Fetching")]
    ignore_robots: bool,

    /// Visiting again.
    #[command(flatten)]
    pub again: AgainArgs,

    /// Format of the shards [default: rawdb].
    #[arg(long, value_enum, help_heading = "Output")]
    format: Option<Format>,
    /// Who is responsible for the crawl, written into WARC files, as 'A Library <crawl@library.example>'.
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    operator: Option<String>,
    /// What the crawl is for, written into WARC files.
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    description: Option<String>,
    /// The collection that the crawl belongs to, written into WARC files.
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    collection: Option<String>,
    /// Write with each answer by which page and over which hops its URL was found.
    #[arg(long, help_heading = "Output")]
    via: bool,
    /// Names of all agents that crawl together, separated by commas; the same for all of them.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', help_heading = "Agents")]
    agents: Vec<String>,
    /// The name of this one. One that is not among them hands all over that it has, and ends.
    #[arg(long, value_name = "NAME", help_heading = "Agents")]
    this_agent: Option<String>,
    /// Shared folder through which agents hand over what is others'.
    #[arg(long, value_name = "DIR", help_heading = "Agents")]
    exchange: Option<PathBuf>,
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

    /// Threads to use.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
    }

    /// The settings of the recipe, else those the crawl had before, overridden by flags.
    pub fn options(&self) -> Result<CrawlOptions> {
        let before = self.out.join("crawl.toml");
        let mut options = match &self.recipe {
            Some(path) => {
                let recipe = Recipe::read(path)?;
                check_recipe(&recipe)?;
                recipe.unchecked()?
            }
            None if before.exists() => {
                // What was allowed once goes on being allowed: nobody should overlook it.
                crate::say!("settings of {} hold where no flag says otherwise", before.display());
                Recipe::read(&before)?.unchecked()?
            }
            None => CrawlOptions::default(),
        };
        if !self.steering.is_empty() {
            options.rules.files.clone_from(&self.steering);
            options.rules.texts.clear();
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
        let archive = &mut options.archive;
        for (name, given) in
            [("operator", &self.operator), ("description", &self.description), ("isPartOf", &self.collection)]
        {
            archive.info.extend(given.clone().map(|given| (name.to_owned(), given)));
        }
        archive.via |= self.via;
        if let Some(name) = &self.this_agent {
            options.agents.name = Some(name.clone());
        }
        if !self.agents.is_empty() {
            options.agents.agents.clone_from(&self.agents);
        }
        if let Some(folder) = &self.exchange {
            options.agents.exchange = Some(folder.clone());
        }
        Ok(options)
    }

    fn set_limits(&self, options: &mut CrawlOptions) {
        let limits = &mut options.limits;
        limits.pages = self.pages.or(limits.pages);
        limits.bytes = self.bytes.or(limits.bytes);
        limits.seconds = self.time.map(|ms| ms.div_ceil(1000)).or(limits.seconds);
        limits.pages_per_host = self.pages_per_host.or(limits.pages_per_host);
        options.memory = self.memory.unwrap_or(options.memory);
    }

    fn set_scope(&self, options: &mut CrawlOptions) {
        let scope = &mut options.scope;
        scope.max_depth = self.depth.or(scope.max_depth);
        if let Some(within) = self.within {
            scope.seeds = within;
        }
        if !self.rules.rules.is_empty() {
            scope.rules.clone_from(&self.rules.rules);
        }
        let domains = self.domain.iter().map(|domain| format!("*.{}", domain.trim_start_matches("*.")));
        let hosts: Vec<String> = self.host.iter().cloned().chain(domains).collect();
        let lists = [
            (&hosts, &mut scope.hosts),
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
            let more = more.iter().map(|given| given[1..].to_owned());
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
        focus.tunnel = self.tunnel.unwrap_or(focus.tunnel);
        focus.target = self.target.or(focus.target);
        if let Some(topic) = focus.topic.as_ref().filter(|_| options.strategy == Strategy::Focused) {
            focus.ready = Some(Arc::new(topic_file::topic(topic)?));
        }
        options.connections = self.connections.unwrap_or(options.connections);
        options.politeness.delay_ms = self.delay.unwrap_or(options.politeness.delay_ms);
        options.politeness.patience_ms = self.patience.or(options.politeness.patience_ms);
        options.politeness.backoff_ms = self.backoff.unwrap_or(options.politeness.backoff_ms);
        if let Some(agent) = &self.agent {
            options.agent.clone_from(agent);
        }
        if let Some(contact) = &self.contact {
            let known =
                contact.starts_with("http://") || contact.starts_with("https://") || contact.contains('@');
            if !known || !contact.bytes().all(|b| b.is_ascii_graphic()) {
                bail!("--contact {contact:?}: a URL (http:// or https://) or a mail address is needed");
            }
        }
        if self.contact.is_some() || self.agent.is_some() {
            let version = env!("CARGO_PKG_VERSION");
            let contact = self.contact.as_ref().map_or_else(String::new, |c| format!(" (+{c})"));
            options.fetch.user_agent = format!("{}/{version}{contact}", options.agent);
        }
        if self.proxy.is_some() {
            options.fetch.proxy.clone_from(&self.proxy);
        }
        if !self.no_proxy.is_empty() {
            options.fetch.no_proxy.clone_from(&self.no_proxy);
        }
        if self.cookies_file.is_some() {
            options.fetch.cookies_file.clone_from(&self.cookies_file);
        }
        let mut given = std::collections::BTreeSet::new();
        for header in &self.header {
            let Some((name, value)) = header.split_once(':') else {
                bail!("--header {header:?}: write 'Name: value'");
            };
            let name = name.trim();
            if name.eq_ignore_ascii_case("user-agent") {
                bail!("--header {header:?}: say who is asking with --agent and --contact");
            }
            // One that stands in the settings already is replaced, once.
            if given.insert(name.to_ascii_lowercase()) {
                options.fetch.headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
            }
            options.fetch.headers.push((name.to_owned(), value.trim().to_owned()));
        }
        for pair in &self.resolve {
            let Some((host, ip)) = pair.split_once('=') else {
                bail!("--resolve {pair:?}: write name=address");
            };
            let ip = ip.trim().parse().with_context(|| format!("--resolve {pair:?}"))?;
            options.fetch.dns.hosts.insert(host.trim().to_ascii_lowercase(), ip);
        }
        options.fetch.cookies |= self.cookies;
        options.fetch.allow_private |= self.allow_private;
        options.images |= self.images;
        options.script_links |= self.script_links;
        for (given, setting) in
            [(&self.render, &mut options.render.patterns), (&self.render_block, &mut options.render.block)]
        {
            if !given.is_empty() {
                setting.clone_from(given);
            }
        }
        options.brake &= !self.no_brake;
        options.requisites |= self.requisites;
        options.sitemaps &= !self.no_sitemaps;
        options.obey_robots &= !self.ignore_robots;
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
