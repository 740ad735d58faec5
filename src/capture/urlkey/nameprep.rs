//! Names of hosts beyond ASCII, by IDNA 2003 (RFC 3490, 3491, 3492), as the reference has them.

use unicode_normalization::UnicodeNormalization;

/// The host with its labels in ASCII; `None` where a label cannot be.
pub(super) fn to_ascii(host: &str) -> Option<String> {
    if host.is_empty() {
        return Some(String::new());
    }
    let mut labels: Vec<&str> = host.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).collect();
    // The dot of the root.
    let rooted = labels.len() > 1 && labels.last() == Some(&"");
    if rooted {
        labels.pop();
    }
    let mut out = String::with_capacity(host.len() + 16);
    for (i, label) in labels.into_iter().enumerate() {
        if i > 0 {
            out.push('.');
        }
        push_label(label, &mut out)?;
    }
    if rooted {
        out.push('.');
    }
    Some(out)
}

/// Longest label of the domain name system; longer ones are refused.
const MAX_LABEL: usize = 63;

fn push_label(label: &str, out: &mut String) -> Option<()> {
    let start = out.len();
    if label.is_ascii() {
        out.push_str(label);
    } else if label.chars().count() > 4 * MAX_LABEL {
        return None;
    } else {
        let prepared = prepared(label)?;
        if prepared.is_ascii() {
            out.push_str(&prepared);
        } else if prepared.starts_with("xn--") {
            return None;
        } else {
            out.push_str("xn--");
            out.push_str(&idna::punycode::encode_str(&prepared)?);
        }
    }
    (1..=MAX_LABEL).contains(&(out.len() - start)).then_some(())
}

/// Nameprep: characters mapped to nothing, case, compatibility; then prohibited characters and mixed directions.
fn prepared(label: &str) -> Option<String> {
    let kept: Vec<char> = label.chars().filter(|c| !goes(*c)).collect();
    let mut mapped = String::with_capacity(label.len());
    for run in kept.chunk_by(|a, b| later(*a) == later(*b)) {
        if later(run[0]) {
            mapped.extend(run);
        } else {
            mapped.extend(run.iter().flat_map(|c| fold(*c)).nfkc().flat_map(fold).nfkc());
        }
    }
    let right = |c: char| is_in(&RIGHT_TO_LEFT, c);
    if mapped.chars().any(prohibited) {
        return None;
    }
    if mapped.chars().any(right) {
        let mixed = mapped.chars().any(|c| c.is_alphabetic() && !right(c));
        let framed = mapped.starts_with(right) && mapped.ends_with(right);
        if mixed || !framed {
            return None;
        }
    }
    Some(mapped)
}

/// RFC 3454, table B.1.
fn goes(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{1806}' | '\u{180b}'..='\u{180d}' | '\u{200b}'..='\u{200d}' | '\u{2060}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

/// Case folding of one character, as table B.2 has it; and five ideographs as they were read in Unicode 3.2.
fn fold(c: char) -> impl Iterator<Item = char> {
    let special = match c {
        'ß' => "ss",
        'ς' => "σ",
        'ſ' => "s",
        'ŉ' => "\u{2bc}n",
        'ǰ' => "j\u{30c}",
        '\u{345}' => "ι",
        '\u{37a}' => " ι",
        '\u{2f868}' => "\u{2136a}",
        '\u{2f874}' => "\u{5f33}",
        '\u{2f91f}' => "\u{43ab}",
        '\u{2f95f}' => "\u{7aae}",
        '\u{2f9bf}' => "\u{4d57}",
        _ => "",
    };
    let subscript = matches!(c, '\u{1f80}'..='\u{1ffc}');
    let decomposed = (special.is_empty() && subscript).then(|| {
        // The iota below the letter stands after it, in lower case.
        std::iter::once(c).nfd().flat_map(char::to_lowercase).map(|c| if c == '\u{345}' { 'ι' } else { c })
    });
    let lower = (special.is_empty() && !subscript).then(|| c.to_lowercase());
    special.chars().chain(decomposed.into_iter().flatten()).chain(lower.into_iter().flatten())
}

/// What Unicode 3.2 did not know and later versions map: the reference leaves it as it is.
fn later(c: char) -> bool {
    is_in(&LATER, c)
}

/// RFC 3454, tables C.1.2, C.2.2, C.3 to C.9.
fn prohibited(c: char) -> bool {
    is_in(&PROHIBITED, c) || u32::from(c) & 0xfffe == 0xfffe
}

fn is_in(table: &[(u32, u32)], c: char) -> bool {
    let c = u32::from(c);
    let after = table.partition_point(|(first, _)| *first <= c);
    after > 0 && c <= table[after - 1].1
}

/// Without the last two of every plane.
const PROHIBITED: [(u32, u32); 21] = [
    (0x80, 0xa0),
    (0x340, 0x341),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x1680, 0x1680),
    (0x180e, 0x180e),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x205f),
    (0x2061, 0x2063),
    (0x206a, 0x206f),
    (0x2ff0, 0x2ffb),
    (0x3000, 0x3000),
    (0xd800, 0xf8ff),
    (0xfdd0, 0xfdef),
    (0xfff9, 0xfffd),
    (0x1d173, 0x1d17a),
    (0xe0001, 0xe0001),
    (0xe0020, 0xe007f),
    (0xf0000, 0xffffd),
    (0x10_0000, 0x10_fffd),
];

/// RFC 3454, table D.1.
const RIGHT_TO_LEFT: [(u32, u32); 34] = [
    (0x5be, 0x5be),
    (0x5c0, 0x5c0),
    (0x5c3, 0x5c3),
    (0x5d0, 0x5ea),
    (0x5f0, 0x5f4),
    (0x61b, 0x61b),
    (0x61f, 0x61f),
    (0x621, 0x63a),
    (0x640, 0x64a),
    (0x66d, 0x66f),
    (0x671, 0x6d5),
    (0x6dd, 0x6dd),
    (0x6e5, 0x6e6),
    (0x6fa, 0x6fe),
    (0x700, 0x70d),
    (0x710, 0x710),
    (0x712, 0x72c),
    (0x780, 0x7a5),
    (0x7b1, 0x7b1),
    (0x200f, 0x200f),
    (0xfb1d, 0xfb1d),
    (0xfb1f, 0xfb28),
    (0xfb2a, 0xfb36),
    (0xfb38, 0xfb3c),
    (0xfb3e, 0xfb3e),
    (0xfb40, 0xfb41),
    (0xfb43, 0xfb44),
    (0xfb46, 0xfbb1),
    (0xfbd3, 0xfd3d),
    (0xfd50, 0xfd8f),
    (0xfd92, 0xfdc7),
    (0xfdf0, 0xfdfc),
    (0xfe70, 0xfe74),
    (0xfe76, 0xfefc),
];

/// See [`later`].
const LATER: [(u32, u32); 61] = [
    (0x558, 0x558),
    (0x58b, 0x58c),
    (0x10fc, 0x10fc),
    (0x1c89, 0x1c89),
    (0x1d2c, 0x1d6a),
    (0x1d78, 0x1d78),
    (0x1d9b, 0x1dbf),
    (0x2090, 0x209f),
    (0x213b, 0x213c),
    (0x2150, 0x2152),
    (0x2189, 0x2189),
    (0x2c7c, 0x2c7d),
    (0x2d6f, 0x2d6f),
    (0x321d, 0x321e),
    (0x3244, 0x3247),
    (0x3250, 0x3250),
    (0x327c, 0x327e),
    (0x32cc, 0x32cf),
    (0x32ff, 0x32ff),
    (0x3377, 0x337a),
    (0x33de, 0x33df),
    (0x33ff, 0x33ff),
    (0xa69c, 0xa69d),
    (0xa770, 0xa770),
    (0xa7cb, 0xa7cc),
    (0xa7ce, 0xa7ce),
    (0xa7d2, 0xa7d2),
    (0xa7d4, 0xa7d4),
    (0xa7da, 0xa7da),
    (0xa7dc, 0xa7dc),
    (0xa7f1, 0xa7f4),
    (0xa7f8, 0xa7f9),
    (0xab5c, 0xab5f),
    (0xab69, 0xab69),
    (0xfa2e, 0xfa2f),
    (0xfa6b, 0xfa6d),
    (0xfa70, 0xfad9),
    (0xfe10, 0xfe19),
    (0xfe47, 0xfe48),
    (0x10781, 0x107bf),
    (0x10d50, 0x10d65),
    (0x16ea0, 0x16eb8),
    (0x1b123, 0x1b126),
    (0x1ccd6, 0x1ccf9),
    (0x1d4c1, 0x1d4c1),
    (0x1d6a4, 0x1d6a6),
    (0x1d7ca, 0x1d7cb),
    (0x1df95, 0x1df95),
    (0x1dfcd, 0x1dfff),
    (0x1e030, 0x1e06d),
    (0x1ee00, 0x1eebb),
    (0x1f100, 0x1f10a),
    (0x1f110, 0x1f12e),
    (0x1f130, 0x1f14f),
    (0x1f16a, 0x1f16c),
    (0x1f190, 0x1f190),
    (0x1f200, 0x1f202),
    (0x1f210, 0x1f23b),
    (0x1f240, 0x1f248),
    (0x1f250, 0x1f251),
    (0x1fbf0, 0x1fbf9),
];
