//! What a page says it is, in structured data and in its address, as bits.
//!
//! JSON-LD and microdata name schema.org types; the path of a canonical URL often names a section. Both are hints
//! for the page's type, no more: every second shop calls its category pages products.

use std::sync::LazyLock;

use crate::blocks::class_names::Phrases;

/// Types by bit.
const TYPES: [&[&str]; 9] = [
    &[
        "Article",
        "NewsArticle",
        "BlogPosting",
        "Report",
        "OpinionNewsArticle",
        "ReportageNewsArticle",
        "ScholarlyArticle",
    ],
    &["Product", "ProductGroup", "Offer", "AggregateOffer", "IndividualProduct"],
    &["DiscussionForumPosting", "QAPage", "Question", "Answer"],
    &["ItemList", "CollectionPage", "OfferCatalog", "SearchResultsPage"],
    &["FAQPage", "HowTo", "TechArticle", "APIReference"],
    &["LocalBusiness", "Service", "ProfessionalService", "Organization", "Corporation"],
    &["Recipe", "Event", "Course", "JobPosting", "Book", "Movie"],
    &["WebPage", "AboutPage", "ContactPage"],
    &["Blog", "Person", "ProfilePage"],
];

/// Bit of pages whose `og:type` is `article`.
pub(crate) const OG_ARTICLE: u32 = 1 << 9;
/// Bit of pages whose `og:type` is a product.
pub(crate) const OG_PRODUCT: u32 = 1 << 10;
/// Number of bits.
pub(crate) const SCHEMA_BITS: usize = 11;

/// Bit of a schema.org type, by its name or URL.
pub(crate) fn bit_of(name: &str) -> u32 {
    let name = name.trim().rsplit(['/', ':']).next().unwrap_or_default();
    TYPES.iter().position(|names| names.contains(&name)).map_or(0, |bit| 1 << bit)
}

/// Sections by bit, as they stand in paths.
const SECTIONS: [&str; 6] = [
    "-forum- -forums- -thread- -threads- -topic- -viewtopic- -showthread- -discussion- -discussions- -question- \
     -questions- -community- -bbs- -comments-",
    "-product- -products- -p- -dp- -item- -shop- -store- -buy-",
    "-collections- -collection- -category- -categories- -c- -catalog- -brands- -brand-",
    "-tag- -tags- -archive- -archives- -list- -search- -directory- -listing- -listings- -events- -jobs-",
    "-docs- -doc- -documentation- -api- -reference- -guide- -guides- -manual- -help- -wiki- -tutorial- -tutorials- \
     -kb- -support- -learn- -developer- -developers-",
    "-services- -service- -solutions- -solution- -about- -pricing- -programs- -program- -plans- -consulting- -features-",
];

/// Number of numbers that [`path_features`] gives.
pub(crate) const PATH_FEATURES: usize = 11;

static PATHS: LazyLock<Phrases> = LazyLock::new(|| {
    let sections = SECTIONS.iter().enumerate().map(|(bit, list)| (1 << bit, list.split_ascii_whitespace()));
    Phrases::new(sections.flat_map(|(bit, list)| list.map(move |phrase| (phrase, bit))))
});

/// Numbers of a URL's path: sections named, a year in it, depth, shape of the last segment; -1 without a path.
pub(crate) fn path_features(path: Option<&str>) -> [f32; PATH_FEATURES] {
    let Some(path) = path else { return [-1.0; PATH_FEATURES] };
    let mut out = [0.0; PATH_FEATURES];
    let bits = PATHS.find(path);
    for (bit, value) in out[..SECTIONS.len()].iter_mut().enumerate() {
        *value = (bits >> bit & 1) as f32;
    }
    let segments = || path.split('/').filter(|s| !s.is_empty());
    let year =
        |s: &str| s.len() == 4 && (s.starts_with("19") || s.starts_with("20")) && s.parse::<u16>().is_ok();
    out[6] = f32::from(u8::from(segments().any(year)));
    out[7] = segments().count().min(20) as f32;
    let last = path.rsplit('/').find(|s| !s.is_empty()).unwrap_or_default();
    out[8] = last.len().min(200) as f32;
    out[9] = last.bytes().filter(|b| matches!(b, b'-' | b'_')).count().min(30) as f32;
    out[10] = last.bytes().filter(u8::is_ascii_digit).count().min(30) as f32;
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_paths() {
        assert_eq!(bit_of("NewsArticle"), 1);
        assert_eq!(bit_of("http://schema.org/QAPage"), 4);
        assert_eq!(bit_of("schema:Product"), 2);
        assert_eq!(bit_of(""), 0);
        let path = path_features(Some("/forum/2023/some-long-slug-12"));
        assert_eq!((path[0], path[1], path[6], path[7], path[9]), (1.0, 0.0, 1.0, 3.0, 3.0));
        assert_eq!(path_features(None)[0], -1.0);
        assert_eq!(path_features(Some("/"))[7], 0.0);
    }
}
