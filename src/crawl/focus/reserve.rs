//! Links of tunnels that are too long for now.

use super::actions::Action;
use super::kernel::{Focus, LINK, WINDOW};
use super::state::{LinkState, Place, Url, key, load, save};
use super::store::Store;
use webmill_capture::error::{Error, Result};

/// Links that come in from the reserve at once, at most.
const MAX_RELEASED: u64 = 10_000;
/// Their keys, read in order.
const RESERVE: u8 = b'r';

impl Focus {
    /// Whether harvest fell so low that the reserve is asked.
    pub(super) fn is_low(&self) -> bool {
        let counts = &self.meta.counts;
        counts.window == WINDOW as u64
            && counts.reserved > 0
            && self.meta.since_release >= WINDOW as u64
            && counts.harvest_now() < counts.harvest() / 2.0
    }

    /// The best hundredth of the reserve comes in.
    ///
    /// # Errors
    /// Those of the store.
    pub fn release(&mut self, store: &mut dyn Store) -> Result<Vec<Action>> {
        self.meta.since_release = 0;
        let most = self.meta.counts.reserved.div_ceil(100).min(MAX_RELEASED);
        let mut actions = Vec::new();
        for (at, value) in store.first(RESERVE, most as usize)? {
            store.remove(&at);
            self.meta.counts.reserved = self.meta.counts.reserved.saturating_sub(1);
            let kept: (Url, Vec<u8>) = postcard::from_bytes(&value)
                .map_err(|_| Error::Internal("what a reserve holds cannot be read".into()))?;
            let Some(mut link) = load::<LinkState>(store, &key(LINK, &kept.0))? else { continue };
            link.place = Place::Queued;
            save(store, &key(LINK, &kept.0), &link)?;
            self.meta.counts.released += 1;
            actions.push(Action::Release { payload: kept.1, url: link.url, score: link.score });
        }
        Ok(actions)
    }
}

/// Descending by score, then ascending by number.
pub(super) fn reserve_key(score: f32, number: u64) -> Vec<u8> {
    let mut bytes = (!score.max(0.0).to_bits()).to_be_bytes().to_vec();
    bytes.extend(number.to_be_bytes());
    key(RESERVE, &bytes)
}
