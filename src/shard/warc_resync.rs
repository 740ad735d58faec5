//! The way back to a record head after damage: in the member at hand, else in the next that begins with one.

use crate::member::Step;
use crate::warc_frame::Start;
use webmill_capture::error::{Error, Result};

use super::{Walk, begins, find, starts, starts_here};

impl Walk {
    /// Goes to the next record head after damage. `false`: there is none.
    pub(super) fn resync(&mut self) -> Result<bool> {
        let format = self.format;
        let mut dropped = 0;
        let mut fresh = true;
        loop {
            if self.members.is_broken() {
                if !self.members.find(|bytes| begins(format, bytes))? {
                    return Ok(false);
                }
                self.damaged = None;
                if (self.grow()? || self.damaged.is_some()) && self.head_at_start() {
                    return Ok(true);
                }
                continue;
            }
            let ended = self.members.member_ended();
            // Byte 0 was looked at before, unless something new starts there.
            let from = usize::from(!fresh && !self.members.window().is_empty());
            match find(format, self.members.window(), from, ended) {
                Ok(at) => {
                    self.members.consume(at as u64);
                    return Ok(true);
                }
                Err(seen) => {
                    fresh = starts(format, &self.members.window()[seen..], false) == Start::More
                        && (seen == 0 && fresh
                            || seen > 0 && matches!(self.members.window()[seen - 1], b'\n' | 0));
                    dropped += seen as u64;
                    self.members.consume(seen as u64);
                }
            }
            if self.members.over_budget(dropped) {
                self.members.give_up();
                dropped = 0;
                continue;
            }
            if !self.grow()? {
                if self.members.is_broken() {
                    continue;
                }
                return Ok(false);
            }
            fresh |= self.members.starts_member();
        }
    }

    /// More bytes, from the next member if need be. Damage met while searching is the damage already reported, or is kept for the
    /// record that it is in: only a failing read is an error here. `false`: broken or at the end.
    fn grow(&mut self) -> Result<bool> {
        let step = match self.members.more() {
            Ok(Step::End) if !self.members.is_broken() => self.members.next_member(),
            Ok(step) => Ok(step == Step::Data),
            Err(e) => Err(e),
        };
        match step {
            Ok(grown) => Ok(grown),
            Err(e @ Error::Io { .. }) => Err(e),
            Err(error) => {
                self.damaged = Some(error).filter(|_| !self.members.was_cut());
                Ok(false)
            }
        }
    }

    fn head_at_start(&mut self) -> bool {
        loop {
            match starts_here(self.format, self.members.window(), self.members.member_ended()) {
                Start::Yes => return true,
                Start::No => return false,
                Start::More => {}
            }
            match self.members.more() {
                Ok(Step::Data) => {}
                Ok(Step::End) => return starts_here(self.format, self.members.window(), true) == Start::Yes,
                Err(error) => {
                    let failed = matches!(error, Error::Io { .. });
                    let keeper = if failed { &mut self.failed } else { &mut self.damaged };
                    *keeper = Some(error).filter(|_| failed || !self.members.was_cut());
                    return starts_here(self.format, self.members.window(), true) == Start::Yes;
                }
            }
        }
    }
}
