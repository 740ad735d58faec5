//! Rules that come with the program, for structures that the whole Web shares.

/// Names and texts.
pub const BUILTIN: &[(&str, &str)] = &[
    ("articles", include_str!("builtin/articles.toml")),
    ("breadcrumbs", include_str!("builtin/breadcrumbs.toml")),
    ("definitions", include_str!("builtin/definitions.toml")),
    ("events", include_str!("builtin/events.toml")),
    ("feeds", include_str!("builtin/feeds.toml")),
    ("jobs", include_str!("builtin/jobs.toml")),
    ("opengraph", include_str!("builtin/opengraph.toml")),
    ("organizations", include_str!("builtin/organizations.toml")),
    ("products", include_str!("builtin/products.toml")),
    ("questions", include_str!("builtin/questions.toml")),
    ("recipes", include_str!("builtin/recipes.toml")),
    ("tables", include_str!("builtin/tables.toml")),
    ("threads", include_str!("builtin/threads.toml")),
];

/// What an argument begins with that names a rule of these instead of a file: `builtin:tables`, `builtin:all`.
pub const PREFIX: &str = "builtin:";

/// Whether a text is that of a rule that comes with the program.
pub fn is_builtin(source: &str) -> bool {
    BUILTIN.iter().any(|(_, text)| *text == source)
}

/// The rules that an argument names; `None` where it names none of these.
pub fn named(argument: &str) -> Option<Vec<(&'static str, &'static str)>> {
    let name = argument.strip_prefix(PREFIX)?;
    Some(BUILTIN.iter().filter(|(known, _)| name == "all" || *known == name).copied().collect())
}

#[cfg(test)]
mod tests {
    use webmill_capture::CanonicalUrl;
    use webmill_html::{Limits, parse};

    use super::*;
    use crate::{ApplyLimits, Rule, RulePage};

    #[test]
    fn every_one_is_a_rule_of_its_name() {
        for (name, text) in BUILTIN {
            let rule = Rule::parse(text).unwrap_or_else(|mistakes| panic!("{name}: {mistakes:#?}"));
            assert_eq!(rule.id, *name);
            assert!(rule.notes.is_some() && !rule.groups.is_empty(), "{name}");
        }
        assert_eq!(named("builtin:all").unwrap().len(), BUILTIN.len());
        assert_eq!(named("builtin:none"), Some(Vec::new()));
        assert_eq!(named("tables"), None);
    }

    /// How many results each tag has on a page; `None` where it is not of the rule.
    fn found(name: &str, html: &str) -> Option<Vec<(String, u64)>> {
        let text = BUILTIN.iter().find(|(known, _)| *known == name).unwrap().1;
        let rule = Rule::parse(text).unwrap();
        let url = CanonicalUrl::parse("http://a.example/").unwrap();
        let dom = parse(html, &Limits::default());
        let page = RulePage::new(&url, html, &dom, encoding_rs::UTF_8);
        let results = page.is_of(&rule, 0).then(|| page.apply(&rule, 0, &ApplyLimits::default()))?;
        Some(results.counts.iter().map(|count| (rule.tags[count.tag].id.clone(), count.results)).collect())
    }

    #[test]
    fn they_find_what_they_are_for() {
        let product = r#"<script type="application/ld+json">{"@type":"Product","name":"K","offers":[{"price":1},{"price":2}]}</script>"#;
        for (name, page, tag, count) in [
            (
                "opengraph",
                "<meta property='og:title' content=T><meta property=og:image content=/a.png>",
                "image",
                1,
            ),
            ("products", product, "price", 2),
            (
                "articles",
                r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"H"}</script>"#,
                "headline",
                1,
            ),
            (
                "breadcrumbs",
                r#"<script type="application/ld+json">{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","position":1,
                   "name":"Home"},{"@type":"ListItem","position":2,"item":{"@id":"/b","name":"B"}}]}</script>"#,
                "step",
                2,
            ),
            (
                "events",
                r#"<script type="application/ld+json">{"@type":"MusicEvent","name":"N","location":{"@type":"Place","name":"L"}}</script>"#,
                "place",
                1,
            ),
            (
                "recipes",
                "<div itemscope itemtype=https://schema.org/Recipe><p itemprop=name>R<p itemprop=recipeIngredient>A</div>",
                "ingredients",
                1,
            ),
            (
                "questions",
                r#"<script type="application/ld+json">{"@type":"FAQPage","mainEntity":[{"@type":"Question","name":"Q",
                   "acceptedAnswer":{"@type":"Answer","text":"A"}}]}</script>"#,
                "answer",
                1,
            ),
            (
                "organizations",
                r#"<script type="application/ld+json">{"@type":"LocalBusiness","name":"O","url":"http://o.example/"}</script>"#,
                "address",
                1,
            ),
            (
                "jobs",
                r#"<script type="application/ld+json">{"@type":"JobPosting","title":"J","hiringOrganization":"E"}</script>"#,
                "employer",
                1,
            ),
            (
                "products",
                "<div itemscope itemtype='http://schema.org/Product'><b itemprop=name>K</b></div>",
                "name",
                1,
            ),
            ("tables", "<table><tr><th>A<th>B<tr><td>1<td>2<tr><td>3<td>4</table>", "row", 2),
            ("definitions", "<dl><dt>a<dd>1<dt>b<dd>2<dd>3</dl>", "description", 2),
            ("feeds", "<link rel=alternate type=application/rss+xml href=/feed title=F>", "address", 1),
            (
                "threads",
                "<body id=\"phpbb\"><div class=post id=p1><div class=content>Hello</div></div>",
                "text",
                1,
            ),
        ] {
            let results = found(name, page).unwrap_or_else(|| panic!("{name}: not its page"));
            assert!(results.contains(&(tag.to_owned(), count)), "{name}: {results:?}");
            assert_eq!(found(name, "<p>nothing"), None, "{name}");
        }
    }
}
