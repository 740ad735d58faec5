//! What class names, ids and roles say about an element.
//!
//! Authors name the parts of their pages: `nav`, `post-body`, `relatedPosts`, `xiangguan`. A name is turned into a set
//! of [`Kind`]s by looking for known fragments in it. The name is folded first: letters to lower case, everything else
//! and every lower-to-upper step to one boundary mark, so that `-ad-` in a fragment matches `ad`, `top-ad`, `adBox`,
//! but not `shadow` or `header`. Each name of a list stands for itself. A name that tells the state of an element or of what
//! it holds (`has-comments`, `comments-open`, `no-sidebar`) names no kind; nor do the categories and tags that WordPress
//! writes among the names of a post (`tag-comments`).
//!
//! Algorithm: one automaton over all fragments (A. V. Aho, M. J. Corasick, *Efficient string matching*, CACM 18 (1975),
//! doi:10.1145/360825.360855), one step a letter of the folded name; it is built once a process. Names longer than
//! [`MAX_NAME`] bytes are read to that length only.

use std::sync::LazyLock;

use crate::phrases::{MAX_NAME, Phrases};
use crate::word_list::section;
use webmill_capture::cut::Cut;

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

/// A name of a state.
const STATE: u64 = 1 << 62;
/// A name with `comment` in it that is not after readers' comments.
const NO_COMMENT: u64 = 1 << 61;
/// Words of an id at most; longer ones are headings that became addresses: `how-to-reply-to-a-message`.
const MAX_WORDS: usize = 6;
/// What the names of categories, tags and authors of a post begin with.
const VALUES: [&str; 4] = ["category-", "tag-", "author-", "series-"];
/// A name that only posts have.
const POST: &str = "hentry";

/// Fragments by kind: `-` is a boundary between words.
static NAMES: LazyLock<Phrases> = LazyLock::new(|| {
    let lists =
        Kind::ALL.map(|kind| (kind.bit(), section(include_str!("class_names.txt"), &format!("{kind:?}"))));
    let others = [("State", STATE), ("NoComment", NO_COMMENT)];
    let others = others.map(|(name, bit)| (bit, section(include_str!("class_names.txt"), name)));
    let lines = lists
        .into_iter()
        .chain(others)
        .flat_map(|(bit, lines)| lines.into_iter().map(move |line| (bit, line)));
    Phrases::new(
        lines.flat_map(|(bit, line)| line.split_ascii_whitespace().map(move |fragment| (fragment, bit))),
    )
});

/// The kinds whose fragments occur in the names of a class list, an id or a role, as a bit set.
pub(crate) fn kinds_of(names: &str) -> u64 {
    let names = match names.len() > MAX_NAME {
        true => names
            .cut(..names.floor_char_boundary(MAX_NAME))
            .rsplit_once(char::is_whitespace)
            .map_or("", |(whole, _)| whole),
        false => names,
    };
    let of_post = names.contains(POST);
    let names = names.split_ascii_whitespace();
    let names = names.filter(|name| !of_post || !VALUES.iter().any(|value| name.starts_with(value)));
    names.fold(0, |kinds, name| kinds | kinds_of_one(name))
}

/// The kinds of an id; of a sentence none.
pub(crate) fn kinds_of_id(id: &str) -> u64 {
    let words = id.split(['-', '_', ' ']).filter(|word| !word.is_empty());
    if words.take(MAX_WORDS + 1).count() > MAX_WORDS { 0 } else { kinds_of(id) }
}

/// The kinds of one name.
fn kinds_of_one(name: &str) -> u64 {
    let found = NAMES.find(name);
    match found & (STATE | NO_COMMENT) {
        0 => found,
        NO_COMMENT => found & !(NO_COMMENT | Kind::Comment.bit()),
        _ => found & Kind::Hidden.bit(),
    }
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
        for name in [
            "post comments-open",
            "no-comments",
            "main has-comments",
            "commentsClosed",
            "comment-count",
            "hljs-comment",
            "hentry tag-comments",
            "has-sidebar",
            "no-footer",
            "commentary",
            "layout-no-sidebar",
            "page menu-open",
            "nocomments",
            "nav-enabled",
            "without-ads",
        ] {
            let asides = [Kind::Comment, Kind::Side, Kind::Footer, Kind::Nav, Kind::Advert];
            assert!(asides.into_iter().all(|kind| kinds_of(name) & kind.bit() == 0), "{name}");
        }
        assert_eq!(kinds_of_id("how-to-reply-to-a-message-in-the-menu"), 0);
        assert!(kinds_of_id("comment-list") & Kind::Comment.bit() != 0);
        assert!(kinds_of("comments-section__comment__body--top") & Kind::Comment.bit() != 0);
        // A name that is cut is none.
        assert_eq!(kinds_of(&format!("{} comments-open", "x".repeat(MAX_NAME - 10))), 0);
        assert!(kinds_of("menu-closed hidden") & Kind::Hidden.bit() != 0);
        assert!(kinds_of("tag-links") & Kind::Tags.bit() != 0);
        assert_eq!(kinds_of(""), 0);
        assert_eq!(kinds_of("中文"), 0);
        assert_eq!(kinds_of(&"x".repeat(100_000)), 0);
        kinds_of(&"aB ".repeat(1000));
    }
}
