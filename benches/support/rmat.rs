//! Random graphs with the skew of the Web, for benchmarks and tests: R-MAT.
//!
//! An arc is drawn by halving the adjacency matrix `scale` times, each time going on in the quadrant that one throw picks,
//! with the probabilities .57, .19, .19 and .05. The arcs are a function of the arguments alone; some are parallel.
//!
//! D. Chakrabarti, Y. Zhan, C. Faloutsos, R-MAT: a recursive model for graph mining, *SDM* (2004),
//! doi:10.1137/1.9781611972740.43.

/// Arcs drawn with one generator.
const CHUNK: usize = 1 << 14;

/// `degree` × 2^`scale` arcs between 2^`scale` nodes; `scale` is at most 31.
pub fn rmat(scale: u32, degree: usize, seed: u64) -> Vec<(u32, u32)> {
    let limits = [0.57, 0.57 + 0.19, 0.57 + 0.19 + 0.19].map(|p| (p * f64::from(1u32 << 31)) as u32);
    let mut arcs = vec![(0, 0); degree << scale];
    for (chunk, arcs) in arcs.chunks_mut(CHUNK).enumerate() {
        let mut state = mix(seed ^ mix(chunk as u64));
        for arc in arcs {
            *arc = draw(scale, &mut state, limits);
        }
    }
    arcs
}

fn draw(scale: u32, state: &mut u64, limits: [u32; 3]) -> (u32, u32) {
    let (mut u, mut v, mut bits) = (0, 0, 0);
    for level in 0..scale {
        if level % 2 == 0 {
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            bits = mix(*state);
        }
        let throw = (bits as u32) >> 1;
        bits >>= 32;
        let quadrant = limits.iter().filter(|&&limit| throw >= limit).count() as u32;
        u = u << 1 | quadrant >> 1;
        v = v << 1 | quadrant & 1;
    }
    (u, v)
}

/// The finalizer of SplitMix64.
fn mix(mut x: u64) -> u64 {
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
