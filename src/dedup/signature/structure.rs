//! Structural similarity: how much of the markup of two pages is the same, whatever they say.
//!
//! **Definition.** A page is a sequence of tokens: each opening tag, each closing tag, and each text node as one token that
//! is the same for all texts. Text nodes of white space alone are no tokens (they are how the source is indented), nor
//! are the closing tags of elements that have none in HTML (`br`, `img`). The similarity of two pages of n₁ and n₂ tokens is
//! 2·LCS/(n₁ + n₂), where LCS is the length of their longest common subsequence; 0 where a page has no token. Two pages
//! whose similarity is above .9 and whose texts resemble each other below .3 are *one template, other content*.
//!
//! **Algorithm.** See [`lcs_length`]: bit-parallel, after the common beginning and end are taken off.
//!
//! **Cost.** 8 bytes a token; at most [`MAX_TOKENS`] tokens of a page are read and [`Structure::cut`] says that there were
//! more. A comparison of two pages of 20,000 tokens takes at most 6 million steps of some 2 ns.
//!
//! **Determinism.** A function of the two trees.
//!
//! **Reference.** Hunt, Szymanski, doi:10.1145/359581.359603; Hyyrö, *Bit-parallel LCS-length computation revisited*, AWOCA
//! 2004.

mod lcs;

use serde::{Deserialize, Serialize};
use webmill_html::{Dom, Edge, NodeId, Tag};
use xxhash_rust::xxh3::xxh3_64;

use crate::shingle::Shingles;
use crate::signature::spotsigs::common_of_multisets;
use crate::signature::structure::lcs::lcs_length;
use crate::signature::{PageParts, Signature, set_keys};

/// Tokens of a page that are read.
pub const MAX_TOKENS: usize = 20_000;

/// The token of a text node; those of tags have their second bit set.
const TEXT: u64 = 0;

/// Elements that HTML closes by themselves.
const VOID: [Tag; 18] = [
    Tag::Area,
    Tag::Base,
    Tag::Basefont,
    Tag::Bgsound,
    Tag::Br,
    Tag::Col,
    Tag::Embed,
    Tag::Frame,
    Tag::Hr,
    Tag::Img,
    Tag::Input,
    Tag::Keygen,
    Tag::Link,
    Tag::Meta,
    Tag::Param,
    Tag::Source,
    Tag::Track,
    Tag::Wbr,
];

/// The markup of a page as a sequence of tokens.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Structure {
    tokens: Box<[u64]>,
    cut: bool,
}

impl Structure {
    /// The structure of a tree.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Structure;
    /// use webmill_html::{Limits, parse};
    /// let page = |source| Structure::of(&parse(source, &Limits::default()));
    /// let (one, other) = (page("<p>Tea</p>\n<p>Rain"), page("<p>Coffee</p><p>Wind</p>"));
    /// assert_eq!(one.similarity(&other), 1.0);
    /// assert!(one.similarity(&page("<ul><li>Tea<li>Rain</ul>")) < 0.8);
    /// ```
    pub fn of(dom: &Dom<'_>) -> Self {
        let mut tokens = Vec::new();
        let mut cut = false;
        for edge in dom.walk(dom.document()) {
            let Some(token) = token(dom, edge) else { continue };
            if tokens.len() == MAX_TOKENS {
                cut = true;
                break;
            }
            tokens.push(token);
        }
        Structure { tokens: tokens.into_boxed_slice(), cut }
    }

    /// The structure of tokens that the caller made: any numbers, equal for equal tokens. Those past [`MAX_TOKENS`] are cut.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::Structure;
    /// let of = |text: &str| Structure::of_tokens(text.bytes().map(u64::from));
    /// assert_eq!(of("abcbdab").similarity(&of("bdcaba")), 8.0 / 13.0);
    /// ```
    pub fn of_tokens(tokens: impl IntoIterator<Item = u64>) -> Self {
        let mut tokens = tokens.into_iter();
        let kept: Box<[u64]> = tokens.by_ref().take(MAX_TOKENS).collect();
        Structure { tokens: kept, cut: tokens.next().is_some() }
    }

    /// The tokens in order.
    pub fn tokens(&self) -> &[u64] {
        &self.tokens
    }

    /// Whether the page had more tokens than [`MAX_TOKENS`]: it is compared by its beginning.
    pub fn cut(&self) -> bool {
        self.cut
    }

    /// 2·LCS/(n₁ + n₂), 0 to 1.
    pub fn similarity(&self, other: &Self) -> f64 {
        token_similarity(&self.tokens, &other.tokens)
    }
}

/// The markup as a way to find pages that are alike, from a similarity of .9 on.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct StructureSignature;

/// Tokens in a row that are one element of the set by which pages of like markup are found.
const RUN: usize = 4;

/// Resemblance of the sets of runs that pages of like markup are expected to reach: where a tenth of two pages of equal
/// length differs in one piece it is about .8, where it differs in many places less.
const RUN_RESEMBLANCE: f64 = 0.5;

impl Signature for StructureSignature {
    fn name(&self) -> &'static str {
        "structure"
    }

    fn least(&self) -> f64 {
        MIN_STRUCTURE
    }

    /// The tokens in their order.
    fn values(&self, page: &PageParts<'_>) -> Vec<u64> {
        page.tags.to_vec()
    }

    /// Bands of the set of runs of tokens.
    fn keys(&self, values: &[u64]) -> Vec<u64> {
        let hash =
            |run: &[u64]| xxh3_64(&run.iter().flat_map(|token| token.to_le_bytes()).collect::<Vec<u8>>());
        let mut runs: Vec<u64> = values.windows(RUN.min(values.len().max(1))).map(hash).collect();
        runs.sort_unstable();
        runs.dedup();
        set_keys(&runs, RUN_RESEMBLANCE)
    }

    /// 0 where the tokens, in whatever order, are not alike enough: that needs no subsequence.
    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        let at_most = |common: usize| 2.0 * common as f64 / (a.len() + b.len()).max(1) as f64;
        if at_most(a.len().min(b.len())) < MIN_STRUCTURE {
            return 0.0;
        }
        let sorted = |tokens: &[u64]| {
            let mut tokens = tokens.to_vec();
            tokens.sort_unstable();
            tokens
        };
        if at_most(common_of_multisets(&sorted(a), &sorted(b))) < MIN_STRUCTURE {
            return 0.0;
        }
        token_similarity(a, b)
    }
}

/// 2·LCS/(n₁ + n₂) of two sequences of tokens; 0 where one is empty.
pub(crate) fn token_similarity(a: &[u64], b: &[u64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    2.0 * lcs_length(a, b) as f64 / (a.len() + b.len()) as f64
}

/// The token of a step of the walk, if it is one.
fn token(dom: &Dom<'_>, edge: Edge) -> Option<u64> {
    let (node, leaves) = match edge {
        Edge::Enter(node) => (node, false),
        Edge::Leave(node) => (node, true),
    };
    if dom.is_text(node) {
        let blank = dom.text(node).bytes().all(|b| b.is_ascii_whitespace());
        return (!leaves && !blank).then_some(TEXT);
    }
    if !dom.is_element(node) || (leaves && VOID.contains(&dom.tag(node))) {
        return None;
    }
    Some(name_token(dom, node, leaves))
}

/// The lowest bit says whether the tag closes, the second that it is no text.
fn name_token(dom: &Dom<'_>, node: NodeId, closes: bool) -> u64 {
    xxh3_64(dom.name(node).as_bytes()) << 2 | 2 | u64::from(closes)
}

/// Structure of two pages of one template is above this.
const MIN_STRUCTURE: f64 = 0.9;

/// Resemblance of the texts of two pages that say different things is below this.
const MAX_RESEMBLANCE: f64 = 0.3;

/// Pages of a host that are compared with one another: half of the square are comparisons.
const MAX_PAGES: usize = 64;

/// How far the pages of a host are of one template with other content.
#[derive(Copy, Clone, PartialEq, Debug, Default)]
pub struct TemplateShare {
    /// Pages compared.
    pub pages: u32,
    /// Pages left out because there were more than 64.
    pub left_out: u32,
    /// Pairs compared.
    pub pairs: u32,
    /// Pairs of one template, whatever they say.
    pub alike: u32,
    /// Pairs of one template with other content.
    pub other_content: u32,
}

impl TemplateShare {
    /// Share of the pairs that are one template with other content, 0 to 1; `None` where no pair was compared.
    pub fn share(&self) -> Option<f64> {
        (self.pairs > 0).then(|| f64::from(self.other_content) / f64::from(self.pairs))
    }

    /// Compares the first pages of a host, each with each; pages without text count by their structure alone, for a page
    /// that says nothing says nothing else.
    pub fn of<'a>(pages: impl IntoIterator<Item = (&'a Structure, &'a Shingles)>) -> TemplateShare {
        let mut pages = pages.into_iter();
        let kept: Vec<_> = pages.by_ref().take(MAX_PAGES).collect();
        let mut found = TemplateShare {
            pages: kept.len() as u32,
            left_out: u32::try_from(pages.count()).unwrap_or(u32::MAX),
            ..TemplateShare::default()
        };
        for (i, (structure, text)) in kept.iter().enumerate() {
            for (other, its_text) in &kept[i + 1..] {
                let similarity = structure.similarity(other);
                found.pairs += 1;
                found.alike += u32::from(similarity > MIN_STRUCTURE);
                let both_speak = !text.is_empty() && !its_text.is_empty();
                found.other_content += u32::from(
                    both_speak && similarity > MIN_STRUCTURE && text.resemblance(its_text) < MAX_RESEMBLANCE,
                );
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_html::{Limits, parse};

    fn page(source: &str) -> Structure {
        Structure::of(&parse(source, &Limits::default()))
    }

    #[test]
    fn tags_open_and_close_and_texts_are_one_token() {
        // html, head, /head, body, p, text, br, text, /p, /body, /html
        let found = page("<p>one<br>two</p>");
        assert_eq!(found.tokens().len(), 11);
        assert_eq!(found.tokens().iter().filter(|&&token| token == TEXT).count(), 2);
        assert_eq!(found, page("<p class=x>three<!-- no -->\n<br>\n four</p>\n"));
    }

    #[test]
    fn elements_of_one_name_are_one_token_and_others_are_not() {
        assert_eq!(page("<x-card>a</x-card>"), page("<x-card>b</x-card>"));
        assert_ne!(page("<x-card>a</x-card>"), page("<x-cart>a</x-cart>"));
        assert_ne!(page("<b></b>").tokens(), page("<b>").tokens().split_last().expect("tokens").1);
    }

    #[test]
    fn spec_pair_has_eight_thirteenths() {
        let of = |text: &str| Structure::of_tokens(text.bytes().map(u64::from));
        assert_eq!(of("abcbdab").similarity(&of("bdcaba")), 8.0 / 13.0);
        assert_eq!(of("bdcaba").similarity(&of("abcbdab")), 8.0 / 13.0);
    }

    #[test]
    fn pages_without_tokens_are_like_nothing() {
        let none = Structure::of_tokens([]);
        assert_eq!((none.similarity(&none), none.similarity(&page("<p>a"))), (0.0, 0.0));
    }

    #[test]
    fn long_pages_are_cut_and_say_so() {
        let whole = page(&"<p>a</p>".repeat(6_600));
        assert!(!whole.cut());
        let long = page(&"<p>a</p>".repeat(7_000));
        assert!(long.cut() && long.tokens().len() == MAX_TOKENS);
        let exact = Structure::of_tokens((0..MAX_TOKENS as u64).map(|i| i % 7));
        let over = Structure::of_tokens((0..=MAX_TOKENS as u64).map(|i| i % 7));
        assert_eq!((exact.cut(), over.cut(), exact.similarity(&over)), (false, true, 1.0));
    }

    #[test]
    fn one_template_with_other_content_is_told_from_copies_and_strangers() {
        let template = |words: &str| format!("<div><h1>T</h1><p>{words}</p><ul><li>a<li>b</ul></div>");
        let forms = |source: &str, text: &str| (page(source), Shingles::of(text, 2));
        let tea = "green tea is made of leaves that were never left to wither";
        let wind = "wind blows from high pressure towards low over land and sea";
        let pages = [
            forms(&template(tea), tea),
            forms(&template(wind), wind),
            forms(&template(tea), tea),
            forms("<table><tr><td>x</table>", "rain falls"),
            forms(&template(""), ""),
        ];
        let share = TemplateShare::of(pages.iter().map(|(s, t)| (s, t)));
        // tea–wind twice; tea–tea is alike but a copy; the silent page is alike at most.
        assert_eq!((share.pages, share.pairs, share.other_content), (5, 10, 2));
        assert!(share.alike >= 3);
        assert_eq!(share.share(), Some(0.2));
        let many = TemplateShare::of(std::iter::repeat_n((&pages[0].0, &pages[0].1), 66));
        assert_eq!((many.pages, many.left_out, many.pairs), (64, 2, 2016));
        assert_eq!(TemplateShare::of([]).share(), None);
    }
}
