//! Carrying out what an operator asks for ([`crate::control`]).
//!
//! **What.** Between two rounds of the writer thread the new commands are read and obeyed; what they did, and how far they were
//! read, is committed at once and as one. Lasting effects (a pause, dropped patterns, parked hosts, settings) are
//! kept in a note of the frontier and holds again when the crawl is opened.
//!
//! **Dropping** is lazy: an entry that matches is settled without a request when its host comes up, since queues are ordered by
//! rank, not by URL.

use std::collections::VecDeque;

use crate::Purpose;
use crate::control::command::{host_name, web_url};
use crate::control::state::{self, MOST, State};
use crate::control::{Command, Control, Line, Pattern, Status};
use crate::engine::{Crawl, Ended, Operated, Snapshot};
use crate::event::{Event, outcome};
use crate::frontier::{Changed, NEVER_MS};
use crate::page::plain;
use crate::{CrawlOptions, Discovered, HostState};
use webmill_capture::CanonicalUrl;
use webmill_capture::date::now_ms;
use webmill_capture::error::Result;
use webmill_capture::names::near_to;

/// Under which the frontier keeps the state.
pub(super) const NOTE: &str = "control";

/// Commands that could not be obeyed are remembered up to here.
const MOST_UNOBEYED: usize = 20;
/// What became of a command: why it could not be obeyed.
type Outcome = std::result::Result<(), String>;

/// Hosts that are looked through for one near to a wrong name.
const MOST_NEAR: usize = 100_000;
/// Trouble of a host that an operator parked.
const PARKED: &str = "parked";

/// What the operator made of the crawl, ready for use.
pub(super) struct Operator {
    control: Control,
    state: State,
    drops: Vec<Pattern>,
    stop: bool,
    /// Commands that could not be obeyed, and why.
    unobeyed: VecDeque<(u64, String)>,
    /// The state as the folder has it.
    saved: State,
}

impl Operator {
    /// As it was left; `noted`: the note of the frontier. Settings that were changed are changed in `options`.
    pub fn open(control: Control, noted: Option<State>, options: &mut CrawlOptions) -> Operator {
        let mut state = noted.unwrap_or_default();
        hold(&mut state.delay_ms, &mut options.politeness.delay_ms);
        hold(&mut state.pages, &mut options.limits.pages);
        // What could be compiled once can be compiled again.
        let drops = state.drops.iter().filter_map(|text| Pattern::new(text).ok()).collect();
        Operator { control, saved: state.clone(), state, drops, stop: false, unobeyed: VecDeque::new() }
    }

    /// The state that the frontier, or the folder where the frontier is lost, has of it.
    pub fn noted(note: Option<Vec<u8>>, folder: &std::path::Path) -> Option<State> {
        match note {
            Some(bytes) => State::from_bytes(&bytes),
            None => Some(State::load(folder)),
        }
    }

    /// Whether an operator lets the crawl pause.
    pub fn is_paused(&self) -> bool {
        self.state.paused
    }

    /// The pattern by which a URL is dropped.
    pub fn drops(&self, url: &CanonicalUrl) -> Option<&str> {
        self.drops.iter().find(|pattern| pattern.matches(url.as_str())).map(Pattern::text)
    }

    /// Whether an operator parked a host.
    pub fn parks(&self, host: &str) -> bool {
        !self.state.parked.is_empty() && self.state.parked.contains(host)
    }

    /// URLs that stand for the hosts that were added, as seeds do.
    pub fn added(&self) -> Vec<CanonicalUrl> {
        self.state.added.iter().filter_map(|url| CanonicalUrl::parse(url)).collect()
    }

    fn operated(&self, options: &CrawlOptions) -> Operated {
        Operated {
            drops: self.state.drops.clone(),
            parked: self.state.parked.iter().cloned().collect(),
            obeyed: self.state.obeyed.number,
            unobeyed: self.unobeyed.iter().cloned().collect(),
            delay_ms: options.politeness.delay_ms,
            page_limit: options.limits.pages,
            memory_bytes: options.memory,
        }
    }
}

/// Leaves a host alone until its operator says otherwise; it counts among what the crawl has not brought home.
pub(super) fn be_parked(state: &mut HostState, now_ms: i64) {
    state.next_ms = NEVER_MS;
    if state.failures == 0 {
        state.trouble_since_ms = now_ms;
    }
    state.failures = state.failures.max(1);
    state.trouble = Some(PARKED.to_owned());
}

/// A setting that was changed stays so until the settings themselves are others.
fn hold<T: PartialEq + Copy>(changed: &mut Option<state::Changed<T>>, setting: &mut T) {
    match changed {
        Some(change) if change.from == *setting => *setting = change.to,
        // Settings that were written down while the change held have it already.
        Some(change) if change.to == *setting => {}
        _ => *changed = None,
    }
}

fn change<T: PartialEq + Copy>(changed: &mut Option<state::Changed<T>>, setting: &mut T, to: T) {
    let from = changed.map_or(*setting, |before| before.from);
    *changed = Some(state::Changed { from, to });
    *setting = to;
}

impl Crawl {
    /// Obeys what was asked for while the crawl stood still. What was told to stop before, has stopped.
    pub(super) fn begin_control(&mut self) -> Result<()> {
        self.obey_commands(true)
    }

    /// Obeys the commands that came in; whether the crawl is to stop.
    pub(super) fn operate(&mut self) -> Result<Option<Ended>> {
        self.obey_commands(false)?;
        Ok(self.operator.stop.then_some(Ended::Stopped))
    }

    fn obey_commands(&mut self, beginning: bool) -> Result<()> {
        loop {
            let lines = self.operator.control.poll(&mut self.operator.state.obeyed)?;
            if lines.is_empty() {
                break;
            }
            for line in lines {
                match line {
                    Line::Command(numbered) if beginning && numbered.order == (Command::Stop {}) => {}
                    Line::Command(numbered) => {
                        if let Err(why) = self.obey(&numbered.order)? {
                            self.operator.unobeyed.push_back((numbered.number, why));
                        }
                    }
                    Line::Unreadable(_) => self.totals.refused.add("control-unreadable"),
                }
            }
            let many = self.operator.unobeyed.len().saturating_sub(MOST_UNOBEYED);
            self.operator.unobeyed.drain(..many);
            self.note_state()?;
            self.commit()?;
            if self.operator.saved != self.operator.state {
                self.operator.state.save(&self.folder)?;
                self.operator.saved = self.operator.state.clone();
            }
        }
        Ok(())
    }

    fn note_state(&mut self) -> Result<()> {
        self.frontier.set_note(NOTE, &self.operator.state.to_bytes()?);
        Ok(())
    }

    /// Obeys a command; or why that cannot be.
    fn obey(&mut self, command: &Command) -> Result<Outcome> {
        let state = &mut self.operator.state;
        match command {
            Command::Pause {} => state.paused = true,
            Command::Resume {} => state.paused = false,
            Command::Stop {} => self.operator.stop = true,
            Command::Add { urls } => return self.add_urls(urls, true),
            Command::Due { urls } => return self.add_urls(urls, false),
            Command::Drop { pattern } => return Ok(self.drop_pattern(pattern)),
            Command::Undrop { pattern } => {
                let before = state.drops.len();
                state.drops.retain(|text| text != pattern);
                self.operator.drops.retain(|p| p.text() != pattern);
                if self.operator.state.drops.len() == before {
                    return Ok(Err(format!("{pattern:?} is not dropped")));
                }
            }
            Command::Park { host } => return self.park(host),
            Command::Unpark { host } => return self.unpark(host),
            Command::Set { delay_ms, pages } => {
                if let Some(ms) = delay_ms {
                    change(&mut state.delay_ms, &mut self.options.politeness.delay_ms, *ms);
                }
                if let Some(pages) = pages {
                    change(&mut state.pages, &mut self.options.limits.pages, Some(*pages));
                }
            }
        }
        Ok(Ok(()))
    }

    /// URLs taken in as seeds are, or asked for again; `unknown`: also those that nobody knows.
    fn add_urls(&mut self, urls: &[String], unknown: bool) -> Result<Outcome> {
        let mut taken = false;
        for text in urls {
            let Ok(url) = web_url(text) else { continue };
            let url = self.reader.rewriter.apply(plain(url));
            if self.operator.drops(&url).is_some() {
                continue;
            }
            let known = self.frontier.is_seen(&url)?;
            if !known && !unknown {
                continue;
            }
            if unknown {
                self.adopt_host(&url);
            }
            let priority = self.priority.of(&url, None);
            let lineage = self.reader.scope.of_seed(&url);
            let found = Discovered { priority, lineage, ..Discovered::new(url, Purpose::Page) };
            if !known {
                self.add(&found)?;
            } else if self.is_others(found.url.host()) {
                continue;
            } else if self.frontier.requeue(&found)? {
                self.frontier.count_as_queued(&found.url)?;
                self.take_verdict(&found.url)?;
                let mut event =
                    Event::new(found.url.as_str(), found.purpose, outcome::REQUEUED, self.now_ms());
                event.detail = Some("operator".to_owned());
                self.log(event);
            }
            taken = true;
        }
        Ok(match taken {
            true => Ok(()),
            false => Err("no URL of it is known here, and not dropped".to_owned()),
        })
    }

    /// Whether a host is another agent's to ask.
    pub(super) fn is_others(&self, host: &str) -> bool {
        self.exchange.as_ref().is_some_and(|exchange| exchange.other_owner(host).is_some())
    }

    /// The host of an added URL belongs to the crawl as that of a seed does, also when it is opened again.
    fn adopt_host(&mut self, url: &CanonicalUrl) {
        let added = &mut self.operator.state.added;
        let front = format!("{}://{}/", url.scheme(), url.host());
        if added.len() < MOST && added.insert(front) {
            self.reader.scope.adopt(url);
        }
    }

    fn drop_pattern(&mut self, text: &str) -> Outcome {
        let state = &mut self.operator.state;
        if state.drops.iter().any(|known| known == text) {
            return Ok(());
        }
        if state.drops.len() >= MOST {
            return Err(format!("{MOST} patterns are the most"));
        }
        let pattern = Pattern::new(text).map_err(|error| error.to_string())?;
        state.drops.push(text.to_owned());
        self.operator.drops.push(pattern);
        Ok(())
    }

    fn park(&mut self, host: &str) -> Result<Outcome> {
        let Ok(host) = host_name(host) else { return Ok(Err("not the name of a host".to_owned())) };
        if !self.frontier.knows_host(&host)? {
            return Ok(Err(self.unknown(&host)?));
        }
        if self.operator.state.parked.len() >= MOST {
            return Ok(Err(format!("{MOST} parked hosts are the most")));
        }
        let now = self.now_ms();
        // One that is being asked is parked when it comes up again.
        self.frontier.change_host(&host, &mut |state| be_parked(state, now))?;
        self.operator.state.parked.insert(host);
        Ok(Ok(()))
    }

    /// That no URL of a host is known, and hosts near to it.
    fn unknown(&self, host: &str) -> Result<String> {
        let near = near_to(host, self.frontier.host_names(MOST_NEAR)?.into_iter());
        Ok(format!("no URL of {host} is known{near}"))
    }

    fn unpark(&mut self, host: &str) -> Result<Outcome> {
        let Ok(host) = host_name(host) else { return Ok(Err("not the name of a host".to_owned())) };
        if !self.operator.state.parked.contains(&host) && !self.frontier.knows_host(&host)? {
            return Ok(Err(self.unknown(&host)?));
        }
        let parked = self.operator.state.parked.remove(&host);
        let now = self.now_ms();
        let politeness = self.polite(&host).clone();
        let mut waits = false;
        // Nobody knows any more when it was asked last.
        let changed = self.frontier.change_host(&host, &mut |state| {
            waits = state.next_ms > now;
            state.next_ms = state.next_ms.min(now + politeness.pause(state) as i64);
            if waits && state.verdict.is_none() {
                (state.failures, state.trouble) = (0, None);
            }
        })?;
        self.troubled.remove(&host);
        Ok(match (parked || waits, changed) {
            (true, Changed::Done | Changed::Leased) => Ok(()),
            (true, _) => Err("nothing of it waits".to_owned()),
            (false, _) => Err("neither parked nor left alone".to_owned()),
        })
    }

    /// Tells whoever asks how the crawl goes.
    pub(super) fn publish(&mut self, snapshot: &Snapshot) {
        let status = Status::of(snapshot, now_ms());
        self.operator.control.publish(&status);
    }

    /// Whether commands were obeyed that nobody was told of.
    pub(super) fn has_news(&self) -> bool {
        self.operator.control.has_news()
    }

    pub(super) fn operated(&self) -> Operated {
        self.operator.operated(&self.options)
    }
}
