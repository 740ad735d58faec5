//! Arithmetic of features.

use std::sync::LazyLock;

/// Logarithm of `1 + x`; most are of small counts.
pub(super) fn ln(x: f32) -> f32 {
    static COUNTS: LazyLock<[f32; 512]> = LazyLock::new(|| std::array::from_fn(|n| (1.0 + n as f32).ln()));
    let n = x as usize;
    match COUNTS.get(n) {
        Some(&found) if n as f32 == x => found,
        _ => (1.0 + x).ln(),
    }
}

/// A ratio; 0 of nothing.
pub(super) fn per(a: f32, b: f32) -> f32 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// 1 for yes, 0 for no.
pub(super) fn flag(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}
