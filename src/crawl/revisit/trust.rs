//! Whether those who say that a page changed are to be believed: judged by how often they were right lately.

use serde::{Deserialize, Serialize};

/// Judgements that count.
const LAST: u32 = 100;

/// How often a source of claims was right, of the last hundred times that it could be told: the dates of a host's sitemaps
/// and feeds, the validators of its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trust {
    /// One bit a judgement, the newest lowest: 1 is wrong.
    wrong: u128,
    judged: u8,
}

impl Trust {
    /// A claim turned out right or wrong.
    pub fn judge(&mut self, right: bool) {
        self.wrong = (self.wrong << 1 | u128::from(!right)) & ((1 << LAST) - 1);
        self.judged = (self.judged.saturating_add(1)).min(LAST as u8);
    }

    /// Whether it is believed: it was not wrong more often than right.
    pub fn is_believed(&self) -> bool {
        self.wrong() <= self.right()
    }

    /// How often it was wrong, of the last hundred.
    pub fn wrong(&self) -> u32 {
        self.wrong.count_ones()
    }

    /// How often it was right, of the last hundred.
    pub fn right(&self) -> u32 {
        u32::from(self.judged).saturating_sub(self.wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_that_is_wrong_more_often_than_right_is_not_believed_until_it_mends() {
        let mut trust = Trust::default();
        assert!(trust.is_believed());
        trust.judge(false);
        assert!(!trust.is_believed());
        trust.judge(true);
        assert!(trust.is_believed());
        (0..1000).for_each(|_| trust.judge(false));
        assert_eq!((trust.wrong(), trust.right()), (100, 0));
        (0..49).for_each(|_| trust.judge(true));
        assert!(!trust.is_believed());
        trust.judge(true);
        assert!(trust.is_believed());
        assert_eq!((trust.wrong(), trust.right()), (50, 50));
    }
}
