//! What is known of the other agents: their signs of life, who is silent, whether all are ready or idle.

use std::time::Instant;

use crate::exchange::folder::{Heartbeat, Member, View, files_in};
use crate::exchange::membership::Exchange;
use webmill_capture::error::Result;

/// What is known of another agent.
pub(super) struct Peer {
    pub heartbeat: Heartbeat,
    /// When the heartbeat was seen to change last.
    pub changed: Instant,
}

impl Exchange {
    /// Reads the signs of life of all others.
    pub(super) fn meet_peers(&mut self) -> Result<()> {
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

    /// What a member says of itself in this life.
    pub(super) fn stands(&self, member: &Member, says: impl Fn(&Heartbeat) -> bool) -> bool {
        if member.name == self.name {
            return says(&self.heartbeat);
        }
        self.peers.get(&member.name).is_some_and(|p| p.heartbeat.life == member.life && says(&p.heartbeat))
    }

    pub(super) fn is_silent(&self, member: &Member) -> bool {
        member.name != self.name
            && self.peers.get(&member.name).is_none_or(|p| p.changed.elapsed() >= self.lease.timeout() * 2)
    }

    /// Whether an agent that was left out asks for nothing any more: silent for as long as its lease, or in another life.
    pub(super) fn has_stopped(&self, member: &Member) -> bool {
        self.is_silent(member)
            || self.peers.get(&member.name).is_some_and(|p| p.heartbeat.life > member.life)
            || (member.name == self.name && self.standing.life > member.life)
    }

    /// Whether all members took over what is theirs.
    pub(super) fn is_complete(&self, view: &View) -> bool {
        let at_home = |h: &Heartbeat| h.acked >= view.number && h.settled >= view.number;
        view.members.iter().all(|m| self.stands(m, at_home))
    }

    /// Nothing waits here: whether that is so everywhere, and the crawl at its end.
    ///
    /// # Errors
    /// [`webmill_capture::error::Error::Corrupt`], [`webmill_capture::error::Error::Io`].
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
}
