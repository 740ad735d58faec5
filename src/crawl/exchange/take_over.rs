//! Taking over what agents have left that are gone.

use std::path::PathBuf;

use crate::agents::Ring;
use crate::exchange::folder::{View, files_in};
use crate::exchange::membership::Exchange;
use webmill_capture::error::Result;

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

impl Exchange {
    /// What of a view's gone is this agent's now.
    pub(super) fn import(&self, view: &View) -> Result<Import> {
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
}
