//! Path segments and parameters that repeat.

use xxhash_rust::xxh3::xxh3_64;

/// Longer segments from which on a path must have different ones.
const MANY: usize = 10;

/// Non-empty segments of a path.
pub(super) fn depth(path: &str) -> usize {
    path.split('/').filter(|segment| !segment.is_empty()).count()
}

/// Whether a segment says something: dates, shards and tile numbers repeat by nature.
fn speaks(segment: &str) -> bool {
    segment.len() >= 3 && !segment.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a run of segments follows itself `limit` times, or long paths have too few different segments.
pub(super) fn segments(path: &str, limit: usize) -> bool {
    if depth(path) < limit.min(MANY) {
        return false;
    }
    let slot = |segment: &str| (xxh3_64(segment.as_bytes()), speaks(segment));
    let slots: Vec<_> = path.split('/').filter(|segment| !segment.is_empty()).take(256).map(slot).collect();
    let n = slots.len();
    for period in 1..=n / limit.max(2) {
        // Places in a row at which a segment is the same as one period before.
        let mut run = 0;
        for at in period..n {
            run = if slots[at].0 == slots[at - period].0 { run + 1 } else { 0 };
            let speaking = slots[at + 1 - period..=at].iter().any(|&(_, speaks)| speaks);
            let least = if speaking { limit } else { limit * 2 };
            if run >= period * (least - 1) {
                return true;
            }
        }
    }
    let mut spoken: Vec<u64> = slots.iter().filter(|(_, speaks)| *speaks).map(|(hash, _)| *hash).collect();
    let all = spoken.len();
    if all < MANY {
        return false;
    }
    spoken.sort_unstable();
    spoken.dedup();
    spoken.len() * 3 <= all
}

/// Whether one parameter with one value occurs `limit` times in a query.
pub(super) fn parameters(query: &str, limit: usize) -> bool {
    if query.bytes().filter(|&b| b == b'&').count() + 1 < limit {
        return false;
    }
    let said = |p: &&str| p.split_once('=').is_some_and(|(_, value)| !value.is_empty());
    let mut hashes: Vec<u64> = query.split('&').filter(said).map(|p| xxh3_64(p.as_bytes())).collect();
    hashes.sort_unstable();
    hashes.chunk_by(|a, b| a == b).any(|equal| equal.len() >= limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn runs_are_found_as_by_brute_force(path in prop::collection::vec(0usize..3, 0..14), limit in 2usize..4) {
            let names = ["abc", "de", "fgh"];
            let text: String = path.iter().map(|&i| format!("/{}", names[i])).collect();
            let mut found = false;
            for start in 0..path.len() {
                for period in 1..=path.len() {
                    let block = &path[start..path.len().min(start + period)];
                    let least = if block.iter().any(|&i| i != 1) { limit } else { limit * 2 };
                    let end = start + period * least;
                    found |= end <= path.len() && path[start..end].chunks(period).all(|c| c == block);
                }
            }
            let spoken: Vec<usize> = path.iter().copied().filter(|&i| i != 1).collect();
            let few = spoken.len() >= MANY; // three names at most: always at most a third
            let distinct = spoken.iter().collect::<std::collections::BTreeSet<_>>().len();
            prop_assert_eq!(segments(&text, limit), found || few && distinct * 3 <= spoken.len());
        }
    }
}
