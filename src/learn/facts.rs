//! Known facts about a page, and which of it becomes features.

use serde::{Deserialize, Serialize};

/// Known facts about a page; unknown ones are empty.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageFacts<'a> {
    /// Its address; the host and path are read.
    pub url: &'a str,
    /// Title of the page; empty if unknown.
    pub title: &'a str,
    /// Its main text.
    pub text: &'a str,
    /// ISO 639-3 code of its language.
    pub language: &'a str,
    /// Texts of links that lead to it.
    pub anchors: &'a [&'a str],
    /// What it shows: kinds, formats, alternative texts.
    pub media: &'a [&'a str],
    /// Type of page: article, listing …
    pub page_type: &'a str,
}

/// Which sources become features.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FeatureOptions {
    /// Words of the main text.
    pub text: bool,
    /// How often a word of the title counts among those of the text; 0: not at all.
    pub title_weight: u32,
    /// Words of the title as features of their own, too.
    pub title: bool,
    /// Pairs of neighbouring words of title and text.
    pub bigrams: bool,
    /// Pairs of neighbouring ideographs of title and text.
    pub han_pairs: bool,
    /// Words of host and path.
    pub url: bool,
    /// Words of links that lead to the page.
    pub anchors: bool,
    /// Words of what it shows.
    pub media: bool,
    /// Whether the language of the page is a feature.
    pub language: bool,
    /// Whether the type of the page is a feature.
    pub page_type: bool,
}

impl Default for FeatureOptions {
    fn default() -> Self {
        FeatureOptions {
            text: true,
            title_weight: 3,
            title: false,
            bigrams: false,
            han_pairs: false,
            url: true,
            anchors: true,
            media: false,
            language: false,
            page_type: false,
        }
    }
}

/// Where a feature comes from. Its name says so: anything that is no word of the text has a prefix that ends in a stroke, which is in no word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureOrigin {
    /// A word of text or title.
    Word,
    /// Two neighbouring words of text or title.
    Bigram,
    /// Two neighbouring ideographs.
    HanPair,
    /// A word of the title.
    Title,
    /// A word of the address.
    Url,
    /// A word of a link that leads to the page.
    Anchor,
    /// A word of what it shows.
    Media,
    /// The language of the page.
    Language,
    /// The type of the page.
    PageType,
}

impl FeatureOrigin {
    /// Every source.
    pub const ALL: [FeatureOrigin; 9] = [
        FeatureOrigin::Word,
        FeatureOrigin::Bigram,
        FeatureOrigin::HanPair,
        FeatureOrigin::Title,
        FeatureOrigin::Url,
        FeatureOrigin::Anchor,
        FeatureOrigin::Media,
        FeatureOrigin::Language,
        FeatureOrigin::PageType,
    ];

    /// What the names of its features begin with.
    pub fn prefix(self) -> &'static str {
        match self {
            FeatureOrigin::Word | FeatureOrigin::Bigram => "",
            FeatureOrigin::HanPair => "han/",
            FeatureOrigin::Title => "title/",
            FeatureOrigin::Url => "url/",
            FeatureOrigin::Anchor => "anchor/",
            FeatureOrigin::Media => "media/",
            FeatureOrigin::Language => "language/",
            FeatureOrigin::PageType => "type/",
        }
    }

    /// The source of a feature of this name.
    pub fn of(feature: &str) -> FeatureOrigin {
        let tagged = FeatureOrigin::ALL
            .into_iter()
            .find(|s| !s.prefix().is_empty() && feature.starts_with(s.prefix()));
        tagged.unwrap_or(if feature.contains(' ') { FeatureOrigin::Bigram } else { FeatureOrigin::Word })
    }

    /// Whether these options use it.
    pub fn is_in(self, options: &FeatureOptions) -> bool {
        match self {
            FeatureOrigin::Word => options.text || options.title_weight > 0,
            FeatureOrigin::Bigram => options.bigrams,
            FeatureOrigin::HanPair => options.han_pairs,
            FeatureOrigin::Title => options.title,
            FeatureOrigin::Url => options.url,
            FeatureOrigin::Anchor => options.anchors,
            FeatureOrigin::Media => options.media,
            FeatureOrigin::Language => options.language,
            FeatureOrigin::PageType => options.page_type,
        }
    }
}
