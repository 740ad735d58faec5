//! Who belongs, whose a host is, and what may be asked for now: the protocol of the module above, without the frontier.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::agents::{AgentsOptions, Ring};
use crate::exchange::folder::{Heartbeat, Member, Shared, View, check_name, default_name, files_in, home_of};
use crate::exchange::lease::Lease;
use crate::exchange::outgoing::Outgoing;
use crate::exchange::peers::Peer;
use crate::exchange::take_over::Import;
use crate::frontier::Entered;
use webmill_capture::error::{AtPath, Error, Result};

/// What outlives the process: a note of the frontier.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Standing {
    /// The life that it is in; 0: it never was there.
    pub life: u64,
    /// Whether it belonged in this life.
    pub joined: bool,
    /// The view that it has settled in; 0: none in this life.
    pub settled: u64,
}

/// What the engine is to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// Nothing new.
    Nothing,
    /// Others have what waits here: forget it, then [`Exchange::begin_life`].
    Forget,
    /// Hand over all hosts that are others', then [`Exchange::handed_over`].
    HandOver,
    /// Take over what the gone have left, all inboxes read before; then [`Exchange::settle`].
    Settle(Import),
}

/// An agent's part in the exchange.
pub struct Exchange {
    pub(super) shared: Shared,
    pub(super) name: String,
    pub(super) lease: Lease,
    pub(super) virtual_nodes: u32,
    pub(super) hash_seed: u64,
    pub(super) standing: Standing,
    pub(super) heartbeat: Heartbeat,
    pub(super) peers: HashMap<String, Peer>,
    pub(super) view: Option<View>,
    /// Rings of the views that are adopted and not settled in, the last one settled in before them.
    rings: Vec<Ring>,
    /// Whether it has settled in a view since it was opened.
    pub(super) open: bool,
    /// Whether it has handed over what is others' since it was opened.
    handed: bool,
    looked: Option<Instant>,
    pub(super) outgoing: Outgoing,
}

impl Exchange {
    /// Takes part in the exchange in `folder`, as the frontier's note says of earlier lives.
    ///
    /// # Errors
    /// [`Error::Config`] where the name is taken or agents differ in what must be equal; [`Error::Io`].
    pub fn open(
        folder: &Path,
        crawl: &Path,
        options: &AgentsOptions,
        hash_seed: u64,
        standing: Standing,
    ) -> Result<Exchange> {
        let name = options.name.clone().unwrap_or_else(|| default_name(crawl));
        check_name(&name)?;
        std::fs::create_dir_all(folder).at(folder)?;
        let shared = Shared(folder.to_path_buf());
        let before = shared.heartbeat(&name)?;
        let home = home_of(crawl);
        if let Some(before) = before.as_ref().filter(|before| before.home != home) {
            return Err(Error::Config(format!(
                "{}: agent {name} is at home in another crawl folder (life {}); give this one another name",
                folder.display(),
                before.life
            )));
        }
        let known = before.as_ref().map_or(0, |before| before.life);
        // A folder that was begun anew is not to take up an old life: others have what that knew.
        let standing = if standing.life == 0 || standing.life < known {
            Standing { life: known + 1, ..Standing::default() }
        } else {
            standing
        };
        let process = u64::from(std::process::id()) << 32
            ^ SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64);
        let same = before.filter(|before| before.life == standing.life).unwrap_or_default();
        let heartbeat = Heartbeat {
            life: standing.life,
            process,
            home,
            acked: same.acked,
            settled: standing.settled,
            activity: same.activity + 1,
            ..Heartbeat::default()
        };
        Ok(Exchange {
            shared,
            name,
            lease: Lease::new(Duration::from_millis(options.timeout_ms)),
            virtual_nodes: options.virtual_nodes,
            hash_seed,
            standing,
            heartbeat,
            peers: HashMap::new(),
            view: None,
            rings: Vec::new(),
            open: false,
            handed: false,
            looked: None,
            outgoing: Outgoing::new(process),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is to be noted in the frontier.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The agent that a host belongs to, if that is another one.
    pub fn other_owner(&self, host: &str) -> Option<&str> {
        let owner = self.rings.last()?.agent_of(host);
        (owner != self.name).then_some(owner)
    }

    /// The agent that a host belongs to, if that is another one now and was this one.
    pub fn lost_to(&self, host: &str) -> Option<&str> {
        let (_, before) = self.rings.split_last()?;
        if before.iter().any(|ring| ring.agent_of(host) == self.name) { self.other_owner(host) } else { None }
    }

    /// Whether a host may be asked.
    pub fn may_ask(&self, host: &str) -> bool {
        self.may_ask_any() && self.rings.iter().all(|ring| ring.agent_of(host) == self.name)
    }

    /// Whether anything may be asked for.
    pub fn may_ask_any(&self) -> bool {
        self.open && self.lease.holds()
    }

    /// Whether requests on their way must be broken off: another may ask their hosts now.
    pub fn lease_is_over(&self) -> bool {
        self.lease.is_over()
    }

    /// Whether it is time to look around.
    pub fn is_due(&self) -> bool {
        self.looked.is_none_or(|at| at.elapsed() >= self.lease.interval())
    }

    /// Looks around, gives a sign of life, and says what is to be done. What waits to be sent must be sent before.
    ///
    /// # Errors
    /// [`Error::Config`] where agents differ in what must be equal; [`Error::Corrupt`], [`Error::Io`].
    pub fn look(&mut self) -> Result<Next> {
        self.looked = Some(Instant::now());
        if self.lease.is_due() {
            self.beat()?;
        }
        self.meet_peers()?;
        let newest = self.shared.newest(self.view.as_ref().map_or(0, |view| view.number))?;
        if newest == 0 {
            self.propose_joining(None)?;
            return Ok(Next::Nothing);
        }
        let view = self.view_of(newest)?;
        if !view.has(&self.me()) {
            if self.standing.joined {
                self.open = false;
                return Ok(Next::Forget);
            }
            self.propose_joining(Some(&view))?;
            return Ok(Next::Nothing);
        }
        if self.view.as_ref().is_none_or(|known| known.number < newest) {
            self.adopt(view)?;
        }
        self.next()
    }

    pub(super) fn me(&self) -> Member {
        Member { name: self.name.clone(), life: self.standing.life }
    }

    pub(super) fn view_of(&self, number: u64) -> Result<View> {
        let view = self.shared.view(number)?.ok_or_else(|| {
            Error::corrupt(&self.shared.0, 0, format!("view {number} of the exchange cannot be read"))
        })?;
        if (view.virtual_nodes, view.hash_seed) != (self.virtual_nodes, self.hash_seed) {
            return Err(Error::Config(format!(
                "{}: the agents there have {} virtual nodes and seed {}; all must have the same",
                self.shared.0.display(),
                view.virtual_nodes,
                view.hash_seed
            )));
        }
        Ok(view)
    }

    pub(super) fn ring_of(&self, view: &View) -> Result<Ring> {
        let agents: Vec<(&str, u32)> =
            view.members.iter().map(|m| (m.name.as_str(), self.virtual_nodes)).collect();
        Ring::new(&agents)
    }

    fn adopt(&mut self, view: View) -> Result<()> {
        if self.rings.is_empty() && (1..view.number).contains(&self.standing.settled) {
            // What it lost while it was not there is still to be handed over.
            self.rings.push(self.ring_of(&self.view_of(self.standing.settled)?)?);
        }
        self.handed = false;
        self.rings.push(self.ring_of(&view)?);
        self.standing.joined = true;
        self.view = Some(view);
        Ok(())
    }

    fn next(&mut self) -> Result<Next> {
        let Some(view) = self.view.clone() else { return Ok(Next::Nothing) };
        if self.heartbeat.acked < view.number || !self.handed {
            return Ok(Next::HandOver);
        }
        if !self.open || self.heartbeat.settled < view.number {
            let acked = view.members.iter().all(|m| self.stands(m, |h| h.acked >= view.number));
            let dead = view.gone.iter().all(|m| self.has_stopped(m));
            if acked && dead {
                return self.import(&view).map(Next::Settle);
            }
        }
        self.propose_changes(&view)?;
        Ok(Next::Nothing)
    }

    /// All that is others' was handed over, and nothing of it is on its way.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn handed_over(&mut self) -> Result<()> {
        self.heartbeat.acked = self.view.as_ref().map_or(0, |view| view.number);
        self.handed = true;
        self.beat()
    }

    /// All that is its own is here: what it has noted of that is committed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn settle(&mut self) -> Result<()> {
        let settled = self.standing.settled;
        self.heartbeat.settled = settled;
        let keep = self.rings.len().saturating_sub(1);
        self.rings.drain(..keep);
        self.open = true;
        self.beat()
    }

    /// The standing that [`Exchange::settle`] will make of it, to be committed before.
    pub fn settling(&mut self) -> &Standing {
        self.standing.settled = self.view.as_ref().map_or(0, |view| view.number);
        &self.standing
    }

    /// Begins another life: what waited is forgotten, and nothing is on its way.
    pub fn begin_life(&mut self) {
        self.standing = Standing { life: self.standing.life + 1, ..Standing::default() };
        (self.view, self.open, self.handed) = (None, false, false);
        self.rings.clear();
        self.outgoing.begin_life();
        self.heartbeat.life = self.standing.life;
        (self.heartbeat.acked, self.heartbeat.settled) = (0, 0);
        self.lease.forget();
    }

    /// Gives a sign of life.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn beat(&mut self) -> Result<()> {
        let (at, wall) = (Instant::now(), SystemTime::now());
        let late = !self.lease.is_new() && !self.lease.is_current();
        self.heartbeat.beat += 1;
        self.heartbeat.at_ms = crate::control::wall_clock_ms();
        self.heartbeat.lease_ms = self.heartbeat.at_ms + self.lease.length_ms();
        self.shared.beat(&self.name, &self.heartbeat)?;
        self.lease.renew((at, wall), late);
        Ok(())
    }

    /// Says that it has something to do, before it does it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn wake(&mut self) -> Result<()> {
        if self.heartbeat.idle || self.heartbeat.done {
            (self.heartbeat.idle, self.heartbeat.done) = (false, false);
            self.heartbeat.activity += 1;
            self.beat()?;
        }
        Ok(())
    }

    /// Files that others have left for it, in order.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn inbox(&self) -> Result<Vec<PathBuf>> {
        files_in(&self.shared.inbox(&self.me()))
    }

    /// Lines that wait to be sent to an agent.
    pub fn outgoing(&mut self, agent: &str) -> &mut Vec<u8> {
        self.outgoing.lines_for(agent)
    }

    /// Bytes that wait to be sent.
    pub fn outgoing_bytes(&self) -> usize {
        self.outgoing.bytes()
    }

    /// Writes what was entered and sends what waits: before the frontier is committed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&mut self, ledger: &[Entered]) -> Result<()> {
        let me = self.me();
        self.outgoing.write_log(&self.shared, &me, ledger)?;
        self.outgoing.send(&self.shared, self.view.as_ref(), &self.name)
    }
}
