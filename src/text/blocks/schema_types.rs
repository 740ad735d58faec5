//! Types of schema.org that a page names, as bits.
//!
//! JSON-LD and microdata name schema.org types. They are hints for the page's type, no more: every second shop calls its
//! category pages products.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_types() {
        assert_eq!(bit_of("NewsArticle"), 1);
        assert_eq!(bit_of("http://schema.org/QAPage"), 4);
        assert_eq!(bit_of("schema:Product"), 2);
        assert_eq!(bit_of(""), 0);
    }
}
