//! Filters: named rules by which texts are left out, written as conditions on columns.
//!
//! A filter is a file of TOML. Its rules are asked one after the other; the first that says so drops the text:
//!
//! ```toml
//! about = "Short texts and lists"
//! lines = "c4"                                 # texts are cut to the lines that C4 keeps
//!
//! [[rules]]
//! name = "short"
//! drop = "plain_words < 50"                    # dropped where it holds; unknown (null) drops nothing
//!
//! [[rules]]
//! name = "few-ideographs"
//! when = "language = 'zho'"                    # asked of these texts alone
//! keep = "han_chars >= 0.3"                    # dropped where it does not hold, or is unknown
//! ```

use serde::{Deserialize, Serialize};
use webmill_capture::{Error, Result};

use super::{Expression, Operand};

/// The filters that come with webmill: name and file.
pub const SHIPPED: [(&str, &str); 6] = [
    ("gopher-repetition", include_str!("filters/gopher-repetition.toml")),
    ("gopher-quality", include_str!("filters/gopher-quality.toml")),
    ("c4", include_str!("filters/c4.toml")),
    ("mc4", include_str!("filters/mc4.toml")),
    ("fineweb", include_str!("filters/fineweb.toml")),
    ("chinese", include_str!("filters/chinese.toml")),
];

/// A filter as it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterFile {
    /// One sentence for readers of the file.
    about: Option<String>,
    lines: Option<String>,
    #[serde(default)]
    rules: Vec<RuleText>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleText {
    name: String,
    drop: Option<String>,
    keep: Option<String>,
    when: Option<String>,
}

/// A filter, checked against the columns that there are.
#[derive(Debug, Clone)]
pub struct Filter {
    /// Its name.
    pub name: String,
    /// Whether texts are cut to the lines that C4 keeps.
    pub c4_lines: bool,
    /// In their order.
    pub rules: Vec<Rule>,
}

/// A rule of a filter.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Its name.
    pub name: String,
    when: Option<Expression>,
    condition: Expression,
    drops: bool,
}

impl Filter {
    /// A filter of this name, as its file says.
    ///
    /// # Errors
    /// [`Error::Config`] that names filter, rule and mistake.
    pub fn of(name: &str, file: FilterFile, columns: &[(&str, Operand<'_>)]) -> Result<Filter> {
        let wrong = |why: String| Error::Config(format!("filter {name}: {why}"));
        let c4_lines = match file.lines.as_deref() {
            None => false,
            Some("c4") => true,
            Some(other) => return Err(wrong(format!("lines = {other:?}: only \"c4\" is known"))),
        };
        if file.rules.is_empty() && !c4_lines {
            return Err(wrong("it has no [[rules]]".into()));
        }
        let mut rules: Vec<Rule> = Vec::new();
        for rule in file.rules {
            let wrong = |why: String| wrong(format!("rule {:?}: {why}", rule.name));
            if rule.name.is_empty() || rules.iter().any(|known| known.name == rule.name) {
                return Err(wrong("each rule has a name of its own".into()));
            }
            let (condition, drops) = match (&rule.drop, &rule.keep) {
                (Some(drop), None) => (drop, true),
                (None, Some(keep)) => (keep, false),
                _ => return Err(wrong("it has either drop or keep".into())),
            };
            let parse = |text: &String| Expression::parse(text, columns).map_err(|e| wrong(e.to_string()));
            rules.push(Rule {
                when: rule.when.as_ref().map(parse).transpose()?,
                condition: parse(condition)?,
                drops,
                name: rule.name,
            });
        }
        Ok(Filter { name: name.to_owned(), c4_lines, rules })
    }

    /// A filter that keeps texts of which a condition holds.
    ///
    /// # Errors
    /// [`Error::Config`] like [`Expression::parse`].
    pub fn of_condition(text: &str, columns: &[(&str, Operand<'_>)]) -> Result<Filter> {
        let condition = Expression::parse(text, columns)?;
        let rule = Rule { name: text.to_owned(), when: None, condition, drops: false };
        Ok(Filter { name: "where".into(), c4_lines: false, rules: vec![rule] })
    }
}

impl Rule {
    /// The columns that it asks for.
    pub fn columns(&self) -> impl Iterator<Item = &String> {
        self.when.iter().flat_map(|when| when.columns()).chain(self.condition.columns())
    }

    /// Whether it drops a row, and by which values. `value` gives those of its columns.
    pub fn drops<'a>(&self, value: impl Fn(&str) -> Operand<'a>) -> Option<String> {
        let row = |of: &Expression| of.columns().iter().map(|name| value(name)).collect::<Vec<_>>();
        if let Some(when) = &self.when
            && when.holds(&row(when)) != Some(true)
        {
            return None;
        }
        let values = row(&self.condition);
        let holds = self.condition.holds(&values);
        let goes = if self.drops { holds == Some(true) } else { holds != Some(true) };
        goes.then(|| self.condition.values(&values))
    }
}
