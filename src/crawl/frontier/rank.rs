//! The order of the queue: sixteen bytes that sort as the strategy wants.
//!
//! High half: what the strategy compares. Low half: the order of adding, so that no two entries rank alike.
//!
//! | strategy | high half, ascending |
//! |---|---|
//! | breadth | depth, counted from 1 |
//! | depth | number of the page that links, newest first |
//! | best, focused | priority or score, highest first |
//!
//! What a page needs to be shown comes before all pages, in the order of adding.

/// The order of an entry; the lowest is fetched first.
pub(super) type Rank = u128;

/// A rank of its two halves.
pub(super) fn rank(class: u64, sequence: u64) -> Rank {
    (u128::from(class) << 64) | u128::from(sequence)
}

/// What the strategy compares.
pub(super) fn class(rank: Rank) -> u64 {
    (rank >> 64) as u64
}

/// Order of adding.
pub(super) fn sequence(rank: Rank) -> u64 {
    rank as u64
}

/// Class of a priority: the higher the priority, the lower the class. Anything that is no number comes last.
pub(super) fn class_of(priority: f64) -> u64 {
    let priority = if priority.is_nan() { f64::NEG_INFINITY } else { priority + 0.0 };
    let bits = priority.to_bits();
    let ascending = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    !ascending
}

/// The priority of [`class_of`].
pub(super) fn priority_of(class: u64) -> f64 {
    let ascending = !class;
    f64::from_bits(if ascending >> 63 == 1 { ascending & !(1 << 63) } else { !ascending })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_priorities_rank_first() {
        let falling = [f64::INFINITY, 1e300, 2.0, 1.5, 1e-300, 0.0, -1e-300, -1.0, -7e9, f64::NEG_INFINITY];
        for pair in falling.windows(2) {
            assert!(class_of(pair[0]) < class_of(pair[1]), "{pair:?}");
        }
        for priority in falling {
            assert_eq!(priority_of(class_of(priority)).to_bits(), priority.to_bits());
        }
        assert_eq!(class_of(-0.0), class_of(0.0));
        assert_eq!(class_of(f64::NAN), class_of(f64::NEG_INFINITY));
        assert_eq!((class(rank(7, 9)), sequence(rank(7, 9))), (7, 9));
        assert!(rank(1, u64::MAX) < rank(2, 0));
    }
}
