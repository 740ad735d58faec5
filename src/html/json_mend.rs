//! JSON that is broken in the ways in which pages break it, read as it was meant.
//!
//! The reader of JSON-LD calls it with scripts that are no JSON: comments, commas that are too many or missing, raw line breaks in
//! strings, quotes of other kinds or none, quotes within strings, several roots, text around the JSON, an end that is cut off.
//!
//! **Algorithm.** Tokens are put into the innermost open list or object; commas and colons say nothing, since a string in an object is
//! by turns a name and a value. A quote ends its string where what follows goes on a JSON text: `,`, `:`, `}`, `]`, its end, or
//! another name with a colon. An end of the other kind closes all that it holds.
//!
//! **Cost.** Linear: behind a quote at most [`MAX_NAME`] bytes are looked at. Nesting beyond [`MAX_DEPTH`] is refused.

use serde_json::{Map, Value};
use webmill_capture::cut::Cut;

/// Lists and objects within each other, as the strict parser has it.
const MAX_DEPTH: usize = 128;
/// Bytes of a name that may follow a string without a comma between.
const MAX_NAME: usize = 80;
/// Quotes that are used for strings, and what ends them.
const QUOTES: [(char, &str); 7] =
    [('"', "\""), ('\'', "'"), ('`', "`"), ('“', "”“\""), ('”', "”\""), ('„', "“”\""), ('‘', "’‘'")];
/// Names of which one shows that an object is an item of JSON-LD.
const ITEM_NAMES: [&str; 4] = ["@type", "@context", "@graph", "@id"];

/// An open object or list.
enum Open {
    Object(Map<String, Value>, Option<String>),
    Array(Vec<Value>),
}

impl Open {
    fn add(&mut self, value: Value) {
        match self {
            Open::Object(fields, name) => {
                if let Some(name) = name.take() {
                    fields.insert(name, value);
                }
            }
            Open::Array(values) => values.push(value),
        }
    }

    fn value(self) -> Value {
        match self {
            Open::Object(fields, _) => Value::Object(fields),
            Open::Array(values) => Value::Array(values),
        }
    }

    fn is_object(&self) -> bool {
        matches!(self, Open::Object(..))
    }
}

/// The items that a broken script holds; `None` where there are none.
pub(super) fn mended(source: &str) -> Option<Value> {
    // Written for an attribute.
    let escaped = !source.contains('"') && source.contains("&quot;");
    let unescaped = escaped.then(|| super::values::unescape(source).into_owned());
    let mut reader =
        Reader { rest: unescaped.as_deref().unwrap_or(source), open: Vec::new(), roots: Vec::new() };
    reader.read()?;
    let is_item = |value: &Value| {
        ITEM_NAMES.iter().any(|name| value.get(name).is_some_and(|value| !value.is_null() && value != ""))
    };
    let lists = |value: &Value| value.as_array().is_some_and(|values| values.iter().any(is_item));
    reader.roots.retain(|root| is_item(root) || lists(root));
    match reader.roots.len() {
        0 => None,
        1 => reader.roots.pop(),
        _ => Some(Value::Array(reader.roots)),
    }
}

struct Reader<'a> {
    rest: &'a str,
    open: Vec<Open>,
    roots: Vec<Value>,
}

impl Reader<'_> {
    /// Reads all; `None` if it is too deep.
    fn read(&mut self) -> Option<()> {
        loop {
            self.rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            let Some(c) = self.rest.chars().next() else { break };
            match c {
                '{' | '[' => {
                    if self.open.len() >= MAX_DEPTH {
                        return None;
                    }
                    self.open.push(if c == '{' {
                        Open::Object(Map::new(), None)
                    } else {
                        Open::Array(Vec::new())
                    });
                    self.skip(1);
                }
                '}' | ']' => {
                    self.close(c == '}');
                    self.skip(1);
                }
                // What stands before a comma without a value has none.
                ',' => {
                    if let Some(Open::Object(_, name)) = self.open.last_mut() {
                        *name = None;
                    }
                    self.skip(1);
                }
                '/' if self.rest.starts_with("/*") => self.skip_to("*/"),
                '/' if self.rest.starts_with("//") => self.skip_to("\n"),
                '<' if self.rest.starts_with("<!--") => self.skip(4),
                _ if self.open.is_empty() => self.skip(c.len_utf8()),
                _ => self.scalar(c),
            }
        }
        while !self.open.is_empty() {
            self.close_last();
        }
        Some(())
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.cut(bytes..);
    }

    fn skip_to(&mut self, end: &str) {
        let at = self.rest.cut(2..).find(end).map_or(self.rest.len(), |at| at + 2 + end.len());
        self.skip(at);
    }

    /// Closes the innermost object or list, and all open ones inside it; nothing where none is open.
    fn close(&mut self, object: bool) {
        if self.open.iter().any(|open| open.is_object() == object) {
            while self.open.last().is_some_and(|open| open.is_object() != object) {
                self.close_last();
            }
            self.close_last();
        }
    }

    fn close_last(&mut self) {
        let Some(value) = self.open.pop().map(Open::value) else { return };
        match self.open.last_mut() {
            Some(open) => open.add(value),
            None => self.roots.push(value),
        }
    }

    /// A string, number or word: a name or a value.
    fn scalar(&mut self, c: char) {
        let names = matches!(self.open.last(), Some(Open::Object(_, None)));
        let value = match QUOTES.iter().find(|(quote, _)| *quote == c) {
            Some((_, ends)) => {
                self.skip(c.len_utf8());
                let (text, used) = string(self.rest, ends, names);
                self.skip(used);
                Value::String(text)
            }
            None => {
                let end = self.rest.find(|c: char| c.is_whitespace() || ",:{}[]\"".contains(c));
                let word = self.rest.cut(..end.unwrap_or(self.rest.len()));
                let used = word.len().max(c.len_utf8());
                let value = match word {
                    "" | "undefined" | "NaN" | ";" => Value::Null,
                    _ => serde_json::from_str(word).unwrap_or_else(|_| Value::String(word.to_owned())),
                };
                self.skip(used);
                if c == ':' {
                    return;
                }
                value
            }
        };
        match (self.open.last_mut(), value) {
            (Some(Open::Object(_, name @ None)), Value::String(text)) => *name = Some(text),
            (Some(Open::Object(_, None)), _) | (None, _) => {}
            (Some(open), value) => open.add(value),
        }
    }
}

/// The string that a text begins with, and the bytes up to behind its quote.
fn string(text: &str, ends: &str, name: bool) -> (String, usize) {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            let rest = text.cut(at + 1..);
            let (escaped, used) = escape(rest);
            out.extend(escaped);
            let to = at + 1 + used;
            while chars.clone().next().is_some_and(|(at, _)| at < to) {
                chars.next();
            }
        } else if ends.contains(c) && ends_string(text.cut(at + c.len_utf8()..), name) {
            return (out, at + c.len_utf8());
        } else {
            out.push(if c.is_ascii_control() { ' ' } else { c });
        }
    }
    (out, text.len())
}

/// The character behind a backslash, and the bytes of what stands for it.
fn escape(rest: &str) -> (Option<char>, usize) {
    let unit = |text: &str| u16::from_str_radix(text.get(..4)?, 16).ok();
    let Some(c) = rest.chars().next() else { return (None, 0) };
    let found = match c {
        'n' | 'r' | 't' | 'b' | 'f' => ' ',
        'u' => {
            let first = unit(rest.cut(1..));
            let second = rest.cut(1..).get(4..).and_then(|rest| unit(rest.strip_prefix("\\u")?));
            let units = [first.unwrap_or(0xfffd), second.unwrap_or(0xfffd)];
            return match char::decode_utf16(units).next() {
                _ if first.is_none() => (None, 1),
                Some(Ok(c)) if c.len_utf16() == 2 => (Some(c), 11),
                Some(Ok(c)) => (Some(c), 5),
                _ => (Some(char::REPLACEMENT_CHARACTER), 5),
            };
        }
        // A script's line that goes on.
        '\n' | '\r' => return (None, 1),
        other => other,
    };
    (Some(found), c.len_utf8())
}

/// Whether a quote with this behind it ends a string: the name of a field, or a value.
fn ends_string(behind: &str, name: bool) -> bool {
    let behind = behind.trim_start();
    match behind.chars().next() {
        None | Some('}' | ']') => true,
        Some(':') => name,
        // Another value, or a name; within a sentence words follow.
        Some(',') => {
            let next = behind.cut(1..).trim_start();
            !next.starts_with(|c: char| c.is_alphabetic()) || is_name(next)
        }
        Some('/') => behind.starts_with("/*") || behind.starts_with("//"),
        Some('"' | '\'') if !name => is_name(behind),
        _ => false,
    }
}

/// Whether a text begins with a name and a colon, in quotes or without.
fn is_name(text: &str) -> bool {
    let text = text.cut(..text.floor_char_boundary(MAX_NAME));
    let named = text.trim_start_matches(['"', '\'']);
    let end = named
        .find(|c: char| !(c.is_alphanumeric() || "@_-:.".contains(c)) || c == ':')
        .unwrap_or(named.len());
    let rest = named.cut(end..).trim_start_matches(['"', '\'']).trim_start();
    let letters = named.cut(..end).starts_with(|c: char| c.is_alphabetic() || c == '@');
    letters && rest.starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_in_which_scripts_are_broken() {
        for source in [
            r#"/* x */ {"@type":"Article","name":"A b","author":{"name":"Ann"}}"#,
            "{\"@type\":\"Article\", // kind\n\"name\":\"A b\",\"author\":{\"name\":\"Ann\"}}",
            r#"{"@type":"Article","name":"A b","author":{"name":"Ann",},}"#,
            r#"{"@type":"Article","name":"A b","author":[{"name":"Ann"},]}"#,
            "{\"@type\":\"Article\",\"name\":\"A\nb\",\"author\":{\"name\":\"Ann\"}}",
            "{'@type':'Article','name':'A b','author':{'name':'Ann'}}",
            "{“@type”:“Article”,“name”:“A b”,“author”:{“name”:“Ann”}}",
            r#"{@type:"Article",name:"A b",author:{name:"Ann"}}"#,
            r#"{"@type":"Article" "name":"A b" "author":{"name":"Ann"}}"#,
            "{&quot;@type&quot;:&quot;Article&quot;,&quot;name&quot;:&quot;A b&quot;,&quot;author&quot;:{&quot;name&quot;:&quot;Ann&quot;}}",
            r#"{"@type":"Article","name":"A b","author":{"name":"Ann""#,
            r#"{"@type":"Article","name":"A b","author":{"name":"Ann"}}}"#,
            r#"{"@type":"Article","name":"A b","image":,"author":{"name":"Ann"}}"#,
            r#"{"@type":"Article",,"name":"A b","image":undefined,"author":{"name":"Ann"}}"#,
            r#"var data = {"@type":"Article","name":"A b","author":{"name":"Ann"}};"#,
            r#"{"@type":"Article","name":"A\ b","author":{"name":"\Ann"}}"#,
            r#"{"@type":"Article","name":"A b","author":[{"name":"Ann"}}"#,
            "{\"@type\":\"Article\",\"name\":\"A \\\nb\",\"author\":{\"name\":\"Ann\"}}",
            "<!-- {\"@type\":\"Article\",\"name\":\"A b\",\"author\":{\"name\":\"\\u0041nn\"},} -->",
        ] {
            let found = mended(source).unwrap_or_default();
            let author = found["author"].get(0).unwrap_or(&found["author"]);
            assert_eq!(
                (&found["name"], &author["name"]),
                (&Value::from("A b"), &Value::from("Ann")),
                "{source}"
            );
        }
    }

    #[test]
    fn several_roots_and_quotes_in_strings() {
        for source in [
            r#"{"@type":"WebSite"}{"@type":"Article"}"#,
            r#"{"@type":"WebSite"},{"@type":"Article"}"#,
            "{\"@type\":\"WebSite\"};\n{\"@type\":\"Article\"}",
        ] {
            let found = mended(source).unwrap_or_default();
            assert_eq!(
                (&found[0]["@type"], &found[1]["@type"]),
                (&"WebSite".into(), &"Article".into()),
                "{source}"
            );
        }
        let quoted = mended(r#"{"@type":"Article","name":"They call it "the lamp", he says","x":"1"}"#);
        assert_eq!(
            quoted.map(|found| found["name"].clone()),
            Some(r#"They call it "the lamp", he says"#.into())
        );
        let emoji = mended(r#"{"@type":"Article","name":"\ud83d\ude00 \ud83d",}"#);
        assert_eq!(emoji.map(|found| found["name"].clone()), Some("😀 \u{fffd}".into()));
    }

    #[test]
    fn what_is_no_item_is_none() {
        for source in
            ["{\"@type\":", "", "function f() { return [1]; }", &"[".repeat(100_000), "{\"@type\":\"", "\\u"]
        {
            assert_eq!(mended(source), None, "{source:.20}");
        }
    }
}
