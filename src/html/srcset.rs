//! `srcset`: the pictures that a page leaves to choose from.
//!
//! **Definition.** The URLs of the image candidate strings, in order; their descriptors (`2x`, `480w`) are passed over,
//! whatever they say, because a later reader may have any screen.
//!
//! **Cost.** One pass, no memory. **Reference.** HTML standard, 4.8.4.3.10 (parsing a srcset attribute).

/// The URLs in a `srcset`, as written.
///
/// # Examples
/// ```
/// use webmill_html::candidates;
/// let urls: Vec<_> = candidates("a,b.png 1x, c.png?d=(e,f) calc(1, 2), g.png").collect();
/// assert_eq!(urls, ["a,b.png", "c.png?d=(e,f)", "g.png"]);
/// ```
pub fn candidates(srcset: &str) -> impl Iterator<Item = &str> {
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
        rest = if url.len() < word.len() { after } else { &after[descriptors(after)..] };
        Some(url)
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
    use proptest::prelude::*;

    use super::candidates;

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

    proptest! {
        #[test]
        fn candidates_are_words_of_the_text(srcset in "[a, ()\\t1x中]{0,60}") {
            for url in candidates(&srcset) {
                prop_assert!(!url.is_empty() && !url.contains(char::is_whitespace) && srcset.contains(url));
            }
        }
    }
}
