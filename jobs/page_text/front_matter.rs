//! The metadata of a page, as YAML before its Markdown.
//!
//! Strings are written in double quotes as JSON writes them, which YAML 1.2 reads alike; what YAML counts among the characters
//! that cannot be printed is escaped too. Lists are flow sequences. Fields that say nothing are left out.

use webmill_html::FieldValue;

use super::facts::PageFacts;

/// The block of a page, from `---` to `---` and a line break.
pub fn front_matter(facts: &PageFacts) -> String {
    let mut out = "---\n".to_owned();
    out.push_str(&format!("id: {}\n", quoted(&facts.id)));
    for (name, value) in facts.stated() {
        let value = match value {
            FieldValue::Text(text) => quoted(text.unwrap_or_default()),
            FieldValue::List(list) => {
                let list: Vec<String> = list.iter().map(|text| quoted(text)).collect();
                format!("[{}]", list.join(", "))
            }
        };
        out.push_str(&format!("{name}: {value}\n"));
    }
    for (name, text) in
        [("url", facts.url.as_deref()), ("language", facts.language), ("page_type", Some(facts.page_type))]
    {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            out.push_str(&format!("{name}: {}\n", quoted(text)));
        }
    }
    out.push_str("---\n");
    out
}

fn quoted(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn strings_are_those_of_json_and_yaml() {
        for (text, want) in [
            ("a: \"b\" # c", r#""a: \"b\" # c""#),
            ("---\nx: y", r#""---\nx: y""#),
            ("\u{85}\u{2028}é", r#""\u0085\u2028é""#),
            ("no", r#""no""#),
        ] {
            assert_eq!(quoted(text), want);
            assert_eq!(serde_json::from_str::<String>(want).unwrap(), text);
        }
    }
}
