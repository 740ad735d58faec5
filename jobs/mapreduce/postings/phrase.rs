//! Texts that hold terms one behind the other.

use webmill_capture::Result;

use super::cursor::{Cursor, TermCursor};

/// The texts in which the terms of these cursors stand one behind the other, in this order, with how often; `offsets` are their places in the
/// phrase, from 0. A term that the phrase has twice has a cursor twice.
///
/// **Cost.** The rarest term leads; of the others the blocks that may hold its texts are decoded.
///
/// # Errors
/// [`webmill_capture::Error::Corrupt`].
pub fn phrase(terms: &mut [TermCursor<'_>]) -> Result<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    let Some(lead) = (0..terms.len()).min_by_key(|n| terms[*n].texts()) else { return Ok(found) };
    let (mut starts, mut places) = (Vec::new(), Vec::new());
    loop {
        let number = terms[lead].number();
        if number == u32::MAX {
            return Ok(found);
        }
        let mut next = number;
        for term in terms.iter_mut() {
            term.seek(number)?;
            next = next.max(term.number());
        }
        if next > number {
            if next == u32::MAX {
                return Ok(found);
            }
            terms[lead].seek(next)?;
            continue;
        }
        for (offset, term) in (0u32..).zip(terms.iter()) {
            term.positions(&mut places)?;
            let begins = places.iter().filter_map(|place| place.checked_sub(offset));
            if offset == 0 {
                starts = begins.collect();
            } else {
                let begins: Vec<u32> = begins.collect();
                starts.retain(|start: &u32| begins.binary_search(start).is_ok());
            }
        }
        if !starts.is_empty() {
            found.push((number, starts.len() as u32));
        }
        terms[lead].seek(number + 1)?;
    }
}
