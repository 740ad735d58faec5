//! Forms of texts by which titles, names and copies are compared.

use webmill_html::is_wide;

/// Letters and digits of a text, lower-cased: for comparing titles.
pub(crate) fn bare(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    bare_into(text, usize::MAX, &mut out);
    out
}

/// The same into `out`, whose content is replaced; stops once there are `bytes` bytes.
pub(crate) fn bare_into(text: &str, bytes: usize, out: &mut String) {
    out.clear();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !c.is_ascii() && c.is_alphanumeric() {
            out.extend(c.to_lowercase());
        }
        if out.len() >= bytes {
            break;
        }
    }
}

/// A hash of each word of at least four letters, case folded, and of each Han character.
pub(crate) fn each_word(text: &str, mut f: impl FnMut(u64)) {
    const SEED: u64 = 0xcbf2_9ce4_8422_2325;
    let (mut hash, mut letters) = (SEED, 0);
    for c in text.chars().chain([' ']) {
        let kept = if c.is_ascii() { c.is_ascii_alphanumeric() } else { !is_wide(c) && c.is_alphanumeric() };
        if kept {
            let c = if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) };
            hash = (hash ^ u64::from(u32::from(c))).wrapping_mul(0x0100_0000_01b3);
            letters += 1;
            continue;
        }
        if is_wide(c) {
            f(u64::from(u32::from(c)));
        }
        if letters >= 4 {
            f(hash);
        }
        (hash, letters) = (SEED, 0);
    }
}
