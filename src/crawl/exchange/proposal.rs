//! Proposing the next view: to join, or to leave out who is silent. The first proposal of a number is the view.

use crate::exchange::folder::{Member, View, files_in};
use crate::exchange::membership::Exchange;
use webmill_capture::error::Result;

impl Exchange {
    /// Proposes a view that it belongs to.
    pub(super) fn propose_joining(&mut self, view: Option<&View>) -> Result<()> {
        if self.lease.is_new() {
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
    pub(super) fn propose_changes(&mut self, view: &View) -> Result<()> {
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
        if self.lease.is_current() {
            self.shared.propose(&view)?;
        }
        Ok(())
    }
}
