//! SpotSigs: signatures of a text that hang on its stop words, for articles inside of heavy templates.
//!
//! **Definition.** Every occurrence of an *antecedent*, a stop word of the text's language, makes one signature: the
//! antecedent and the next two words after it that are no stop words. Prose is full of such places; menus, captions and
//! lists of links have few, so what a template adds hardly counts. A page is the multiset of its signatures; two pages
//! are compared by the Jaccard resemblance of the multisets, Σ min / Σ max, and are candidates from
//! [`SPOTSIGS_THRESHOLD`] on.
//!
//! **Antecedents.** The [stop words](webmill_text::StopWords) of the language. In Chinese, whose list there has no single
//! ideographs (they are no keywords anyway), the commonest function words of one ideograph stand beside it: 的 了 在 是 和
//! and the like ([`CHINESE_ANTECEDENTS`]). Where the language is unknown or has no list, the English and the Chinese
//! ones count; texts of such languages have few signatures or none, and are candidates of little: Japanese, Korean,
//! Arabic, Hindi are not served by this signature.
//!
//! **Cost.** Linear; 8 bytes an antecedent. At most [`MAX_SPOTS`] signatures of a text are kept, and
//! [`SpotSigs::cut`] says that there were more.
//!
//! **Determinism.** A function of the text and its language.
//!
//! **Reference.** M. Theobald, J. Siddharth, A. Paepcke, *SpotSigs: robust and efficient near duplicate detection in large web
//! collections*, SIGIR 2008, doi:10.1145/1390334.1390431.

use webmill_text::{StopWords, normalize_into, words};
use xxhash_rust::xxh3::xxh3_64;

use crate::signature::{PageParts, Signature, set_keys};

/// Resemblance of the multisets from which on two pages are candidates.
pub const SPOTSIGS_THRESHOLD: f64 = 0.44;

/// Signatures of a text that are kept.
pub const MAX_SPOTS: usize = 1 << 16;

/// Words of a chain behind its antecedent.
const CHAIN: usize = 2;

/// Function words of one ideograph that are antecedents in Chinese texts: particles, prepositions, conjunctions, adverbs,
/// pronouns, the copula and the commonest measure word, in both script forms.
pub const CHINESE_ANTECEDENTS: &str = "的 地 得 了 着 过 過 吗 嗎 吧 呢 啊 在 从 從 到 对 對 向 往 由 于 於 以 为 為 把 被 让 讓 给 給 跟 和 与 與 及 或 而 但 并 並 且 \
     则 則 若 因 也 都 就 还 還 又 再 很 更 最 只 才 却 卻 已 曾 将 將 正 不 没 沒 是 有 这 這 那 其 此 之 所 者 我 你 他 她 它 个 個 一 上 中 下 后 後 前 时 時 等 会 會 能 可 要";

/// The spot signatures of a text: a multiset.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SpotSigs {
    hashes: Box<[u64]>,
    cut: bool,
}

impl SpotSigs {
    /// The signatures of a text in a language by ISO 639-3, `None` where it is not known.
    ///
    /// # Examples
    /// ```
    /// use webmill_dedup::SpotSigs;
    /// let plain = SpotSigs::of("The mill grinds corn on the river bank and the miller sleeps soundly.", Some("eng"));
    /// let framed = SpotSigs::of(
    ///     "Home | News | Sport\nThe mill grinds corn on the river bank and the miller sleeps soundly.\nContact Imprint",
    ///     Some("eng"),
    /// );
    /// // the mill grinds, on river bank, the river bank, and miller sleeps, the miller sleeps
    /// assert_eq!(plain.len(), 5);
    /// assert_eq!(plain.resemblance(&framed), 1.0);
    /// ```
    pub fn of(text: &str, iso639_3: Option<&str>) -> Self {
        let stop = StopWords::of(iso639_3);
        let chinese = iso639_3.is_none_or(|code| code == "zho" || !StopWords::know(code));
        let mut made = Chains::default();
        let mut form = String::new();
        words(text, |word| {
            form.clear();
            normalize_into(word, &mut form);
            let antecedent = stop.hold(&form) || (chinese && is_chinese_antecedent(&form));
            made.word(xxh3_64(form.as_bytes()), antecedent);
        });
        made.finish()
    }

    #[cfg(test)]
    fn of_hashes(mut hashes: Vec<u64>) -> Self {
        hashes.sort_unstable();
        SpotSigs { hashes: hashes.into(), cut: false }
    }

    /// Hashes of the signatures, ascending, each as often as it occurs.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Signatures, repeated ones counted as often as they occur.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether the text has none: it resembles nothing.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Whether the text had more signatures than [`MAX_SPOTS`].
    pub fn cut(&self) -> bool {
        self.cut
    }

    /// Jaccard resemblance of the multisets, 0 to 1; 0 where one is empty.
    pub fn resemblance(&self, other: &Self) -> f64 {
        multiset_resemblance(&self.hashes, &other.hashes)
    }
}

/// SpotSigs as a way to find pages that are alike, from [`SPOTSIGS_THRESHOLD`] on or another bound.
#[derive(Copy, Clone, PartialEq, Debug)]
pub struct SpotSignature {
    /// Resemblance from which two pages are a pair, above 0 to 1.
    pub least: f64,
}

impl Default for SpotSignature {
    fn default() -> Self {
        SpotSignature { least: SPOTSIGS_THRESHOLD }
    }
}

impl Signature for SpotSignature {
    fn name(&self) -> &'static str {
        "spotsigs"
    }

    fn least(&self) -> f64 {
        self.least
    }

    fn values(&self, page: &PageParts<'_>) -> Vec<u64> {
        SpotSigs::of(page.text, page.language).hashes.into_vec()
    }

    /// Bands of the multiset, taken as a set in which the second 7 is another element than the first.
    fn keys(&self, values: &[u64]) -> Vec<u64> {
        let numbered = |group: &[u64]| {
            let element = group[0];
            let again = move |nth: u64| xxh3_64(&[element, nth].map(u64::to_le_bytes).concat());
            std::iter::once(element).chain((1..group.len() as u64).map(again))
        };
        let set: Vec<u64> = values.chunk_by(|a, b| a == b).flat_map(numbered).collect();
        set_keys(&set, self.least)
    }

    fn similarity(&self, a: &[u64], b: &[u64]) -> f64 {
        multiset_resemblance(a, b)
    }
}

/// Σ min / Σ max of two ascending lists with repetitions; 0 where one is empty.
fn multiset_resemblance(a: &[u64], b: &[u64]) -> f64 {
    let common = common_of_multisets(a, b);
    if common == 0 { 0.0 } else { common as f64 / (a.len() + b.len() - common) as f64 }
}

/// Σ min of two ascending lists with repetitions.
pub(crate) fn common_of_multisets(a: &[u64], b: &[u64]) -> usize {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        common += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    common
}

fn is_chinese_antecedent(form: &str) -> bool {
    let mut chars = form.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) => c > '\u{2E80}' && CHINESE_ANTECEDENTS.contains(c),
        _ => false,
    }
}

/// Chains that wait for words.
#[derive(Default)]
struct Chains {
    /// Antecedents since the last word but one that was none, with the word that came first behind them, if it has come.
    open: Vec<(u64, Option<u64>)>,
    found: Vec<u64>,
    cut: bool,
}

impl Chains {
    fn word(&mut self, hash: u64, antecedent: bool) {
        if antecedent {
            // Only as many wait as can still be kept.
            if self.found.len() + self.open.len() < MAX_SPOTS {
                self.open.push((hash, None));
            } else {
                self.cut = true;
            }
            return;
        }
        let found = &mut self.found;
        self.open.retain_mut(|(antecedent, first)| match first {
            None => {
                *first = Some(hash);
                true
            }
            Some(first) => {
                found.push(chain_hash([*antecedent, *first, hash]));
                false
            }
        });
    }

    fn finish(mut self) -> SpotSigs {
        self.found.sort_unstable();
        SpotSigs { hashes: self.found.into_boxed_slice(), cut: self.cut }
    }
}

fn chain_hash(words: [u64; CHAIN + 1]) -> u64 {
    let mut bytes = [0; 8 * (CHAIN + 1)];
    for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }
    xxh3_64(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expected(chains: &[[&str; 3]]) -> Vec<u64> {
        let hash = |chain: &[&str; 3]| chain_hash(chain.map(|word| xxh3_64(word.as_bytes())));
        let mut hashes: Vec<u64> = chains.iter().map(hash).collect();
        hashes.sort_unstable();
        hashes
    }

    #[test]
    fn chains_pass_over_stop_words() {
        let found = SpotSigs::of("At the old mill on a River, corn is ground.", Some("eng"));
        let chains = [
            ["at", "old", "mill"],
            ["the", "old", "mill"],
            ["on", "river", "corn"],
            ["a", "river", "corn"],
            // "is" has one word left, "ground".
        ];
        assert_eq!(found.hashes(), expected(&chains));
        assert!(!found.cut());
    }

    #[test]
    fn chinese_hangs_on_function_words_of_one_ideograph() {
        let found = SpotSigs::of("我们去北京大学的图书馆看书", Some("zho"));
        // 我们 is on the list of stop words, 的 among the function words.
        let chains = [["我们", "去", "北京大学"], ["的", "图书馆", "看书"]];
        assert_eq!(found.hashes(), expected(&chains));
        assert!(SpotSigs::of("我们去北京大学的图书馆看书", None) == found);
        // A Chinese phrase in a French text hangs on nothing of one ideograph.
        assert_eq!(SpotSigs::of("北京大学的图书馆看书", Some("fra")).len(), 0);
    }

    #[test]
    fn lists_of_links_have_no_signatures_and_resemble_nothing() {
        for text in ["", "Home News Sport Weather", "the", "the mill", "of the and", "…"] {
            let found = SpotSigs::of(text, Some("eng"));
            assert!(found.is_empty(), "{text:?}");
            assert_eq!(found.resemblance(&found), 0.0);
        }
    }

    #[test]
    fn resemblance_counts_repetitions() {
        let of = |list: &[u64]| SpotSigs::of_hashes(list.to_vec());
        let (a, b) = (of(&[1, 1, 1, 2]), of(&[1, 2, 2, 3]));
        assert_eq!((a.resemblance(&b), a.resemblance(&a), a.resemblance(&of(&[]))), (2.0 / 6.0, 1.0, 0.0));
    }

    #[test]
    fn endless_antecedents_are_bounded() {
        let found = SpotSigs::of(&format!("{}mill stone", "the ".repeat(MAX_SPOTS + 5)), Some("eng"));
        assert!(found.cut() && found.len() == MAX_SPOTS);
        assert!(SpotSigs::of(&"the ".repeat(200_000), Some("eng")).is_empty());
    }

    proptest! {
        #[test]
        fn chains_are_what_the_definition_says(list in prop::collection::vec(("[ab]", any::<bool>()), 0..60)) {
            let mut made = Chains::default();
            let hashes: Vec<(u64, bool)> =
                list.iter().map(|(word, stop)| (xxh3_64(format!("{word}{stop}").as_bytes()), *stop)).collect();
            hashes.iter().for_each(|&(hash, stop)| made.word(hash, stop));
            let mut naive = Vec::new();
            for (i, &(hash, stop)) in hashes.iter().enumerate() {
                let mut behind = hashes[i + 1..].iter().filter(|word| !word.1).map(|word| word.0);
                if let (true, Some(first), Some(second)) = (stop, behind.next(), behind.next()) {
                    naive.push(chain_hash([hash, first, second]));
                }
            }
            naive.sort_unstable();
            prop_assert_eq!(&made.finish().hashes[..], &naive[..]);
        }
    }
}
