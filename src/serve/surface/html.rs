//! What all surfaces share: the escape, the engine of templates, numbers as people read them.

use std::borrow::Cow;
use webmill_capture::cut::Cut;

use minijinja::value::{Rest, Serde};
use minijinja::{AutoEscape, Environment, Output, State, UndefinedBehavior, Value, escape_formatter};

use super::Lang;

/// Text that means itself in HTML: in element content and in quoted attributes.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out.into()
}

/// [`escape`] for text among ours: controls and letters that turn the direction of writing would let it rearrange its surroundings.
pub fn escape_tidied(text: &str) -> Cow<'_, str> {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(|c: char| turns(c) || c.is_control()) {
        return escape(text);
    }
    let tidied = |c: char| if turns(c) { '\u{fffd}' } else { c };
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { tidied(c) }).collect();
    escape(&text).into_owned().into()
}

/// How foreign text is escaped.
type Escape = fn(&str) -> Cow<'_, str>;

/// An engine for the templates of a surface, in a language: they see `t`, the words of the surface, and `lang`, and may call
/// `fill`; whatever they write is escaped; a name that nobody set is an error.
///
/// # Panics
/// Where a template is written wrong.
pub fn environment(
    lang: Lang,
    surface: &str,
    templates: &[(&'static str, &'static str)],
    escape: Escape,
) -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_formatter(move |out, state, value| write_value(out, state, value, escape));
    for (name, source) in templates {
        environment.add_template(name, source).expect("the templates are written right");
    }
    environment.add_global("t", Value::from(Serde(lang.words(surface))));
    environment.add_global("lang", lang.tag());
    environment.add_function("fill", move |template: &str, with: Rest<Value>| {
        let with: Vec<Cow<'_, str>> = with.iter().map(|value| escaped(value, escape)).collect();
        Value::from_safe_string(fill(&escape(template), &with))
    });
    environment
}

/// A value as HTML.
fn escaped(value: &Value, escape: Escape) -> Cow<'_, str> {
    match value.as_str() {
        Some(text) if value.is_safe() => text.into(),
        Some(text) => escape(text),
        None => value.to_string().into(),
    }
}

/// Writes a value between tags or into a quoted attribute. (The engine's own way also escapes `/`, which makes addresses
/// unreadable in the source.)
fn write_value(
    out: &mut Output<'_>,
    state: &mut State<'_, '_>,
    value: &Value,
    escape: Escape,
) -> Result<(), minijinja::Error> {
    match value.as_str() {
        Some(_) => Ok(out.write_str(&escaped(value, escape))?),
        None => escape_formatter(out, state, value),
    }
}

/// A template whose `{0}`, `{1}` … are replaced, and `{0:page|pages}` by the word behind that number; places without a replacement stay.
///
/// # Examples
/// ```
/// use webmill_serve::surface::fill;
/// assert_eq!(fill("{1} of {0} {x} {9}", &["a", "7"]), "7 of a {x} {9}");
/// let pages = |n: &str| fill("{0} {0:page|pages}", &[n]);
/// assert_eq!([pages("0"), pages("<b>1</b>"), pages("11")], ["0 pages", "<b>1</b> page", "11 pages"]);
/// ```
pub fn fill(template: &str, with: &[impl AsRef<str>]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        out.push_str(rest.cut(..at));
        let end = rest.cut(at..).find('}').map_or(rest.len(), |end| at + end + 1);
        let place = rest.cut(at + 1..end).trim_end_matches('}');
        let (number, forms) =
            place.split_once(':').map_or((place, None), |(n, forms)| (n, forms.split_once('|')));
        let value = number.parse::<usize>().ok().and_then(|n| with.get(n)).map(AsRef::as_ref);
        out.push_str(match (value, forms) {
            (Some(value), Some((one, many))) => {
                if is_one(value) {
                    one
                } else {
                    many
                }
            }
            (Some(value), None) => value,
            (None, _) => rest.cut(at..end),
        });
        rest = rest.cut(end..);
    }
    out + rest
}

/// Whether a number, which may stand in an element, is 1.
fn is_one(number: &str) -> bool {
    let inside = number.split_once('>').map_or(number, |(_, inside)| inside);
    inside.split('<').next() == Some("1")
}

/// `1234567` as `1,234,567`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

/// `12.3 MB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    let (mut value, mut unit) = (bytes as f64, 0);
    // 999.95 and more would be written as 1000.0.
    while value >= 999.95 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// At most `most` characters, the last one an ellipsis where some are left out.
pub fn shorten(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}
