//! Why a URL was or was not fetched: everything that a crawl knows of it, one fact a line.
//!
//! **What.** The form in which it is asked for; what the event log says of it; whether it waits in the queue, where it was
//! found, and how its host is doing; what commands have to do with it; which rule of the scope decides; whether it looks like a trap; what robots.txt says; and
//! what follows from all that.
//!
//! **Cost.** The event log is read once from its beginning, the queue of one host is looked through. Nothing is asked of any
//! server. While the crawl runs its queue cannot be opened: what the log says is told then, and what the queue would say is not.

mod history;
#[cfg(test)]
mod tests;

use std::path::Path;

use crate::config::CrawlOptions;
use crate::control::Pattern;
use crate::control::state::State;
use crate::engine::{Crawl, adopted, lock, scope_of, stored_rules};
use crate::event::{Event, outcome};
use crate::frontier::{Frontier, FrontierOptions};
use crate::kinds::KindFilter;
use crate::page::plain;
use crate::rewrite::Rewriter;
use crate::robots::origin;
use crate::scope::{Lineage, Scope, Standing};
use crate::site_settings::Sites;
use crate::{Entry, HostState};
use webmill_capture::CanonicalUrl;
use webmill_capture::date::format_rfc3339;
use webmill_capture::error::{Error, Result};

use self::history::{History, in_words, meaning};

/// Memory for looking into a frontier, bytes.
const MEMORY: u64 = 64 << 20;

/// What became of a URL, or would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was fetched.
    Fetched,
    /// It waits and will be fetched, or nothing is against it.
    WouldBeFetched,
    /// It was not and will not be.
    NotFetched,
}

/// What there is to say about a URL.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// One fact each; the last says what follows.
    pub facts: Vec<String>,
    /// What follows.
    pub fate: Fate,
}

/// What the queue says.
#[derive(Default)]
struct Queue {
    /// Why nothing is known.
    closed: Option<String>,
    entry: Option<Entry>,
    seen: bool,
    host: Option<HostState>,
    robots: Option<Vec<u8>>,
    /// Sites that seeds moved to.
    adopted: Vec<String>,
    /// What the operator's commands made of it.
    state: State,
}

/// The question, with the data to answer it.
struct Question<'a> {
    options: &'a CrawlOptions,
    /// As asked for.
    url: CanonicalUrl,
    is_seed: bool,
    scope: Scope,
    history: History,
    queue: Queue,
    facts: Vec<String>,
}

/// Explains what became of `url` in the crawl in `folder`, which has these settings and was last given these seeds.
///
/// # Errors
/// [`Error::Io`]; [`Error::Config`] for settings that cannot work.
pub fn explain(
    folder: &Path,
    options: &CrawlOptions,
    seeds: &[CanonicalUrl],
    url: &CanonicalUrl,
) -> Result<Explanation> {
    let mut options = options.clone();
    for site in &mut options.sites {
        // Secrets are not kept with the settings of a crawl, and nothing is asked of anybody here.
        site.account = None;
    }
    let options = &options;
    let rewriter = Rewriter::new(options.strip_session_ids);
    let form = |url: &CanonicalUrl| rewriter.apply(plain(url.clone()));
    let asked = form(url);
    let robots = format!("{}/robots.txt", origin(&asked));
    let question = Question {
        options,
        is_seed: seeds.iter().any(|seed| form(seed) == asked),
        scope: scope_of(options, seeds)?,
        history: History::read(&folder.join("events"), &[url, &plain(url.clone()), &asked], &robots)?,
        queue: Queue::look(folder, options, &asked),
        facts: vec![match asked == *url {
            true => format!("asked for as it stands: {url}"),
            false => format!("asked for as: {asked}"),
        }],
        url: asked,
    };
    question.scope.restore(&question.queue.adopted);
    for url in question.queue.state.added.iter().filter_map(|url| CanonicalUrl::parse(url)) {
        question.scope.adopt(&url);
    }
    question.answer()
}

impl Queue {
    fn look(folder: &Path, options: &CrawlOptions, url: &CanonicalUrl) -> Queue {
        let state = State::load(folder);
        let closed = |why: String| Queue { closed: Some(why), state: state.clone(), ..Queue::default() };
        let path = folder.join("frontier");
        if !path.is_dir() {
            return closed("there is no queue: nothing was crawled yet".into());
        }
        let _lock = match lock(folder) {
            Ok(lock) => lock,
            Err(Error::Config(_)) => {
                return closed(
                    "the crawl is running: what waits in its queue can be told when it has stopped".into(),
                );
            }
            Err(error) => return closed(format!("the folder cannot be locked: {error}")),
        };
        let options = FrontierOptions { memory: MEMORY, ..Crawl::frontier_options(options) };
        let look = || -> Result<Queue> {
            let (frontier, opened) = Frontier::open(&path, &options)?;
            Ok(Queue {
                closed: None,
                adopted: adopted(&opened.checkpoint),
                state: state.clone(),
                entry: frontier.waiting(url)?,
                seen: frontier.is_seen(url)?,
                host: frontier.state_of(url.host())?,
                robots: frontier.robots(&origin(url))?,
            })
        };
        look().unwrap_or_else(|error| closed(format!("the queue cannot be read: {error}")))
    }
}

impl Question<'_> {
    fn say(&mut self, fact: impl Into<String>) {
        self.facts.push(fact.into());
    }

    fn answer(mut self) -> Result<Explanation> {
        self.tell_history();
        self.tell_queue();
        self.tell_site()?;
        let against = [
            self.tell_operator(),
            self.tell_scope(),
            self.tell_traps(),
            self.tell_robots(),
            self.tell_host(),
            self.tell_agent()?,
        ];
        let against: Vec<String> = against.into_iter().flatten().collect();
        let (fate, so) = self.conclude(&against);
        self.say(format!("so: {so}"));
        Ok(Explanation { facts: self.facts, fate })
    }

    fn tell_history(&mut self) {
        if self.is_seed {
            self.say("it is a seed");
        }
        let history = std::mem::take(&mut self.history);
        for (what, newest) in [
            ("log", &history.own),
            ("redirected here", &history.before),
            ("redirects led on to", &history.after),
        ] {
            if newest.left_out > 0 {
                self.say(format!("{what}: {} earlier events are left out", newest.left_out));
            }
            for event in &newest.events {
                let about = if what == "log" { String::new() } else { format!("{}  ", event.url) };
                self.say(format!("{what}: {about}{}", in_words(event)));
            }
        }
        if let Some(event) = history.own.last() {
            self.say(found_on(
                event.depth,
                event.lineage,
                event.referrer.as_deref(),
                event.origin.as_deref(),
            ));
        } else if history.missing {
            self.say("log: there is none");
        } else {
            self.say("log: it says nothing of this URL");
        }
        if history.damaged > 0 {
            self.say(format!("log: {} places of it cannot be read", history.damaged));
        }
        self.history = history;
    }

    fn tell_queue(&mut self) {
        if let Some(why) = &self.queue.closed {
            let why = format!("queue: {why}");
            self.say(why);
            return;
        }
        let Some(entry) = self.queue.entry.clone() else {
            return self.say(match self.queue.seen {
                true => "queue: it was queued once and does not wait any more",
                false => "queue: it was never queued",
            });
        };
        let tries = match entry.retries {
            0 => String::new(),
            n => format!(", after {n} attempts that failed"),
        };
        self.say(format!("queue: it waits{tries}"));
        if self.history.own.last().is_none() {
            self.say(found_on(
                entry.depth,
                entry.lineage,
                entry.referrer.as_deref(),
                entry.origin.as_deref(),
            ));
        }
    }

    fn tell_site(&mut self) -> Result<()> {
        let sites = Sites::new(&self.options.sites, &self.options.politeness)?;
        if let Some(site) = sites.of(self.url.host()) {
            self.say(format!("settings of its own: those of {:?}", site.pattern));
        }
        Ok(())
    }

    /// What commands have to do with it. Those that the crawl has not obeyed yet are not among them.
    fn tell_operator(&mut self) -> Option<String> {
        let state = std::mem::take(&mut self.queue.state);
        if state.paused {
            self.say("control: the crawl is paused");
        }
        if state.parked.contains(self.url.host()) {
            self.say("control: its host is parked; what waits on it is kept until unpark");
        }
        let matches = |text: &&String| Pattern::new(text).is_ok_and(|p| p.matches(self.url.as_str()));
        let dropped = state.drops.iter().find(matches)?;
        self.say(format!("control: drop {dropped}"));
        Some(format!("it is dropped by the pattern {dropped}; undrop takes it back"))
    }

    /// Depth and lineage, as far as they are known; else as if a seed linked to it.
    fn standing(&self) -> (Standing, bool) {
        let of = |event: &Event| Standing { depth: event.depth, lineage: event.lineage };
        let known = self.queue.entry.as_ref().map(Standing::from).or(self.history.own.last().map(of));
        let lineage = self.scope.linked(Lineage::default(), &self.url);
        (known.unwrap_or(Standing { depth: u32::from(!self.is_seed), lineage }), known.is_some())
    }

    fn tell_scope(&mut self) -> Option<String> {
        let (standing, known) = self.standing();
        if self.is_seed || (known && standing.depth == 0) {
            self.say("scope: seeds are fetched in any case");
            return None;
        }
        if !known {
            self.say("scope: judged as if a seed linked to it");
        }
        for line in self.scope.trace(&self.url, standing) {
            self.say(format!("scope: {line}"));
        }
        let verdict = self.scope.verdict(&self.url, standing);
        (!verdict.accepted).then(|| format!("out of scope: {}", verdict.rule))
    }

    fn tell_traps(&mut self) -> Option<String> {
        match crate::traps::check(&self.url) {
            Ok(()) => None,
            Err(reason) => {
                self.say(format!("traps: it looks like one of endlessly many: {reason}"));
                Some(format!("it looks like a trap: {reason}"))
            }
        }
    }

    fn tell_robots(&mut self) -> Option<String> {
        if !self.options.obey_robots {
            self.say("robots.txt: it is not obeyed");
            return None;
        }
        let Some((expires_ms, rules)) = self.queue.robots.as_deref().and_then(stored_rules) else {
            let last = self.history.robots.last().map(in_words);
            self.say(match last {
                Some(last) => format!("robots.txt: {last}"),
                None => "robots.txt: not asked for yet".to_owned(),
            });
            let denied = self.history.verdict().filter(|event| event.outcome == outcome::ROBOTS_DENIED)?;
            return Some(format!(
                "robots.txt forbids it: {}",
                denied.robots_reason.as_deref().unwrap_or("Disallow")
            ));
        };
        let verdict = rules.check(&self.url);
        let rule =
            verdict.rule.unwrap_or(if verdict.allowed { "no rule about it" } else { "Disallow" }).to_owned();
        let until = format_rfc3339(expires_ms);
        self.say(match verdict.allowed {
            true => format!("robots.txt: allows it ({rule}), as kept until {until}"),
            false => format!("robots.txt: forbids it ({rule}), as kept until {until}"),
        });
        (!verdict.allowed).then(|| format!("robots.txt forbids it: {rule}"))
    }

    fn tell_host(&mut self) -> Option<String> {
        // A host that nothing was asked of has shown nothing, but the ending may tell by itself.
        let host = self.queue.host.clone().unwrap_or_default();
        if self.queue.host.is_some() {
            self.say(format!(
                "host: {} pages stored of it, {} requests answered, next request not before {}",
                host.stored,
                host.fetched,
                format_rfc3339(host.next_ms)
            ));
        }
        let filter = KindFilter::new(|media_type| self.scope.may_take(media_type));
        let takes = |media_type: &str| self.scope.answer(&self.url, Standing::default(), media_type).accepted;
        let kind = match host.kinds.clone().refuses(&self.url, filter, &takes) {
            Some(why) if !self.is_seed => {
                self.say(format!("type: its ending tells of a type that is not stored: {why}"));
                Some(format!("its type is not stored ({why}); --media-type takes more"))
            }
            _ => None,
        };
        let Some(verdict) = host.verdict else { return kind };
        let about = meaning(&verdict);
        self.say(format!("host: {verdict}: {about}"));
        // What waits on a host in trouble is not lost.
        let passing = [outcome::HOST_UNREACHABLE, outcome::ROBOTS_UNREACHABLE].contains(&&*verdict)
            || outcome::is_soft(&verdict);
        (!passing).then(|| format!("its host is {verdict}")).or(kind)
    }

    fn tell_agent(&mut self) -> Result<Option<String>> {
        let Some(ring) = self.options.agents.ring()? else { return Ok(None) };
        let agent = ring.agent_of(self.url.host()).to_owned();
        if Some(&agent) == self.options.agents.name.as_ref() {
            return Ok(None);
        }
        self.say(format!("agents: its host belongs to {agent}"));
        Ok(Some(format!("its host is crawled by agent {agent}")))
    }

    fn conclude(&self, against: &[String]) -> (Fate, String) {
        let fetched =
            [outcome::STORED, outcome::REDIRECT, outcome::NOT_MODIFIED, outcome::SITEMAP, outcome::CUT_OFF];
        let last = self.history.verdict();
        let waits = self.queue.entry.is_some();
        if let Some(event) = last.filter(|event| !waits && fetched.contains(&&*event.outcome)) {
            let where_to = event
                .redirect_to
                .as_ref()
                .map_or_else(String::new, |to| format!("; the page is looked for at {to}"));
            let again = match event.outcome == outcome::CUT_OFF {
                true => "; the rest is asked for with --retry cut-off",
                false => "",
            };
            return (Fate::Fetched, format!("it was fetched, {}{where_to}{again}", event.outcome));
        }
        if let Some(event) = last.filter(|_| !waits) {
            let mut why = format!("it was not fetched: {}: {}", event.outcome, meaning(&event.outcome));
            why += &event.detail.as_ref().map_or_else(String::new, |detail| format!(" ({detail})"));
            if outcome::is_soft(&event.outcome) {
                why += &format!(" It is asked for again with --retry {}.", event.outcome);
            }
            return (Fate::NotFetched, why);
        }
        let hopeful = |so: &str| (Fate::WouldBeFetched, so.to_owned());
        match (against.is_empty(), waits) {
            (true, true) => hopeful("it will be fetched when its turn comes"),
            (true, false) if self.history.own.last().is_some() => {
                hopeful("its last attempt failed, and it is tried again")
            }
            (true, false) if self.is_seed => hopeful("it will be fetched: it is a seed"),
            (true, false) if self.queue.seen => (
                Fate::NotFetched,
                "it was settled, and the log does not say how: parts of it are missing".to_owned(),
            ),
            (true, false) => {
                hopeful("nothing is against it; it would be fetched if a page that is fetched linked to it")
            }
            (false, _) => (Fate::NotFetched, format!("it is not fetched: {}", against.join("; "))),
        }
    }
}

/// Where a URL was found.
fn found_on(depth: u32, lineage: Lineage, referrer: Option<&str>, origin: Option<&str>) -> String {
    let mut text = match (referrer, origin) {
        (Some(page), _) => format!("found on: {page}"),
        (None, Some(first)) => format!("found by a redirect from: {first}"),
        (None, None) => "found on: no page, it was given or listed".to_owned(),
    };
    let links = if depth == 1 { "link" } else { "links" };
    text += &format!(", {depth} {links} from a seed");
    if lineage.off_site > 0 {
        text += &format!(", {} off the site", lineage.off_site);
    }
    text
}
