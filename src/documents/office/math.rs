//! Formulas of Office files, written in a line as LaTeX does.
//!
//! **Definition.** ECMA-376-1, 22.1 (Office Math).
//!
//! **Bad input.** Elements that are not known are walked through; depth is bounded by that of the tree.

use crate::builder::one_line;
use crate::xml::Element;

/// A formula in a line.
pub(crate) fn formula(math: Element<'_>) -> String {
    let mut shown = String::new();
    write(math, &mut shown);
    one_line(&shown)
}

fn write(parent: Element<'_>, out: &mut String) {
    for element in parent.children() {
        let part = |name: &str| element.child(name).map(group).unwrap_or_default();
        match element.name() {
            "t" => out.extend(element.text().chars().filter(|c| !is_invisible(*c)).flat_map(escaped)),
            "f" => {
                let bar = element.child("fPr").and_then(|properties| properties.val("type"));
                let (over, under) = (part("num"), part("den"));
                match bar.as_deref() {
                    Some("lin" | "skw") => out.push_str(&format!("{over}/{under}")),
                    Some("noBar") => out.push_str(&format!("\\binom{{{over}}}{{{under}}}")),
                    _ => out.push_str(&format!("\\frac{{{over}}}{{{under}}}")),
                }
            }
            "sSup" => out.push_str(&format!("{}^{{{}}}", base(element), part("sup"))),
            "sSub" => out.push_str(&format!("{}_{{{}}}", base(element), part("sub"))),
            "sSubSup" => out.push_str(&format!("{}_{{{}}}^{{{}}}", base(element), part("sub"), part("sup"))),
            "sPre" => out.push_str(&format!("{{}}_{{{}}}^{{{}}}{}", part("sub"), part("sup"), part("e"))),
            "rad" => match part("deg") {
                degree if degree.trim().is_empty() => out.push_str(&format!("\\sqrt{{{}}}", part("e"))),
                degree => out.push_str(&format!("\\sqrt[{degree}]{{{}}}", part("e"))),
            },
            "nary" => {
                let sign = element.child("naryPr").and_then(|properties| properties.val("chr"));
                out.push_str(sign.as_deref().unwrap_or("∫"));
                limits(out, &part("sub"), &part("sup"));
                out.push_str(&part("e"));
            }
            "limLow" => out.push_str(&format!("{}_{{{}}}", part("e"), part("lim"))),
            "limUpp" => out.push_str(&format!("{}^{{{}}}", part("e"), part("lim"))),
            "func" => out.push_str(&format!("{} {}", part("fName"), part("e"))),
            "d" => delimited(element, out),
            "m" | "eqArr" => matrix(element, out),
            "acc" | "bar" => {
                let sign = element.child("accPr").and_then(|properties| properties.val("chr"));
                let over = element.name() == "bar";
                out.push_str(&format!("\\{}{{{}}}", accent(sign.as_deref(), over), part("e")));
            }
            "groupChr" | "box" | "borderBox" | "phant" => out.push_str(&part("e")),
            // Properties, and what reviewers took out.
            name if name.ends_with("Pr") || name == "del" || name == "moveFrom" => {}
            _ => write(element, out),
        }
    }
}

/// What an argument holds.
fn group(argument: Element<'_>) -> String {
    let mut shown = String::new();
    write(argument, &mut shown);
    shown
}

/// What a sign is raised over or set under: in brackets where it is more than a word.
fn base(element: Element<'_>) -> String {
    let Some(argument) = element.child("e") else { return String::new() };
    let shown = group(argument);
    let fraction = argument.children().any(|child| child.name() == "f");
    if fraction { format!("{{{shown}}}") } else { shown }
}

fn limits(out: &mut String, lower: &str, upper: &str) {
    if !lower.trim().is_empty() {
        out.push_str(&format!("_{{{lower}}}"));
    }
    if !upper.trim().is_empty() {
        out.push_str(&format!("^{{{upper}}}"));
    }
    out.push(' ');
}

fn delimited(element: Element<'_>, out: &mut String) {
    let properties = element.child("dPr");
    let sign = |name: &str, usual: &str| {
        let said = properties.and_then(|properties| properties.child(name));
        said.map_or_else(|| usual.to_owned(), |said| said.attr("val").unwrap_or_default().into_owned())
    };
    let parts = element.children().filter(|child| child.name() == "e").map(group);
    let parts = parts.collect::<Vec<_>>().join(&sign("sepChr", "|"));
    let bracket = |name, usual| sign(name, usual).chars().flat_map(escaped).collect::<String>();
    out.push_str(&format!("{}{parts}{}", bracket("begChr", "("), bracket("endChr", ")")));
}

/// Rows and their cells.
fn matrix(element: Element<'_>, out: &mut String) {
    let rows =
        element.children().filter(|child| matches!(child.name(), "mr" | "e")).map(|row| match row.name() {
            "mr" => {
                row.children().filter(|cell| cell.name() == "e").map(group).collect::<Vec<_>>().join(" & ")
            }
            _ => group(row),
        });
    let rows = rows.collect::<Vec<_>>().join(" \\\\ ");
    out.push_str(&format!("\\begin{{matrix}} {rows} \\end{{matrix}}"));
}

/// Signs for function application and the like, which have no width.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{2061}'..='\u{2064}')
}

/// A character as TeX reads it.
fn escaped(c: char) -> impl Iterator<Item = char> {
    let marked = matches!(c, '{' | '}' | '#' | '%' | '&' | '_' | '$');
    marked.then_some('\\').into_iter().chain([c])
}

/// The word of TeX for the sign over a letter.
fn accent(sign: Option<&str>, over: bool) -> &'static str {
    match sign {
        _ if over => "overline",
        Some("\u{303}" | "~") => "tilde",
        Some("\u{304}" | "\u{305}" | "¯") => "bar",
        Some("\u{307}" | "˙") => "dot",
        Some("\u{308}" | "¨") => "ddot",
        Some("\u{20d7}" | "\u{20d1}" | "→") => "vec",
        _ => "hat",
    }
}

#[cfg(test)]
#[path = "math_tests.rs"]
mod tests;
