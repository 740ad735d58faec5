//! A document as HTML: for whoever reads trees, such as rules and XML.

use pulldown_cmark::{Options, Parser, html};
use webmill_capture::escape::escaped;

/// A document's Markdown as an HTML page with its title, headings, paragraphs, lists, tables and links.
///
/// # Examples
/// ```
/// use webmill_documents::{Kind, Limits, read, to_html};
/// let document = read(b"# Tea\n\n- green\n", Kind::Markdown, &Limits::default())?;
/// let html = to_html(document.about.title.as_deref(), &document.markdown);
/// assert_eq!(html, "<title>Tea</title>\n<h1>Tea</h1>\n<ul>\n<li>green</li>\n</ul>\n");
/// # Ok::<(), webmill_documents::Failure>(())
/// ```
pub fn to_html(title: Option<&str>, markdown: &str) -> String {
    let mut page = String::with_capacity(markdown.len() * 5 / 4);
    if let Some(title) = title {
        page.push_str(&format!("<title>{}</title>\n", escaped(title)));
    }
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    html::push_html(&mut page, Parser::new_ext(markdown, options));
    page
}
