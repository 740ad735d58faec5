//! Kernels in the tests: run in memory, by the two sides that an engine elsewhere calls.

use crate::mapreduce::{MapReduce, map_batch, reduce_sorted};

/// What comes out of `parts` parts; `pages` hands the pages of a split to the function that it is given.
pub fn run<M: MapReduce, S>(
    kernel: &M,
    splits: &[S],
    pages: impl Fn(&S, &mut dyn FnMut(M::Page<'_>)),
    parts: u32,
) -> Vec<Vec<M::Out>> {
    let mut pairs: Vec<(u32, Vec<u8>, Vec<u8>)> = Vec::new();
    for split in splits {
        pages(split, &mut |page| {
            map_batch(kernel, [page], parts, |part, key, value| {
                pairs.push((part, key.to_vec(), value.to_vec()));
            });
        });
    }
    pairs.sort();
    let reduced = |part| {
        let of_part = pairs.iter().filter(|pair| pair.0 == part).map(|pair| (&pair.1, &pair.2));
        let mut made = Vec::new();
        let take = |out| {
            made.push(out);
            Ok(())
        };
        reduce_sorted(kernel, of_part, take).unwrap();
        made
    };
    (0..parts).map(reduced).collect()
}
