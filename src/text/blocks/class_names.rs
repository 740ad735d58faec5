//! What class names, ids and roles say about an element.
//!
//! Authors name the parts of their pages: `nav`, `post-body`, `relatedPosts`, `xiangguan`. A name is turned into a set
//! of [`Kind`]s by looking for known fragments in it. The name is folded first: letters to lower case, everything else
//! and every lower-to-upper step to one boundary mark, so that `-ad-` in a fragment matches `ad`, `top-ad`, `adBox`,
//! but not `shadow` or `header`.
//!
//! Algorithm: one automaton over all fragments (A. V. Aho, M. J. Corasick, *Efficient string matching*, CACM 18 (1975),
//! doi:10.1145/360825.360855), one step a letter of the folded name; it is built once a process. Names longer than
//! [`MAX_NAME`] bytes are read to that length only.

use std::sync::LazyLock;

use crate::phrases::Phrases;
use crate::word_list::section;

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident),+ $(,)?) => {
        /// What an element's names or its tag say it holds; the discriminant is a bit number.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Kind {
            $($(#[$about])* $kind),+
        }

        impl Kind {
            /// All kinds, in order.
            pub(crate) const ALL: [Kind; KINDS] = [$(Kind::$kind),+];
        }

        /// Number of kinds, also the width of distance arrays.
        pub(crate) const KINDS: usize = [$(stringify!($kind)),+].len();
    };
}

kinds! {
    Nav,
    Crumb,
    Pager,
    Footer,
    Header,
    Side,
    Related,
    Share,
    Advert,
    Comment,
    Byline,
    Tags,
    Form,
    Modal,
    Content,
    Product,
    Thread,
    User,
    Media,
    Hidden,
    Detail,
    Review,
    Listing,
    Tool,
    Contents,
    Title,
    /// The text itself, by names that hardly anything else has.
    Body,
    Caption,
    // Set by tags only.
    ArticleTag,
    MainTag,
    SectionTag,
    ListTag,
    TableTag,
    QuoteTag,
}

impl Kind {
    /// The kind as a one-bit set.
    pub(crate) const fn bit(self) -> u64 {
        1 << self as u8
    }
}

/// Fragments by kind: `-` is a boundary between words.
static NAMES: LazyLock<Phrases> = LazyLock::new(|| {
    let lists =
        Kind::ALL.map(|kind| (kind.bit(), section(include_str!("class_names.txt"), &format!("{kind:?}"))));
    let lines = lists.into_iter().flat_map(|(bit, lines)| lines.into_iter().map(move |line| (bit, line)));
    Phrases::new(
        lines.flat_map(|(bit, line)| line.split_ascii_whitespace().map(move |fragment| (fragment, bit))),
    )
});

/// The kinds whose fragments occur in a class list, an id or a role, as a bit set.
pub(crate) fn kinds_of(name: &str) -> u64 {
    NAMES.find(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_kinds() {
        for (name, wanted, not) in [
            ("main-nav", Kind::Nav, Kind::Advert),
            ("adBox top", Kind::Advert, Kind::Share),
            ("shadow header", Kind::Header, Kind::Advert),
            ("articleBody", Kind::Content, Kind::Comment),
            ("POST_COMMENTS", Kind::Comment, Kind::Nav),
            ("xiangguan", Kind::Related, Kind::Content),
            ("postTitle", Kind::Title, Kind::Footer),
        ] {
            let kinds = kinds_of(name);
            assert!(kinds & wanted.bit() != 0, "{name} lacks {wanted:?}");
            assert!(kinds & not.bit() == 0, "{name} has {not:?}");
        }
        assert_eq!(kinds_of(""), 0);
        assert_eq!(kinds_of("中文"), 0);
        assert_eq!(kinds_of(&"x".repeat(100_000)), 0);
        kinds_of(&"aB".repeat(1000));
    }
}
