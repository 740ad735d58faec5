//! Rows of the job `rules`: what each tag found, and why rows are not there.

use webmill_table::table;

table! {
    /// What a tag of a rule found.
    RuleReportRow = "rules_report" sorted by [rule] {
        rule: String = "id of the rule", "books";
        layer: String = "id of the layer", "detail";
        tag: String = "id of the tag", "price";
        pages: u64 = "pages of the layer that the tag was looked for on", "1200";
        pages_without_match: u64 = "of these, pages on which it found nothing", "3";
        results: u64 = "results on all pages", "1197";
        no_address: u64 = "results of a link tag that are no address, and so left out", "0";
        cut_pages: u64 = "pages on which a limit left results out", "0";
    }
}

table! {
    /// Why rows of a group are not there, or not whole.
    RuleProblemRow = "rules_problems" sorted by [rule] {
        rule: String = "id of the rule", "books";
        group: Option<String> = "name of the group; null where it is of the whole rule", "books";
        problem: String = "what it is: counts-differ (tags of one level differ in number: the page gives no rows), incomplete (a cell is missing and the group is not outer), missing-page (behind a link, in no shard), other-page (behind a link, not of its layer), not-of-kind (a cell is null since its text is nothing of its column's kind), shortened (cut at max_length), unreadable-page, unreadable-rule, no-match (the rule matches nothing on any page)", "missing-page";
        detail: Option<String> = "the tags and their counts, the column, or the mistake, of the first case", "title 20, price 19";
        count: u64 = "how often", "3";
        url: Option<String> = "the page of the first case", "http://shop.example.com/kettles";
    }
}
