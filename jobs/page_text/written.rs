//! A page in each form of output.

use webmill_text::{TextLimits, plain_text};

use super::facts::{PageFacts, PostShown};
use super::front_matter::front_matter;
use super::{TextForm, TextOptions, xml};

impl PageFacts {
    /// The page in an output form, ended by a newline; nothing for a page without text.
    pub fn written(mut self, options: &TextOptions) -> String {
        let mut out = match options.format {
            TextForm::Json => serde_json::to_string(&self).unwrap_or_default(),
            TextForm::Text => std::mem::take(&mut self.text),
            TextForm::Md => self.markdown.take().unwrap_or_default(),
            TextForm::Xml => return xml::document(&self),
            TextForm::Tei => return xml::tei(&self),
        };
        if options.comments == Some(true) && matches!(options.format, TextForm::Text | TextForm::Md) {
            self.comments().for_each(|said| said.append(options.format, &mut out));
        }
        if options.front_matter {
            let gap = if out.is_empty() { "" } else { "\n" };
            out.insert_str(0, &format!("{}{gap}", front_matter(&self)));
        }
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        out
    }
}

impl PostShown {
    /// Writes it after a text: who and when, then what.
    fn append(&self, form: TextForm, out: &mut String) {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        let plain = |text: &str| match form {
            TextForm::Md => plain_text(&text.replace('\n', "\n\n"), &TextLimits::default()).markdown,
            _ => text.to_owned(),
        };
        let said: Vec<&str> = [self.author.as_deref(), self.date.as_deref()].into_iter().flatten().collect();
        if !said.is_empty() {
            out.push_str(&plain(&format!("{}:", said.join(", "))));
            out.push_str(if form == TextForm::Md { "\n\n" } else { "\n" });
        }
        out.push_str(&plain(&self.text));
    }
}
