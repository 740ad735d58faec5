//! Who belongs, whose a host is, and what may be asked for now: the protocol of the module above, without the frontier.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use crate::agents::{AgentsOptions, Ring};
use crate::exchange::folder::{
    Heartbeat, Member, Shared, View, check_name, default_name, files_in, home_of, write_as_whole,
};
use crate::exchange::lines;
use crate::frontier::Entered;
use webmill_capture::error::{AtPath, Error, Result};

/// Bytes of a file of the log.
const LOG_BYTES: u64 = 64 << 20;

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

/// What is to be taken over.
#[derive(Debug, Clone, PartialEq)]
pub struct Import {
    /// Files of logs and inboxes of the gone.
    pub files: Vec<PathBuf>,
    rings: Vec<Ring>,
    held_from: Option<usize>,
    gone: Vec<String>,
    name: String,
}

impl Import {
    /// Whether a host is to be taken over.
    pub fn wants(&self, host: &str) -> bool {
        let Some((now, before)) = self.rings.split_last() else { return false };
        if now.agent_of(host) != self.name {
            return false;
        }
        let was_theirs = before.iter().any(|ring| self.gone.iter().any(|name| name == ring.agent_of(host)));
        let held = self
            .held_from
            .is_some_and(|from| before.iter().skip(from).all(|ring| ring.agent_of(host) == self.name));
        was_theirs && !held
    }
}

/// What is known of another agent.
struct Peer {
    heartbeat: Heartbeat,
    /// When the heartbeat was seen to change last.
    changed: Instant,
}

/// An agent's part in the exchange.
pub struct Exchange {
    shared: Shared,
    name: String,
    timeout: Duration,
    virtual_nodes: u32,
    hash_seed: u64,
    standing: Standing,
    heartbeat: Heartbeat,
    peers: HashMap<String, Peer>,
    view: Option<View>,
    /// Rings of the views that are adopted and not settled in, the last one settled in before them.
    rings: Vec<Ring>,
    /// Whether it has settled in a view since it was opened.
    open: bool,
    /// Whether it has handed over what is others' since it was opened.
    handed: bool,
    last_beat: Option<(Instant, SystemTime)>,
    /// Nothing is asked for before: a sign of life came late.
    hold_until: Option<Instant>,
    looked: Option<Instant>,
    files: u64,
    outgoing: BTreeMap<String, Vec<u8>>,
    log: Option<(std::fs::File, PathBuf, u64)>,
    log_number: u64,
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
            timeout: Duration::from_millis(options.timeout_ms),
            virtual_nodes: options.virtual_nodes,
            hash_seed,
            standing,
            heartbeat,
            peers: HashMap::new(),
            view: None,
            rings: Vec::new(),
            open: false,
            handed: false,
            last_beat: None,
            hold_until: None,
            looked: None,
            files: 0,
            outgoing: BTreeMap::new(),
            log: None,
            log_number: 0,
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
        self.open
            && self.silence() < self.timeout
            && self.hold_until.is_none_or(|until| Instant::now() >= until)
    }

    /// Whether requests on their way must be broken off: another may ask their hosts now.
    pub fn lease_is_over(&self) -> bool {
        self.last_beat.is_some() && self.silence() >= self.timeout * 7 / 4
    }

    /// Since the last sign of life; by both clocks, for one of them stands still while a machine sleeps.
    fn silence(&self) -> Duration {
        match self.last_beat {
            None => Duration::MAX,
            Some((at, wall)) => at.elapsed().max(wall.elapsed().unwrap_or_default()),
        }
    }

    fn interval(&self) -> Duration {
        (self.timeout / 40).clamp(Duration::from_millis(10), Duration::from_secs(1))
    }

    /// Whether it is time to look around.
    pub fn is_due(&self) -> bool {
        self.looked.is_none_or(|at| at.elapsed() >= self.interval())
    }

    /// Looks around, gives a sign of life, and says what is to be done. What waits to be sent must be sent before.
    ///
    /// # Errors
    /// [`Error::Config`] where agents differ in what must be equal; [`Error::Corrupt`], [`Error::Io`].
    pub fn look(&mut self) -> Result<Next> {
        self.looked = Some(Instant::now());
        if self.silence() >= self.timeout / 6 {
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

    fn me(&self) -> Member {
        Member { name: self.name.clone(), life: self.standing.life }
    }

    fn view_of(&self, number: u64) -> Result<View> {
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

    fn ring_of(&self, view: &View) -> Result<Ring> {
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

    /// What a member says of itself in this life.
    fn stands(&self, member: &Member, says: impl Fn(&Heartbeat) -> bool) -> bool {
        if member.name == self.name {
            return says(&self.heartbeat);
        }
        self.peers.get(&member.name).is_some_and(|p| p.heartbeat.life == member.life && says(&p.heartbeat))
    }

    fn is_silent(&self, member: &Member) -> bool {
        member.name != self.name
            && self.peers.get(&member.name).is_none_or(|p| p.changed.elapsed() >= self.timeout * 2)
    }

    /// Whether an agent that was left out asks for nothing any more: silent for as long as its lease, or in another life.
    fn has_stopped(&self, member: &Member) -> bool {
        self.is_silent(member)
            || self.peers.get(&member.name).is_some_and(|p| p.heartbeat.life > member.life)
            || (member.name == self.name && self.standing.life > member.life)
    }

    fn import(&self, view: &View) -> Result<Import> {
        let mut files = Vec::new();
        for member in &view.gone {
            files.extend(files_in(&self.shared.log(member))?);
            files.extend(files_in(&self.shared.inbox(member))?);
        }
        let settled = self.standing.settled;
        let from = match settled {
            0 => view.base,
            _ => view.base.min(settled),
        };
        let first = from.max(1);
        let mut rings = Vec::new();
        for number in first..=view.number {
            rings.push(self.ring_of(&self.view_of(number)?)?);
        }
        Ok(Import {
            files,
            rings,
            held_from: (settled > 0)
                .then(|| usize::try_from(settled.max(first) - first).unwrap_or(usize::MAX)),
            gone: view.gone.iter().map(|m| m.name.clone()).collect(),
            name: self.name.clone(),
        })
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
        (self.view, self.open, self.handed, self.log) = (None, false, false, None);
        self.rings.clear();
        self.outgoing.clear();
        self.heartbeat.life = self.standing.life;
        (self.heartbeat.acked, self.heartbeat.settled) = (0, 0);
        self.last_beat = None;
    }

    fn meet_peers(&mut self) -> Result<()> {
        for name in self.shared.agents()? {
            if name == self.name {
                continue;
            }
            let Some(heartbeat) = self.shared.heartbeat(&name)? else { continue };
            match self.peers.get_mut(&name) {
                Some(peer) => {
                    if peer.heartbeat != heartbeat {
                        (peer.heartbeat, peer.changed) = (heartbeat, Instant::now());
                    }
                }
                None => _ = self.peers.insert(name, Peer { heartbeat, changed: Instant::now() }),
            }
        }
        Ok(())
    }

    /// Whether all members took over what is theirs.
    fn is_complete(&self, view: &View) -> bool {
        let at_home = |h: &Heartbeat| h.acked >= view.number && h.settled >= view.number;
        view.members.iter().all(|m| self.stands(m, at_home))
    }

    fn propose_joining(&mut self, view: Option<&View>) -> Result<()> {
        if self.last_beat.is_none() {
            self.beat()?;
        }
        let mut members = match view {
            None => Vec::new(),
            Some(view) if self.is_complete(view) => view.members.clone(),
            // Those that are silent are left out first, by whoever belongs; by us where nobody does any more.
            Some(view) => return self.propose_changes(view),
        };
        let number = view.map_or(0, |view| view.number);
        members.retain(|m| m.name != self.name);
        members.push(self.me());
        members.sort();
        // One of that name in an earlier life was left out by a view before: else it would belong.
        self.propose(View { number: number + 1, base: number, members, gone: Vec::new(), ..self.blank() })
    }

    fn blank(&self) -> View {
        View {
            number: 0,
            base: 0,
            members: Vec::new(),
            gone: Vec::new(),
            virtual_nodes: self.virtual_nodes,
            hash_seed: self.hash_seed,
        }
    }

    /// Leaves out who is silent, once all others have acknowledged the view.
    fn propose_changes(&mut self, view: &View) -> Result<()> {
        let (gone, mut members): (Vec<Member>, Vec<Member>) = view
            .members
            .iter()
            .cloned()
            .partition(|m| self.is_silent(m) || (m.name == self.name && *m != self.me()));
        if gone.is_empty() || !members.iter().all(|m| self.stands(m, |h| h.acked >= view.number)) {
            return Ok(());
        }
        // Who has ended at the common end has nothing that waits: it is missed when something does.
        let mut missed = !self.heartbeat.idle;
        for member in &gone {
            missed |= !self.stands(member, |h| h.done) || !files_in(&self.shared.inbox(member))?.is_empty();
        }
        if !missed {
            return Ok(());
        }
        let complete = self.is_complete(view);
        let base = if complete { view.number } else { view.base };
        let mut all_gone = if complete { Vec::new() } else { view.gone.clone() };
        all_gone.extend(gone);
        if members.is_empty() {
            // Nobody is left but us, who join.
            members.push(self.me());
        }
        self.propose(View { number: view.number + 1, base, members, gone: all_gone, ..self.blank() })
    }

    fn propose(&mut self, view: View) -> Result<()> {
        // Whoever has been silent itself may have been left out, and has no say.
        if self.silence() < self.timeout {
            self.shared.propose(&view)?;
        }
        Ok(())
    }

    /// Gives a sign of life.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn beat(&mut self) -> Result<()> {
        let late = self.last_beat.is_some() && self.silence() >= self.timeout;
        let (at, wall) = (Instant::now(), SystemTime::now());
        self.heartbeat.beat += 1;
        self.heartbeat.at_ms = crate::control::wall_clock_ms();
        self.heartbeat.lease_ms = self.heartbeat.at_ms + 2 * self.timeout.as_millis() as i64;
        self.shared.beat(&self.name, &self.heartbeat)?;
        self.last_beat = Some((at, wall));
        if late {
            // Others may be about to leave it out: that is known by then.
            self.hold_until = Some(at + self.timeout);
        }
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

    /// Nothing waits here: whether that is so everywhere, and the crawl at its end.
    ///
    /// # Errors
    /// [`Error::Corrupt`], [`Error::Io`].
    pub fn is_over(&mut self) -> Result<bool> {
        let Some(view) = self.view.clone() else { return Ok(false) };
        if !self.open || self.heartbeat.settled < view.number || !self.outgoing.is_empty() {
            return Ok(false);
        }
        if !self.heartbeat.idle {
            self.heartbeat.idle = true;
            self.beat()?;
        }
        let Some(before) = self.all_idle(&view)? else { return Ok(false) };
        for member in &view.members {
            if !files_in(&self.shared.inbox(member))?.is_empty() {
                return Ok(false);
            }
        }
        let over = self.all_idle(&view)? == Some(before) && self.shared.newest(view.number)? == view.number;
        if over {
            self.heartbeat.done = true;
            self.beat()?;
        }
        Ok(over)
    }

    /// Counts of activity, where all members are idle.
    fn all_idle(&mut self, view: &View) -> Result<Option<Vec<u64>>> {
        self.meet_peers()?;
        let idle = |h: &Heartbeat| h.idle && h.acked >= view.number && h.settled >= view.number;
        if !view.members.iter().all(|m| self.stands(m, idle)) {
            return Ok(None);
        }
        let of = |m: &Member| self.peers.get(&m.name).map_or(0, |p| p.heartbeat.activity);
        Ok(Some(view.members.iter().map(of).collect()))
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
        self.outgoing.entry(agent.to_owned()).or_default()
    }

    /// Bytes that wait to be sent.
    pub fn outgoing_bytes(&self) -> usize {
        self.outgoing.values().map(Vec::len).sum()
    }

    /// Writes what was entered and sends what waits: before the frontier is committed.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&mut self, ledger: &[Entered]) -> Result<()> {
        self.write_log(ledger)?;
        let outgoing = std::mem::take(&mut self.outgoing);
        for (agent, bytes) in outgoing.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
            let member = self.view.as_ref().and_then(|view| view.members.iter().find(|m| m.name == agent));
            let member = member
                .ok_or_else(|| Error::Internal(format!("URLs for agent {agent}, who does not belong")))?;
            self.files += 1;
            let name = format!("{}-{:016x}-{:010}.jsonl", self.name, self.heartbeat.process, self.files);
            write_as_whole(&self.shared.inbox(member).join(name), &bytes)?;
        }
        Ok(())
    }

    fn write_log(&mut self, ledger: &[Entered]) -> Result<()> {
        use std::io::Write;
        if ledger.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(128 * ledger.len());
        for entered in ledger {
            lines::push_entered(&mut bytes, entered)?;
        }
        if self.log.as_ref().is_none_or(|(_, _, written)| *written > LOG_BYTES) {
            let folder = self.shared.log(&self.me());
            std::fs::create_dir_all(&folder).at(&folder)?;
            self.log_number += 1;
            let name = format!("{:016x}-{:06}.jsonl", self.heartbeat.process, self.log_number);
            let path = folder.join(name);
            self.log = Some((std::fs::File::create(&path).at(&path)?, path, 0));
        }
        if let Some((file, path, written)) = &mut self.log {
            file.write_all(&bytes).at(&*path)?;
            *written += bytes.len() as u64;
        }
        Ok(())
    }
}
