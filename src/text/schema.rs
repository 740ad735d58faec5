//! What a page's structured data says it is, read without a JSON parser.
//!
//! JSON-LD names its types in `"@type"` members and microdata in `itemtype`; OpenGraph in `og:type`. Only the names
//! matter here, and scripts are often not valid JSON, so they are searched for, in at most [`MAX_SCRIPT`] bytes.

use crate::html::{Dom, NodeId, Tag};

/// Bytes read of all structured data of a page.
const MAX_SCRIPT: usize = 1 << 20;

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

fn bit_of(name: &str) -> u32 {
    TYPES.iter().position(|names| names.contains(&name)).map_or(0, |bit| 1 << bit)
}

/// Bits of the types that occur in JSON-LD scripts and `itemtype` attributes.
pub(crate) fn types(dom: &Dom<'_>) -> u32 {
    let mut bits = 0;
    let mut budget = MAX_SCRIPT;
    for node in dom.descendants(dom.document()) {
        match dom.tag(node) {
            Tag::Script if is_json_ld(dom, node) => {
                for child in dom.children(node) {
                    let text = dom.text(child);
                    if text.len() > budget {
                        return bits;
                    }
                    budget -= text.len();
                    bits |= types_in(text);
                }
            }
            Tag::Text | Tag::Comment | Tag::A | Tag::P | Tag::B | Tag::I | Tag::Br => {}
            _ => {
                if let Some(name) = dom.attr(node, "itemtype") {
                    bits |= bit_of(name.rsplit('/').next().unwrap_or_default());
                }
            }
        }
    }
    bits
}

/// Whether an element is a script with JSON-LD.
pub(crate) fn is_json_ld(dom: &Dom<'_>, node: NodeId) -> bool {
    dom.attr(node, "type").is_some_and(|t| t.trim().eq_ignore_ascii_case("application/ld+json"))
}

fn types_in(json: &str) -> u32 {
    let mut bits = 0;
    for (at, found) in json.match_indices("\"@type\"") {
        let rest = &json[at + found.len()..];
        // One string, or a list of them.
        let end = rest.find([',', '}', ']']).unwrap_or(rest.len()).min(200);
        for name in rest.get(..end).unwrap_or_default().split('"') {
            bits |= bit_of(name.rsplit('/').next().unwrap_or_default());
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_ld_types() {
        assert_eq!(types_in(r#"{"@type":"NewsArticle","x":1}"#), 1);
        assert_eq!(types_in(r#"{"@type" : ["Product","Thing"]}"#), 2);
        assert_eq!(types_in(r#"{"@type":"http://schema.org/QAPage"}"#), 4);
        assert_eq!(types_in("{\"@type\""), 0);
    }
}
