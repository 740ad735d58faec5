//! What every setting of a recipe is for, with its default, as `settings!` declares it.

use serde_json::Value;
use webmill::capture::settings::settings_of;
use webmill::crawl::CrawlOptions;
use webmill::jobs::recipe::Settings;
use webmill::jobs::{
    count, dedup, extract, graph, keywords, learn, mirrors, rank, repeated, report, rules, shape, signals,
};

/// A setting of a recipe.
pub struct Setting {
    /// Its name below the table: `limits.max_depth`.
    pub path: String,
    /// Its default, as a recipe would have it.
    pub default: String,
    /// What it is for.
    pub about: String,
}

/// The tables of a recipe with the settings of each, in the order of the source.
pub fn tables() -> Vec<(&'static str, Vec<Setting>)> {
    vec![
        table::<extract::Extract>(),
        table::<graph::GraphJob>(),
        table::<rank::Rank>(),
        table::<shape::Shape>(),
        table::<dedup::Dedup>(),
        table::<repeated::RepeatedLines>(),
        table::<mirrors::Mirrors>(),
        table::<keywords::KeywordsJob>(),
        table::<rules::RuleSettings>(),
        table::<signals::SignalSettings>(),
        table::<learn::settings::Learn>(),
        table::<count::words::CountWords>(),
        table::<count::backlinks::CountBacklinks>(),
        table::<count::host_terms::CountHostTerms>(),
        table::<count::index::CountIndex>(),
        table::<count::grep::CountGrep>(),
        table::<count::visits::CountVisits>(),
        table::<count::sort::CountSort>(),
        table::<report::Report>(),
        table::<CrawlOptions>(),
    ]
}

fn table<S: Settings>() -> (&'static str, Vec<Setting>) {
    let defaults = json(&S::default());
    let setting = |setting: webmill::capture::settings::Setting| {
        let webmill::capture::settings::Setting { path, mut about, words, range } = setting;
        assert!(about.len() > 8, "{path}: the source says nothing about it");
        if !words.is_empty() {
            about += &format!(" One of {}.", words.join(", "));
        }
        if !range.is_empty() {
            about += &format!(" From {range}.");
        }
        let default = match path.contains("[]") {
            true => "–".to_owned(),
            // What is read and not written is an empty list.
            false => path
                .split('.')
                .try_fold(&defaults, |at, name| at.get(name))
                .map_or_else(|| "[]".to_owned(), written),
        };
        Setting { path, default, about }
    };
    (S::TABLE, settings_of::<S>().into_iter().map(setting).collect())
}

/// Settings as JSON: by its text, where a number of 32 bits is as short as in the source.
fn json(settings: &impl serde::Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(settings).unwrap()).unwrap()
}

/// A default as a recipe would have it.
fn written(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Object(entries) if entries.is_empty() => "{}".to_owned(),
        other => other.to_string().replace("\",\"", "\", \""),
    }
}

#[test]
fn every_table_of_a_recipe_has_settings_that_are_explained() {
    let tables = tables();
    let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
    for job in webmill::jobs::builtin::registry().jobs() {
        let table = if job.name.starts_with("learn-") { "learn" } else { job.name };
        assert!(names.contains(&table), "{}: its settings stand on no page", job.name);
    }
    let find = |table: &str, path: &str| {
        let settings = &tables.iter().find(|(name, _)| *name == table).unwrap().1;
        settings.iter().find(|setting| setting.path == path).unwrap().default.clone()
    };
    assert_eq!(find("extract", "file_rows"), extract::Extract::default().file_rows.to_string());
    assert_eq!(find("crawl", "politeness.delay_ms"), "1000");
    assert_eq!(find("crawl", "fetch.no_proxy"), "[]");
    assert_eq!(find("crawl", "limits.pages"), "none");
    assert_eq!(find("crawl", "sites[].delay_ms"), "–");
    assert_eq!(find("dedup", "against"), "[]");
}

/// The page that explains media types writes their setting as a recipe of the default.
#[test]
fn recipes_that_say_they_are_the_defaults_are() {
    let defaults = json(&CrawlOptions::default());
    let text = super::read("docs/media-types.md");
    let recipe = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let recipe: toml::Table = toml::from_str(recipe).unwrap();
    let said = serde_json::to_value(&recipe["crawl"]["scope"]).unwrap();
    for (name, value) in said.as_object().unwrap() {
        assert_eq!(*value, defaults["scope"][name], "scope.{name}");
    }
}
