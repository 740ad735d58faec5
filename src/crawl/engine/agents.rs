//! The engine among other agents ([`crate::exchange`]): what is theirs goes to them, what they leave comes in.

use crate::Discovered;
use crate::engine::{Crawl, Wake};
use crate::exchange::{Exchange, Import, LineOf, Next, Standing, read_lines};
use crate::frontier::{After, Entered};
use webmill_capture::error::{AtPath, Error, Result};

/// Under which the frontier keeps the agent's standing.
const NOTE: &str = "exchange";
/// Files of the inbox read at once.
const FILES: usize = 256;
/// Lines between two commits.
const LINES: u64 = 4096;
/// Bytes of what is handed over between two commits.
const HANDED_BYTES: usize = 1 << 20;
/// Hosts looked at in one go.
const HOSTS: usize = 1024;
/// How long a host rests that may not be asked yet, ms.
pub(super) const NOT_YET_MS: i64 = 250;

impl Crawl {
    /// Joins the agents of the shared folder, if there is one.
    pub(super) fn open_exchange(
        folder: &std::path::Path,
        options: &crate::CrawlOptions,
        frontier: &mut crate::frontier::Frontier,
    ) -> Result<Option<Exchange>> {
        let Some(shared) = &options.agents.exchange else { return Ok(None) };
        let note = frontier.note(NOTE)?;
        let standing: Standing =
            note.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        frontier.keep_ledger();
        Exchange::open(shared, folder, &options.agents, options.seed, standing).map(Some)
    }

    /// Passes a URL on whose host is another's; whether it was.
    pub(super) fn pass_on(&mut self, found: &Discovered) -> Result<bool> {
        let Some(exchange) = &mut self.exchange else { return Ok(false) };
        let Some(owner) = exchange.other_owner(found.url.host()).map(str::to_owned) else { return Ok(false) };
        if self.frontier.hand_over_once(&found.url)? {
            crate::exchange::push_url(exchange.outgoing(&owner), found)?;
            self.changed += 1;
        }
        Ok(true)
    }

    /// What other agents need is written before the frontier is committed.
    pub(super) fn write_exchange(&mut self) -> Result<()> {
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        let ledger: Vec<Entered> = self.frontier.take_ledger();
        exchange.write(&ledger)
    }

    /// Looks after the other agents; whether something may be asked for.
    pub(super) fn mind_others(&mut self) -> Result<bool> {
        let Some(exchange) = &mut self.exchange else { return Ok(true) };
        if self.requests.in_flight > 0 {
            exchange.wake()?;
        }
        if exchange.lease_is_over() && self.requests.in_flight > 0 {
            return Err(Error::Limit(
                "this agent gave no sign of life for too long, and others may ask its hosts now; nothing is lost, the same command goes on".into(),
            ));
        }
        if exchange.is_due() {
            if exchange.outgoing_bytes() > 0 {
                self.commit()?;
            }
            let next = self.exchange.as_mut().map_or(Ok(Next::Nothing), Exchange::look)?;
            match next {
                Next::Nothing => self.read_inbox()?,
                Next::Forget => self.forget_queue()?,
                Next::HandOver => self.hand_over()?,
                Next::Settle(import) => self.take_over(&import)?,
            }
        }
        Ok(self.exchange.as_ref().is_none_or(Exchange::may_ask_any))
    }

    /// Whether the crawl is at its end where nothing is left here.
    pub(super) fn is_over_everywhere(&mut self) -> Result<Wake> {
        let Some(exchange) = &mut self.exchange else { return Ok(Wake::Nothing) };
        if exchange.outgoing_bytes() > 0 || self.changed > 0 {
            self.commit()?;
            return Ok(Wake::Results);
        }
        let over = exchange.is_over()?;
        Ok(if over { Wake::Nothing } else { Wake::Results })
    }

    /// Hands over all hosts that are others'; those that are being asked when they are not any more.
    fn hand_over(&mut self) -> Result<()> {
        // What is meant for the agents of an earlier view goes to them.
        self.commit()?;
        let (mut after, mut left) = (String::new(), false);
        loop {
            let hosts = self.frontier.hosts_behind(&after, HOSTS)?;
            let Some(last) = hosts.last() else { break };
            after.clone_from(last);
            for host in &hosts {
                let Some(exchange) = &mut self.exchange else { return Ok(()) };
                let Some(owner) = exchange.other_owner(host).map(str::to_owned) else { continue };
                let Some(waiting) = self.frontier.take_host(host)? else {
                    left = true;
                    continue;
                };
                let lines = exchange.outgoing(&owner);
                for entry in &waiting {
                    crate::exchange::push_entry(lines, entry)?;
                }
                self.send_if_many()?;
            }
        }
        self.commit()?;
        let exchange = self.exchange.as_ref();
        let others = |host: &str| exchange.is_some_and(|exchange| exchange.other_owner(host).is_some());
        let on_its_way = self.requests.iter().any(|request| others(&request.lease.host));
        if left || on_its_way {
            return Ok(());
        }
        self.hand_over_done()?;
        self.exchange.as_mut().map_or(Ok(()), Exchange::handed_over)
    }

    /// Tells the agents that got hosts what of them is done.
    fn hand_over_done(&mut self) -> Result<()> {
        let mut after = String::new();
        loop {
            let hosts = self.frontier.known_hosts_behind(&after, HOSTS)?;
            let Some(last) = hosts.last() else { break };
            after.clone_from(last);
            for host in &hosts {
                let Some(exchange) = &mut self.exchange else { return Ok(()) };
                let Some(owner) = exchange.lost_to(host).map(str::to_owned) else { continue };
                let lines = exchange.outgoing(&owner);
                for key in self.frontier.known_keys(host)? {
                    crate::exchange::push_done(lines, host, key)?;
                }
                self.send_if_many()?;
            }
        }
        self.commit()
    }

    fn send_if_many(&mut self) -> Result<()> {
        if self.exchange.as_ref().is_some_and(|exchange| exchange.outgoing_bytes() > HANDED_BYTES) {
            self.commit()?;
            self.sign_of_life()?;
        }
        Ok(())
    }

    /// Long work must not make the agent look dead.
    fn sign_of_life(&mut self) -> Result<()> {
        self.exchange.as_mut().map_or(Ok(()), Exchange::beat)
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
                self.read_file(file, &mut |_, _| true)?;
            }
            self.commit()?;
            for file in &files {
                std::fs::remove_file(file).at(file)?;
            }
            self.sign_of_life()?;
        }
    }

    fn read_file(
        &mut self,
        file: &std::path::Path,
        wanted: &mut dyn FnMut(&str, bool) -> bool,
    ) -> Result<()> {
        let mut count = 0u64;
        let mut last_host = String::new();
        let wrong = read_lines(file, &mut |line| {
            match line {
                LineOf::Url(found) if wanted(found.url.host(), false) => {
                    self.add(&found)?;
                }
                LineOf::Done { host, key } if wanted(&host, true) => {
                    self.frontier.mark_done(&host, key)?;
                    if host != last_host {
                        // From now on the host is one that something is known of, and is handed on with that.
                        self.frontier.change_host(&host, &mut |_| ())?;
                        last_host = host;
                    }
                }
                _ => return Ok(()),
            }
            count += 1;
            if count.is_multiple_of(LINES) {
                self.commit()?;
                self.sign_of_life()?;
            }
            Ok(())
        })?;
        for _ in 0..wrong {
            self.totals.refused.add("exchange-unreadable");
        }
        Ok(())
    }

    /// Takes over what the gone have left, then what is new here may be asked for.
    fn take_over(&mut self, import: &Import) -> Result<()> {
        self.read_inbox()?;
        if !import.files.is_empty()
            && let Some(exchange) = &mut self.exchange
        {
            exchange.wake()?;
        }
        // What is done first, so that nothing of it is queued.
        for done in [true, false] {
            for file in &import.files {
                self.read_file(file, &mut |host, is_done| is_done == done && import.wants(host))?;
            }
        }
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        let standing = exchange.settling().clone();
        self.note_standing(&standing)?;
        self.commit()?;
        // Nobody here knows when those before asked the hosts that are new.
        self.wall_ms_of_settling = self.now_ms();
        self.exchange.as_mut().map_or(Ok(()), Exchange::settle)
    }

    /// Others have taken over: what waits here is forgotten, and the agent joins as a new one.
    fn forget_queue(&mut self) -> Result<()> {
        for lease in self.robots_redirects.take_leases() {
            self.frontier.release(lease, After::Keep)?;
        }
        if self.requests.in_flight > 0 {
            // Their answers are kept, and known as done here; others may ask once more.
            return Ok(());
        }
        self.commit()?;
        let mut after = String::new();
        loop {
            let hosts = self.frontier.hosts_behind(&after, HOSTS)?;
            let Some(last) = hosts.last() else { break };
            after.clone_from(last);
            for host in &hosts {
                self.frontier.take_host(host)?;
            }
            // Nothing of this is entered: it is no news for anybody.
            self.commit()?;
        }
        let Some(exchange) = &mut self.exchange else { return Ok(()) };
        exchange.begin_life();
        let standing = exchange.standing().clone();
        self.note_standing(&standing)?;
        self.commit()
    }

    fn note_standing(&mut self, standing: &Standing) -> Result<()> {
        let bytes = serde_json::to_vec(standing)
            .map_err(|e| Error::Internal(format!("standing of an agent: {e}")))?;
        self.frontier.set_note(NOTE, &bytes);
        Ok(())
    }

    /// When a host may be asked whose agent was another one perhaps, ms.
    pub(super) fn settled_ms(&self) -> i64 {
        self.wall_ms_of_settling
    }
}
