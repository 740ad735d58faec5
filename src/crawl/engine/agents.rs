//! The engine among other agents ([`crate::exchange`]): URLs of their hosts go to them, URLs that they send come in.

use crate::Discovered;
use crate::agents::{AgentsOptions, Ring};
use crate::engine::{Crawl, Wake};
use crate::exchange::{Exchange, LineOf, read_lines};
use webmill_capture::error::{AtPath, Error, Result};

/// Under which the frontier keeps the list of agents that its hosts are in order with.
const NOTE: &str = "agents";
/// Files of the inbox read at once.
const FILES: usize = 256;
/// Lines between two commits.
const LINES: u64 = 4096;
/// Bytes that are handed over between two commits.
const HANDED_BYTES: usize = 1 << 20;
/// Hosts looked at in one go.
const HOSTS: usize = 1024;

impl Crawl {
    /// Joins the agents of the shared folder, if there is one.
    pub(super) fn open_exchange(
        folder: &std::path::Path,
        options: &crate::CrawlOptions,
    ) -> Result<Option<Exchange>> {
        let AgentsOptions { name, exchange, .. } = &options.agents;
        match (options.agents.ring()?, exchange, name) {
            (Some(ring), Some(shared), Some(name)) => {
                Exchange::open(shared, folder, ring, name.clone(), options.seed).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Passes a URL on whose host is another's; whether it was.
    pub(super) fn pass_on(&mut self, found: &Discovered) -> Result<bool> {
        let Some(exchange) = &mut self.exchange else { return Ok(false) };
        let Some(owner) = exchange.other_owner(found.url.host()).map(str::to_owned) else { return Ok(false) };
        if self.frontier.hand_over_once(&found.url, &owner)? {
            crate::exchange::push_url(exchange.outgoing(&owner), found)?;
            self.changed += 1;
        }
        Ok(true)
    }

    /// Looks after the other agents.
    pub(super) fn mind_others(&mut self) -> Result<()> {
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        if self.requests.in_flight > 0 {
            exchange.wake()?;
        }
        if exchange.is_due() {
            self.read_inbox()?;
        }
        Ok(())
    }

    /// Whether the crawl is at its end where nothing is left here.
    pub(super) fn is_over_everywhere(&mut self) -> Result<Wake> {
        let Some(exchange) = &mut self.exchange else { return Ok(Wake::Nothing) };
        if exchange.outgoing_bytes() > 0 || self.changed > 0 {
            self.commit()?;
            return Ok(Wake::Results);
        }
        Ok(if exchange.is_over()? { Wake::Nothing } else { Wake::Results })
    }

    /// Agents that have ended though this one left something for them: they are to be started again.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn left_behind(&self) -> Result<Vec<String>> {
        self.exchange.as_ref().map_or(Ok(Vec::new()), Exchange::left_behind)
    }

    /// Hands over all hosts that are others' by a list of agents that is not the one of the run before.
    pub(super) fn hand_over(&mut self) -> Result<()> {
        let Some(exchange) = &self.exchange else { return Ok(()) };
        let list = serde_json::to_vec(exchange.agents())
            .map_err(|e| Error::Internal(format!("a list of agents: {e}")))?;
        let before = self.frontier.note(NOTE)?;
        if before.as_ref() == Some(&list) {
            return Ok(());
        }
        let before = before.map_or(Ok(None), |list| ring_before(&list))?;
        self.hand_over_waiting()?;
        self.hand_over_done(before.as_ref())?;
        self.frontier.set_note(NOTE, &list);
        self.commit()
    }

    fn hand_over_waiting(&mut self) -> Result<()> {
        let mut after = String::new();
        loop {
            let hosts = self.frontier.hosts_behind(&after, HOSTS)?;
            let Some(last) = hosts.last() else { return Ok(()) };
            after.clone_from(last);
            for host in &hosts {
                let Some(exchange) = &mut self.exchange else { return Ok(()) };
                let Some(owner) = exchange.other_owner(host).map(str::to_owned) else { continue };
                let waiting = self.frontier.take_host(host)?.unwrap_or_default();
                let lines = exchange.outgoing(&owner);
                for entry in &waiting {
                    crate::exchange::push_entry(lines, entry)?;
                }
                self.send_if_many()?;
            }
        }
    }

    /// Tells the agents that got hosts what of them is done; `before`: whose they were, where it was not all this agent's.
    fn hand_over_done(&mut self, before: Option<&Ring>) -> Result<()> {
        let name = self.options.agents.name.clone().unwrap_or_default();
        let mut after = String::new();
        loop {
            let hosts = self.frontier.known_hosts_behind(&after, HOSTS)?;
            let Some(last) = hosts.last() else { return Ok(()) };
            after.clone_from(last);
            for host in &hosts {
                let Some(exchange) = &mut self.exchange else { return Ok(()) };
                let Some(owner) = exchange.other_owner(host).map(str::to_owned) else { continue };
                if before.is_some_and(|ring| ring.agent_of(host) != name) {
                    continue;
                }
                let lines = exchange.outgoing(&owner);
                for key in self.frontier.known_keys(host)? {
                    crate::exchange::push_done(lines, host, key)?;
                }
                self.send_if_many()?;
            }
        }
    }

    fn send_if_many(&mut self) -> Result<()> {
        match self.exchange.as_ref().is_some_and(|exchange| exchange.outgoing_bytes() > HANDED_BYTES) {
            true => self.commit(),
            false => Ok(()),
        }
    }

    /// Reads what others have left.
    fn read_inbox(&mut self) -> Result<()> {
        loop {
            let Some(exchange) = &mut self.exchange else { return Ok(()) };
            let mut files = exchange.inbox()?;
            if files.is_empty() {
                return Ok(());
            }
            exchange.wake()?;
            files.truncate(FILES);
            for file in &files {
                self.read_file(file)?;
            }
            self.commit()?;
            for file in &files {
                std::fs::remove_file(file).at(file)?;
            }
        }
    }

    fn read_file(&mut self, file: &std::path::Path) -> Result<()> {
        let mut count = 0u64;
        let mut last_host = String::new();
        let wrong = read_lines(file, &mut |line| {
            match line {
                LineOf::Url(found) => _ = self.add(&found)?,
                LineOf::Done { host, key } => {
                    self.frontier.mark_done(&host, key)?;
                    if host != last_host {
                        // From now on the host is one that something is known of, and is handed on with that.
                        self.frontier.change_host(&host, &mut |_| ())?;
                        // Nobody here knows when it was asked last.
                        self.taken_over_ms = self.now_ms();
                        last_host = host;
                    }
                }
            }
            count += 1;
            if count.is_multiple_of(LINES) {
                self.commit()?;
            }
            Ok(())
        })?;
        for _ in 0..wrong {
            self.totals.refused.add("exchange-unreadable");
        }
        Ok(())
    }

    /// When this agent took over hosts of others last, or was opened, ms.
    pub(super) fn taken_over_ms(&self) -> i64 {
        self.taken_over_ms.max(self.wall_ms)
    }
}

/// The ring of an earlier list.
fn ring_before(list: &[u8]) -> Result<Option<Ring>> {
    let names: Vec<String> = serde_json::from_slice(list).unwrap_or_default();
    if names.is_empty() {
        return Ok(None);
    }
    Ring::of(&names).map(Some)
}
