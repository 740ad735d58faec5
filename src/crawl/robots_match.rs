//! Patterns of robots.txt: their normal form, and an index that finds the winning rule of a URL.
//!
//! **Normal form.** RFC 9309 section 2.2.2 compares rules and URLs after percent-encoding is unified. Here, on both
//! sides: a triplet of an unreserved character, or of one of `! $ ' ( ) * : @ [ ]`, is decoded; other triplets get
//! upper-case digits; octets that no URL may hold (non-ASCII, controls, space, `"` and the like) are encoded. The
//! reserved characters `/ ? # & = + ; ,` divide a URL, so that raw and encoded ones differ; but after the first `?`
//! `/` and `?` are data and their triplets are decoded. `*` and a last `$` of a rule are special, `%2A` and `%24` never.
//!
//! **Algorithm.** A pattern is a literal prefix and the pieces between its stars. Prefixes are sorted, each with a
//! link to the longest other prefix that begins it: one binary search and a walk up the links give all that begin a
//! path. Where a pattern is no more than its prefix, the best rule of the chain was computed when the index was built.
//! Patterns with stars hang on their prefix, best first; each is tried by finding its pieces from left to right, every
//! one at the first place possible. That place is never wrong: a later one leaves less room for the rest. Where many
//! are to be tried, three-byte grams of each are first looked up in a bit map of the grams of the path.
//!
//! **Cost.** Building: sorting. A path of `n` octets against `k` rules with stars on its chain of prefixes, of `m` octets
//! together: O(n log + k·n + m), never more, as each search for a piece is linear (`memmem`) and starts after the one
//! before; without stars O(n log). [`Index::best`] counts its steps and a test holds it to that bound.

use std::cmp::Reverse;
use std::ops::Range;

use memchr::memmem;

/// Stands for `*` in a compiled pattern; the normal form has no control characters.
const STAR: u8 = 0;
/// No rule, no node.
const NONE: u32 = u32::MAX;
/// From this many patterns with stars on, grams are looked at first.
const MANY: u32 = 24;

/// A part of [`Index::bytes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u32,
    len: u32,
}

/// How much a pattern weighs: the octets of its normal form, then whether it allows.
type Rank = (u32, bool);

/// A literal prefix of at least one pattern.
#[derive(Debug, Clone, PartialEq)]
struct Node {
    prefix: Span,
    /// The longest other prefix that begins this one.
    parent: u32,
    /// The best rule that is satisfied by this prefix or one that begins it.
    best: u32,
    /// The nearest node, this one included, on which patterns with stars hang.
    wild_node: u32,
    /// Those of this node, in [`Index::wild`].
    wild: Span,
}

/// What follows the prefix of a pattern: stars and pieces.
#[derive(Debug, Clone, PartialEq)]
struct PatternRest {
    rest: Span,
    anchored: bool,
    rule: u32,
    grams: [u16; 2],
}

/// Patterns of many rules, for lookup.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Index {
    bytes: Vec<u8>,
    nodes: Vec<Node>,
    exact: Vec<(Span, u32)>,
    wild: Vec<PatternRest>,
    ranks: Vec<Rank>,
    /// Where the text of a pattern's rule is.
    texts: Vec<Span>,
}

/// A compiled pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Normal form, stars as [`STAR`], none repeated, none at the end.
    text: Vec<u8>,
    /// Ends at the end of the path.
    anchored: bool,
    /// Octets of the normal form as written, special characters included.
    octets: u32,
}

/// Where in a URL a character is, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Query,
    /// Behind a star.
    Either,
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

/// Whether an octet may be in a URL as it is.
fn is_url_octet(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte)
}

/// Appends the normal form. With `stars`, `*` becomes [`STAR`]. Behind a star a `%2F` or `%3F` may be of the path or of
/// the query: `either` says how it is taken; as of the query, the star before it has to meet a `?`. Returns whether
/// there was such a place.
fn push_normal(input: &[u8], stars: bool, either: Part, out: &mut Vec<u8>) -> bool {
    let mut part = Part::Path;
    let mut ambiguous = false;
    let mut at = 0;
    while let Some(&byte) = input.get(at) {
        let triplet = match (byte, input.get(at + 1..at + 3)) {
            (b'%', Some(digits)) => hex(digits[0]).zip(hex(digits[1])).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        if let Some(octet) = triplet {
            at += 3;
            let decoded = match octet {
                b'/' | b'?' => {
                    if part == Part::Either {
                        ambiguous = true;
                        if either == Part::Query {
                            part = Part::Query;
                            let star = out.iter().rposition(|&b| b == STAR).map_or(0, |at| at + 1);
                            out.splice(star..star, [b'?', STAR]);
                        }
                    }
                    part == Part::Query
                }
                _ => octet.is_ascii_alphanumeric() || b"-._~!$'()*:@[]".contains(&octet),
            };
            if decoded {
                out.push(octet);
            } else {
                push_triplet(octet, out);
            }
            continue;
        }
        at += 1;
        match byte {
            b'*' if stars => {
                if part == Part::Path {
                    part = Part::Either;
                }
                out.push(STAR);
            }
            b'?' => {
                part = Part::Query;
                out.push(byte);
            }
            _ if is_url_octet(byte) => out.push(byte),
            _ => push_triplet(byte, out),
        }
    }
    ambiguous
}

fn push_triplet(octet: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(&[b'%', DIGITS[usize::from(octet >> 4)], DIGITS[usize::from(octet & 15)]]);
}

/// The normal form of path and query of a URL; nothing is written where it is `path` itself.
pub(super) fn normal_path<'a>(path: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    if path.iter().all(|&b| b != b'%' && is_url_octet(b)) {
        return path;
    }
    push_normal(path, false, Part::Query, buffer);
    buffer
}

/// The patterns that the value of a rule stands for: empty if it can match no URL, two if it cannot be known
/// whether a `%2F` after a star is meant in the path or in the query.
pub(super) fn compile(value: &[u8]) -> Vec<Pattern> {
    if !matches!(value.first(), Some(b'/' | b'*')) {
        return Vec::new();
    }
    let (literal, anchored) = match value.split_last() {
        Some((b'$', rest)) => (rest, true),
        _ => (value, false),
    };
    let one = |either| {
        let mut text = Vec::with_capacity(literal.len());
        let ambiguous = push_normal(literal, true, either, &mut text);
        let octets = text.len() as u32 + u32::from(anchored);
        text.dedup_by(|a, b| *a == STAR && *b == STAR);
        let open = text.last() == Some(&STAR);
        if open {
            text.pop();
        }
        (Pattern { text, anchored: anchored && !open, octets }, ambiguous)
    };
    let (first, ambiguous) = one(Part::Path);
    let octets = first.octets;
    let second = ambiguous.then(|| Pattern { octets, ..one(Part::Query).0 });
    std::iter::once(first).chain(second).collect()
}

/// The pattern of a folder, for the value of a rule that ends in `/index.htm…`.
pub(super) fn folder_of_index(value: &[u8]) -> Option<Vec<u8>> {
    let slash = memchr::memrchr(b'/', value)?;
    value[slash..].starts_with(b"/index.htm").then(|| [&value[..=slash], b"$"].concat())
}

impl Index {
    /// An index of patterns: each with whether it allows and with the place of its rule's text.
    pub(super) fn new(patterns: &[(Pattern, bool, Range<usize>)]) -> Index {
        let mut index = Index {
            ranks: patterns.iter().map(|(pattern, allow, _)| (pattern.octets, *allow)).collect(),
            texts: patterns
                .iter()
                .map(|(_, _, text)| Span { start: text.start as u32, len: text.len() as u32 })
                .collect(),
            ..Index::default()
        };
        // (prefix, rest, anchored, rule), equal ones next to each other and the best of them first.
        let mut parts: Vec<(&[u8], &[u8], bool, u32)> = patterns
            .iter()
            .zip(0..)
            .map(|((pattern, _, _), rule)| {
                let cut = memchr::memchr(STAR, &pattern.text).unwrap_or(pattern.text.len());
                (&pattern.text[..cut], &pattern.text[cut..], pattern.anchored, rule)
            })
            .collect();
        parts.sort_unstable_by(|a, b| {
            let key = |p: &(_, _, _, u32)| (Reverse(index.ranks[p.3 as usize]), p.3);
            (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)).then_with(|| key(a).cmp(&key(b)))
        });
        parts.dedup_by(|b, a| (a.0, a.1, a.2) == (b.0, b.1, b.2));
        let mut open: Vec<u32> = Vec::new();
        let mut at = 0;
        while at < parts.len() {
            let prefix = parts[at].0;
            let end = at + parts[at..].iter().take_while(|p| p.0 == prefix).count();
            let same = &parts[at..end];
            at = end;
            let span = index.store(prefix);
            if let Some(exact) = same.iter().find(|p| p.1.is_empty() && p.2) {
                index.exact.push((span, exact.3));
            }
            let plain = same.iter().find(|p| p.1.is_empty() && !p.2);
            let wild: Vec<_> = same.iter().filter(|p| !p.1.is_empty()).collect();
            if plain.is_some() || !wild.is_empty() {
                index.push_node(prefix, span, plain.map(|p| p.3), &wild, &mut open);
            }
        }
        index.bytes.shrink_to_fit();
        index.nodes.shrink_to_fit();
        index.exact.shrink_to_fit();
        index.wild.shrink_to_fit();
        index
    }

    fn push_node(
        &mut self,
        prefix: &[u8],
        span: Span,
        plain: Option<u32>,
        wild: &[&(&[u8], &[u8], bool, u32)],
        open: &mut Vec<u32>,
    ) {
        while open.last().is_some_and(|&top| !prefix.starts_with(self.part(self.nodes[top as usize].prefix)))
        {
            open.pop();
        }
        let number = self.nodes.len() as u32;
        let parent = open.last().copied().unwrap_or(NONE);
        let (mut best, mut wild_node) =
            self.nodes.get(parent as usize).map_or((NONE, NONE), |p| (p.best, p.wild_node));
        if let Some(rule) = plain
            && (best == NONE || self.ranks[rule as usize] > self.ranks[best as usize])
        {
            best = rule;
        }
        let start = self.wild.len() as u32;
        let mut sorted = wild.to_vec();
        sorted.sort_by_key(|p| (Reverse(self.ranks[p.3 as usize]), p.3));
        for part in sorted {
            let rest = self.store(part.1);
            self.wild.push(PatternRest { rest, anchored: part.2, rule: part.3, grams: grams_of(part.1) });
        }
        if !wild.is_empty() {
            wild_node = number;
        }
        let wild = Span { start, len: wild.len() as u32 };
        self.nodes.push(Node { prefix: span, parent, best, wild_node, wild });
        open.push(number);
    }

    fn store(&mut self, bytes: &[u8]) -> Span {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(bytes);
        Span { start, len: bytes.len() as u32 }
    }

    fn part(&self, span: Span) -> &[u8] {
        &self.bytes[span.start as usize..(span.start + span.len) as usize]
    }

    /// The rule of the pattern of the greatest rank that matches `path` (in normal form): where its text is, and whether
    /// it allows. `steps` grows by the octets that were looked at, at most.
    pub(super) fn best(&self, path: &[u8], steps: &mut u64) -> Option<(Range<usize>, bool)> {
        let best = self.best_pattern(path, steps)? as usize;
        let text = self.texts[best];
        Some((text.start as usize..(text.start + text.len) as usize, self.ranks[best].1))
    }

    fn best_pattern(&self, path: &[u8], steps: &mut u64) -> Option<u32> {
        let length = path.len() as u64;
        let halvings = |n: usize| u64::from(usize::BITS - n.leading_zeros());
        *steps += length * (halvings(self.exact.len()) + halvings(self.nodes.len()));
        let mut best = NONE;
        if let Ok(at) = self.exact.binary_search_by(|(span, _)| self.part(*span).cmp(path)) {
            best = self.exact[at].1;
        }
        let after = self.nodes.partition_point(|node| self.part(node.prefix) <= path);
        let mut number = (after as u32).wrapping_sub(1);
        if let Some(node) = self.nodes.get(number as usize) {
            let common = self.part(node.prefix).iter().zip(path).take_while(|(a, b)| a == b).count();
            *steps += common as u64;
            while number != NONE && self.nodes[number as usize].prefix.len as usize > common {
                *steps += 1;
                number = self.nodes[number as usize].parent;
            }
        }
        let Some(node) = self.nodes.get(number as usize) else { return (best != NONE).then_some(best) };
        self.take_better(&mut best, node.best);
        let mut grams = None;
        let mut tried = 0;
        let mut next = node.wild_node;
        while let Some(node) = self.nodes.get(next as usize) {
            *steps += 1;
            let list = &self.wild[node.wild.start as usize..(node.wild.start + node.wild.len) as usize];
            let tail = &path[node.prefix.len as usize..];
            for wild in list {
                *steps += 1;
                if best != NONE && self.ranks[wild.rule as usize] <= self.ranks[best as usize] {
                    break;
                }
                tried += 1;
                if tried == MANY {
                    grams = Some(Grams::of(path));
                    *steps += length;
                }
                if grams.as_ref().is_some_and(|grams| !grams.has(wild.grams)) {
                    continue;
                }
                if wild_matches(self.part(wild.rest), wild.anchored, tail, steps) {
                    best = wild.rule;
                    break;
                }
            }
            next = self.nodes.get(node.parent as usize).map_or(NONE, |parent| parent.wild_node);
        }
        (best != NONE).then_some(best)
    }

    fn take_better(&self, best: &mut u32, rule: u32) {
        if rule != NONE && (*best == NONE || self.ranks[rule as usize] > self.ranks[*best as usize]) {
            *best = rule;
        }
    }
}

/// Whether `rest`, which begins with a star, matches all of `tail` (`anchored`) or its beginning.
fn wild_matches(rest: &[u8], anchored: bool, tail: &[u8], steps: &mut u64) -> bool {
    let mut pieces = rest[1..].split(|&b| b == STAR).peekable();
    let mut at = 0;
    while let Some(piece) = pieces.next() {
        let room = &tail[at..];
        if anchored && pieces.peek().is_none() {
            *steps += piece.len() as u64;
            return room.ends_with(piece);
        }
        let Some(found) = memmem::find(room, piece) else {
            *steps += (room.len() + piece.len()) as u64;
            return false;
        };
        at += found + piece.len();
        *steps += (found + piece.len()) as u64;
    }
    true
}

fn gram(bytes: &[u8]) -> u16 {
    let mut word = bytes.len() as u32;
    for &byte in bytes {
        word = word << 8 | u32::from(byte);
    }
    (word.wrapping_mul(0x9E37_79B1) >> 16) as u16
}

/// Two grams that every path has which the pieces match: the first and last of the longest piece.
fn grams_of(rest: &[u8]) -> [u16; 2] {
    let longest = rest.split(|&b| b == STAR).max_by_key(|piece| piece.len()).unwrap_or_default();
    let size = longest.len().min(3);
    [gram(&longest[..size]), gram(&longest[longest.len() - size..])]
}

/// Which grams a path has: a bit map of 8 KiB.
struct Grams(Box<[u64; 1024]>);

impl Grams {
    fn of(path: &[u8]) -> Grams {
        let mut bits = Box::new([0u64; 1024]);
        for size in 1..=3 {
            for window in path.windows(size) {
                let gram = gram(window);
                bits[usize::from(gram >> 6)] |= 1 << (gram & 63);
            }
        }
        Grams(bits)
    }

    fn has(&self, grams: [u16; 2]) -> bool {
        grams.iter().all(|&gram| self.0[usize::from(gram >> 6)] >> (gram & 63) & 1 == 1)
    }
}
