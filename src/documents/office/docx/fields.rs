//! Fields of DOCX files: codes that a program replaced by results.
//!
//! **Definition.** ECMA-376-1, 17.16: `begin`, code, `separate`, result, `end`; fields stand within fields.

use crate::xml::Element;

/// Fields that may stand within each other; further ones are taken for text.
const MAX_OPEN: usize = 64;

/// A field that has begun.
#[derive(Debug, Default)]
struct Field {
    code: String,
    in_result: bool,
    target: Option<String>,
}

/// The fields that are open at a place.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    open: Vec<Field>,
}

impl Fields {
    /// Takes a mark of a field; what it shows by itself.
    pub(crate) fn mark(&mut self, mark: Element<'_>) -> Option<String> {
        match mark.attr("fldCharType").as_deref() {
            Some("begin") if self.open.len() < MAX_OPEN => {
                let shown = self.shows_text().then(|| mark.child("ffData").and_then(form)).flatten();
                self.open.push(Field::default());
                return shown;
            }
            Some("separate") => {
                if let Some(field) = self.open.last_mut() {
                    field.in_result = true;
                    field.target = link_of(&field.code);
                }
            }
            Some("end") => {
                self.open.pop();
            }
            _ => {}
        }
        None
    }

    /// Takes a piece of a code.
    pub(crate) fn code(&mut self, code: &str) {
        if let Some(field) = self.open.last_mut().filter(|field| !field.in_result && field.code.len() < 8192)
        {
            field.code.push_str(code);
        }
    }

    /// Whether words are shown here: no code is open.
    pub(crate) fn shows_text(&self) -> bool {
        self.open.iter().all(|field| field.in_result)
    }

    /// Where words lead here.
    pub(crate) fn target(&self) -> Option<String> {
        self.open.iter().rev().find_map(|field| field.target.clone())
    }
}

/// What a field of a form shows: a box, or the choice from a list.
fn form(data: Element<'_>) -> Option<String> {
    if let Some(check) = data.child("checkBox") {
        let state = check.child("checked").or_else(|| check.child("default"))?;
        let on = !state.attr("val").is_some_and(|val| matches!(&*val, "0" | "false" | "off"));
        return Some(if on { "☒" } else { "☐" }.to_owned());
    }
    let list = data.child("ddList")?;
    let chosen = list.val("result").or_else(|| list.val("default"));
    let chosen = chosen.and_then(|at| at.trim().parse::<usize>().ok()).unwrap_or(0);
    let mut entries = list.children().filter(|child| child.name() == "listEntry");
    Some(entries.nth(chosen)?.attr("val")?.into_owned())
}

/// Where the code of a field leads: `HYPERLINK "http://a.example/" \o "tip"`.
pub(crate) fn link_of(code: &str) -> Option<String> {
    let code = code.trim();
    let named = code.get(..9).filter(|name| name.eq_ignore_ascii_case("hyperlink"))?;
    let rest = code.get(named.len()..)?.trim_start();
    let target = match rest.strip_prefix(['"', '“']) {
        Some(quoted) => quoted.split(['"', '”']).next()?,
        None => rest.split_whitespace().next().filter(|word| !word.starts_with('\\'))?,
    };
    (!target.trim().is_empty()).then(|| target.trim().to_owned())
}
