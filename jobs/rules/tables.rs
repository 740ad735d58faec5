//! Rows of the job `rules`: the columns of groups, what each tag found, and why rows are not there.

use webmill_rules::{Column, Group, Kind, Rule};
use webmill_table::{ColumnSchema, ColumnType, TableSchema, table};

/// What the tables of groups are called where no rule is named.
pub const ANY_GROUP: &str = "rule_RULE_GROUP";

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
        count: u64 = "how often it was met", "3";
        url: Option<String> = "the page of the first case", "http://shop.example.com/kettles";
    }
}

/// The columns that the table of every group has: the first stands before those of the group, the others behind them.
fn provenance() -> Vec<ColumnSchema> {
    let text = |name: &str, description: &str, example: &str| {
        ColumnSchema::new(name, ColumnType::String, description, example)
    };
    let kind = |kind, column| ColumnSchema { kind, ..column };
    vec![
        text(
            "url",
            "canonical URL of the page that the row's last cells are from",
            "http://shop.example.com/kettles",
        ),
        text("url_key", "key of the page in table pages", "9f…"),
        text("host", "host name of the page", "shop.example.com"),
        text("domain", "registrable domain of the host", "example.com"),
        text("top_url", "canonical URL of the page that the row begins on", "http://shop.example.com/"),
        text("layer", "id of the layer of the page", "detail"),
        text("path", "numbers of the records on the way from the top page down, from 0", "3.0"),
        text("warc_filename", "shard of the page's record", "crawl-00001.raw"),
        kind(
            ColumnType::Int64,
            text("warc_record_offset", "offset of the page's record in its shard", "183214"),
        ),
    ]
}

/// A column of a group.
fn own(rule: &Rule, column: &Column) -> ColumnSchema {
    let (kind, what, example) = match column.kind {
        Kind::String => (ColumnType::String, "text", "Copper kettle"),
        Kind::Number => (ColumnType::Float64, "number", "12.5"),
        Kind::Date => (ColumnType::String, "day, ISO 8601,", "2003-04-15"),
        Kind::Image => (ColumnType::String, "address of the picture", "http://shop.example.com/7.jpg"),
        Kind::Url => (ColumnType::String, "address", "http://shop.example.com/kettles/7"),
    };
    let cut = column.max_length.map_or(String::new(), |most| format!(", cut at {most} characters"));
    let tag = &rule.tags[column.tag].id;
    let description = format!("{what} that tag {tag} found{cut}; null where there is none");
    ColumnSchema::new(&column.name, kind, &description, example).nullable()
}

/// The columns of a group's table.
pub fn schema(rule: &Rule, group: &Group) -> TableSchema {
    let mut columns = provenance();
    columns.splice(1..1, group.columns.iter().map(|column| own(rule, column)));
    TableSchema {
        name: rule.table(group),
        about: format!(
            "Rows of group {} of rule {} ({}), in the order of the SURT of the page that they begin on.",
            group.name, rule.id, rule.name
        ),
        columns,
        ..TableSchema::default()
    }
}

/// What the tables of all groups have in common.
pub fn any_group() -> TableSchema {
    TableSchema {
        name: ANY_GROUP.to_owned(),
        about: "Rows of a group of a rule, a table each: the columns that the rule names stand behind `url`, nullable, numbers as \
                Float64, all else as String; `webmill schema RESULTS` describes those of results."
            .to_owned(),
        columns: provenance(),
        ..TableSchema::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_may_not_name_the_columns_that_every_group_has() {
        let names: Vec<String> = provenance().into_iter().map(|column| column.name).collect();
        assert_eq!(names, webmill_rules::PROVENANCE);
    }
}
