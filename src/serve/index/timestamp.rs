//! The time of a capture as indexes write it: fourteen digits, UTC.

use std::fmt;

/// `YYYYMMDDhhmmss` as a number: `20200131235959`. Orders as time does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:014}", self.0)
    }
}
