//! The order in which shapes of a slide are read.

/// Things by rows from top to bottom, and within a row from left to right. A row is made of those that begin at most
/// `tolerance` below its first one; equal places keep their order.
pub(crate) fn by_rows<T>(mut placed: Vec<T>, tolerance: i64, place: impl Fn(&T) -> (i64, i64)) -> Vec<T> {
    placed.sort_by_key(|one| place(one).0);
    let mut row = 0_usize;
    let mut first = None;
    let keyed = placed.into_iter().map(|one| {
        let (top, left) = place(&one);
        if top.saturating_sub(*first.get_or_insert(top)) > tolerance {
            first = Some(top);
            row += 1;
        }
        ((row, left), one)
    });
    let mut keyed = keyed.collect::<Vec<_>>();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_before_columns() {
        let placed = vec![(100, 0, 'c'), (5, 50, 'b'), (0, 60, 'd'), (8, 0, 'a'), (i64::MAX, i64::MIN, 'e')];
        let order = by_rows(placed, 10, |&(top, left, _)| (top, left));
        assert_eq!(order.into_iter().map(|(_, _, name)| name).collect::<String>(), "abdce");
    }
}
