//! The report from its templates: what they may ask of table `summary`, and the page's size.

use std::collections::BTreeMap;
use std::sync::Arc;

use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, Value, context};
use serde::Serialize;

use webmill_serve::surface::{Lang, environment, escape_tidied, fill, shorten, size, thousands};

/// The templates: the page, the macros, and a file for each part.
pub(crate) const TEMPLATES: [(&str, &str); 14] = [
    ("page.html", include_str!("templates/page.html")),
    ("parts.html", include_str!("templates/parts.html")),
    ("changes.html", include_str!("templates/changes.html")),
    ("ranking.html", include_str!("templates/ranking.html")),
    ("texts.html", include_str!("templates/texts.html")),
    ("documents.html", include_str!("templates/documents.html")),
    ("graph.html", include_str!("templates/graph.html")),
    ("captures.html", include_str!("templates/captures.html")),
    ("duplicates.html", include_str!("templates/duplicates.html")),
    ("topics.html", include_str!("templates/topics.html")),
    ("classes.html", include_str!("templates/classes.html")),
    ("rules.html", include_str!("templates/rules.html")),
    ("crawl.html", include_str!("templates/crawl.html")),
    ("made.html", include_str!("templates/made.html")),
];

/// Greatest size of a page.
pub const MAX_BYTES: usize = 200_000;

/// The numbers of table `summary`.
struct Numbers {
    /// Names and values of each section, in the order of the table.
    sections: BTreeMap<String, Vec<(String, f64)>>,
    /// Values by section and name, as `corpus: captures`.
    values: BTreeMap<String, f64>,
}

impl Numbers {
    fn value(&self, of: &str) -> Option<f64> {
        self.values.get(of).copied()
    }

    /// A number as it is `written` for people, and where it is from.
    fn shown(&self, of: &str, written: impl FnOnce(f64) -> String) -> Result<Value, Error> {
        let Some(value) = self.value(of) else {
            return Err(Error::new(ErrorKind::UndefinedError, format!("table summary has no {of}")));
        };
        let (of, written) = (escape_tidied(of), written(value));
        Ok(Value::from_safe_string(format!("<data value=\"{value}\" data-of=\"{of}\">{written}</data>")))
    }

    /// Names, counts and places of a section, in the order of the table.
    fn rows(&self, section: &str) -> Vec<(String, u64, String)> {
        let rows = self.sections.get(section).into_iter().flatten();
        rows.map(|(name, count)| (name.clone(), *count as u64, format!("{section}: {name}"))).collect()
    }
}

fn listed(rows: Vec<(String, u64, String)>) -> Value {
    rows.into_iter().map(|(name, count, of)| context! { name, count, of }).collect()
}

fn share(part: f64, whole: f64) -> String {
    format!("{:.1} %", 100.0 * part / whole.max(1.0))
}

/// What templates may ask of the numbers.
fn add_functions(environment: &mut Environment<'_>, numbers: Numbers, lang: Lang) {
    let (words, languages) = (lang.words("report"), lang.words("languages"));
    let numbers = Arc::new(numbers);
    let of = |numbers: &Arc<Numbers>| Arc::clone(numbers);
    let all = of(&numbers);
    environment.add_function("value", move |name: &str| all.value(name));
    let all = of(&numbers);
    environment.add_function("count", move |name: &str| all.shown(name, |n| thousands(n as u64)));
    let all = of(&numbers);
    environment.add_function("decimal", move |name: &str, digits: usize| {
        all.shown(name, |x| format!("{x:.digits$}"))
    });
    let all = of(&numbers);
    environment.add_function("percent", move |name: &str| all.shown(name, |x| share(x, 1.0)));
    let all = of(&numbers);
    environment.add_function("written", move |name: &str, text: &str| {
        all.shown(name, |_| escape_tidied(text).into_owned())
    });
    let all = of(&numbers);
    environment.add_function("rows", move |section: &str| listed(all.rows(section)));
    environment.add_function("counts", move |section: &str| {
        let mut rows = numbers.rows(section);
        rows.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        listed(rows)
    });
    environment.add_function("share", share);
    environment.add_filter("thousands", |n: u64| thousands(n));
    environment.add_filter("size", |bytes: f64| size(bytes as u64));
    environment.add_filter("fixed", |x: f64, digits: usize| format!("{x:.digits$}"));
    environment.add_filter("short", |text: &str, most: usize| shorten(text, most));
    environment.add_filter("worded", move |name: &str, by: Option<&str>| match by {
        None => name.to_owned(),
        Some("language") => languages.get(name).map_or(name, String::as_str).to_owned(),
        Some("cluster") => fill(&words["pages_in_cluster"], &[name.parse().map_or(name.into(), thousands)]),
        Some(prefix) => words.get(&format!("{prefix}{name}")).map_or(name, String::as_str).to_owned(),
    });
    environment.add_global("style", include_str!("style.css"));
    environment.add_global("script", include_str!("script.js"));
}

/// The report as one HTML document of at most [`MAX_BYTES`]: where tables make it longer, they lose rows from their ends.
///
/// `numbers` are the rows of table `summary`: section, name, value; the templates say what they read of `data`.
///
/// # Errors
/// Where `data` lacks what the templates read, or they show a number that table `summary` has not.
pub fn render<'a>(
    lang: Lang,
    numbers: impl IntoIterator<Item = (&'a str, &'a str, f64)>,
    data: &impl Serialize,
) -> Result<String, String> {
    let mut of = Numbers { sections: BTreeMap::new(), values: BTreeMap::new() };
    for (section, name, value) in numbers {
        of.sections.entry(section.to_owned()).or_default().push((name.to_owned(), value));
        of.values.insert(format!("{section}: {name}"), value);
    }
    let mut environment = environment(lang, "report", &TEMPLATES, escape_tidied);
    add_functions(&mut environment, of, lang);
    let data = Value::from(Serde(data));
    let mut most = 10_000u64;
    loop {
        environment.add_global("most", most);
        let html = environment.get_template("page.html").and_then(|page| page.render(&data));
        let html = html.map_err(|error| reasons(&error))? + "\n";
        if html.len() <= MAX_BYTES || most == 1 {
            return Ok(html);
        }
        most = (most / 2).max(1);
    }
}

/// An error of a template and what it came from, outermost first.
fn reasons(error: &Error) -> String {
    let sources = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
