//! `srcset`: the pictures that a page leaves to choose from.
//!
//! **Definition.** The URLs of the image candidate strings, in order; their descriptors (`2x`, `480w`) are passed over,
//! whatever they say, because a later reader may have any screen.
//!
//! **Cost.** One pass, no memory. **Reference.** HTML standard, 4.8.4.3.10 (parsing a srcset attribute).

use webmill_capture::cut::Cut;

/// The URLs in a `srcset`, as written.
///
/// # Examples
/// ```
/// use webmill_html::candidates;
/// let urls: Vec<_> = candidates("a,b.png 1x, c.png?d=(e,f) calc(1, 2), g.png").collect();
/// assert_eq!(urls, ["a,b.png", "c.png?d=(e,f)", "g.png"]);
/// ```
pub fn candidates(srcset: &str) -> impl Iterator<Item = &str> {
    described(srcset).map(|(url, _)| url)
}

/// The URL of the largest picture, as written: of the greatest width (`480w`), without widths of the greatest density (`2x`);
/// of equal ones the first.
///
/// # Examples
/// ```
/// use webmill_html::largest;
/// assert_eq!(largest("small.png 480w, big.png 1200w, middle.png 800w"), Some("big.png"));
/// assert_eq!(largest("one.png, three.png 3x, two.png 2x"), Some("three.png"));
/// ```
pub fn largest(srcset: &str) -> Option<&str> {
    let mut best: Option<(&str, (f64, f64))> = None;
    for (url, descriptors) in described(srcset) {
        let size = |unit: char| {
            let number = |word: &str| word.strip_suffix(unit)?.parse::<f64>().ok().filter(|n| n.is_finite());
            descriptors.split_ascii_whitespace().find_map(number)
        };
        let sizes = (size('w').unwrap_or(0.0), size('x').unwrap_or(1.0));
        if best.is_none_or(|(_, other)| sizes > other) {
            best = Some((url, sizes));
        }
    }
    best.map(|(url, _)| url)
}

/// The URLs in a `srcset`, as written, each with its descriptors.
fn described(srcset: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let length = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        let url = word.trim_end_matches(',');
        // A comma right behind the URL ends the candidate; else descriptors follow, up to a comma outside of parentheses.
        let end = if url.len() < word.len() { 0 } else { descriptors(after) };
        rest = after.cut(end..);
        Some((url, after.cut(..end)))
    })
}

/// Length of the descriptors at the start.
fn descriptors(text: &str) -> usize {
    let mut open = false;
    let end = text.bytes().position(|b| {
        open = (open || b == b'(') && b != b')';
        b == b',' && !open
    });
    end.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::{candidates, largest};

    #[test]
    fn candidates_of_the_standard() {
        let cases: [(&str, &[&str]); 12] = [
            ("", &[]),
            (" , ,", &[]),
            ("a.png", &["a.png"]),
            ("a.png 1x,b.png 2x", &["a.png", "b.png"]),
            ("a.png, b.png", &["a.png", "b.png"]),
            ("a.png,b.png", &["a.png,b.png"]),
            ("a.png,,, b.png", &["a.png", "b.png"]),
            ("\ta.png\n480w ,\x0cb.png 800w,", &["a.png", "b.png"]),
            ("data:image/png;base64,AA 1x, b 2x", &["data:image/png;base64,AA", "b"]),
            ("a (b, c) d, e", &["a", "e"]),
            ("a (b, c", &["a"]),
            ("é.png 1x, 图.png 2x", &["é.png", "图.png"]),
        ];
        for (srcset, expected) in cases {
            assert_eq!(candidates(srcset).collect::<Vec<_>>(), expected, "{srcset}");
        }
    }

    #[test]
    fn many_candidates_take_one_pass() {
        let srcset: String = (0..100_000).map(|n| format!("p{n}.png {n}w, ")).collect();
        assert_eq!(candidates(&srcset).count(), 100_000);
    }

    #[test]
    fn the_largest_picture_is_told_by_its_descriptor() {
        let cases = [
            ("", None),
            ("a.png", Some("a.png")),
            ("a.png 1x, b.png 1.5x", Some("b.png")),
            ("a.png 2x, b.png 2x", Some("a.png")),
            ("a.png 300w 200h, b.png 900w 600h", Some("b.png")),
            ("a.png 9x, b.png 10w", Some("b.png")),
            ("a.png 1e999x, b.png infx, c.png NaNw, d.png -5x", Some("a.png")),
        ];
        for (srcset, expected) in cases {
            assert_eq!(largest(srcset), expected, "{srcset}");
        }
    }
}
