//! Beginnings of answers that broke off: the longest of each URL waits for its end; what finds no room is counted and said.

use crate::archive::Packed;
use crate::engine::Crawl;
use crate::page::Reading;

impl Crawl {
    /// Keeps what came of an answer of `length` bytes before it broke off; `last`: no other attempt follows. What its event has to
    /// say of it besides.
    pub(super) fn keep_part(
        &mut self,
        url: &str,
        length: u64,
        size: usize,
        part: (Packed, Reading),
        last: bool,
    ) -> String {
        if last {
            // It is stored at once: room is no matter, and none of the others has to go.
            self.longest.offer_last(url, length, part);
            return String::new();
        }
        let lost = self.longest.offer(url, length, size, part);
        if !lost.is_empty() {
            self.totals.lost_parts.add_many("no-room", lost.len() as u64);
        }
        let itself = lost.iter().any(|(other, _)| other == url);
        let others = lost.len() - usize::from(itself);
        let first =
            lost.iter().map(|(other, _)| other.as_str()).find(|other| *other != url).unwrap_or_default();
        match (itself, others) {
            (true, _) => ", which are not kept for want of room".to_owned(),
            (false, 0) => String::new(),
            (false, _) => {
                format!("; for want of room those of {others} others are not kept, {first} among them")
            }
        }
    }

    /// What waited for the ends of its URLs when a run ended: they are asked for again by the next one.
    pub(super) fn drop_parts(&mut self) {
        let lost = self.longest.drain().len() as u64;
        if lost > 0 {
            self.totals.lost_parts.add_many("run-ended", lost);
        }
    }
}
