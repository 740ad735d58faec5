//! Rows of the table that a focused crawl leaves.

use webmill_crawl::focus::Harvested;
use webmill_table::table;

table! {
    /// One row per page that a focused crawl fetched, in the order of fetching.
    HarvestRow = "harvest" {
        order: u64 = "order of fetching, from 0", "17";
        url: String = "canonical URL", "http://tea.example/green";
        relevance: f32 = "relevance by the topic, 0 to 1", "0.61";
        relevant: bool = "whether relevance reaches the topic's threshold", "true";
        score: f32 = "score of the link that the page was fetched for; 1 for a seed", "0.44";
        anchor: f32 = "part of the score: likeness of the link's text to the topic", "0.8";
        context: f32 = "part of the score: likeness of the text around it, where the anchor is below the threshold", "0";
        url_words: f32 = "part of the score: likeness of the words of host and path", "0.2";
        inherited: f32 = "part of the score: what the page that links hands on: its relevance where it is relevant, else half of what it inherited itself", "0.55";
        hub: f32 = "part of the score: share of relevant pages among that page's targets, (relevant + 1)/(fetched + 4)", "0.4";
        site: f32 = "part of the score: share of relevant pages of the host, (relevant + 1)/(fetched + 10)", "0.3";
        guide: f32 = "part of the score: guide words in anchor or URL", "0";
        prior: f32 = "part of the score: place of the best-first priority among all links so far", "0.5";
        learned: f32 = "part of the score: what links like it led to in an earlier run, raised or lowered as that page's other targets turned out", "0.7";
        tunnel: u32 = "irrelevant pages in a row on the way to it", "0";
        referrer: Option<String> = "page whose link gave the score; null for a seed", "http://tea.example/";
    }
}

impl From<Harvested> for HarvestRow {
    fn from(of: Harvested) -> HarvestRow {
        let [anchor, context, url_words, inherited, hub, site, guide, prior, learned] = of.parts;
        HarvestRow {
            order: of.order,
            url: of.url,
            relevance: of.relevance,
            relevant: of.relevant,
            score: of.score,
            anchor,
            context,
            url_words,
            inherited,
            hub,
            site,
            guide,
            prior,
            learned,
            tunnel: of.tunnel,
            referrer: of.referrer,
        }
    }
}
