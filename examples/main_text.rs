//! The main text of a page, as Markdown.
//!
//! `cargo run --release --example main_text -- [PAGE.html [URL]]` prints title, author, date, language and what kind of page
//! it is, then its text without navigation, advertisements and footers. Without arguments it does so for a page of three
//! paragraphs.

use std::error::Error;
use webmill::capture::CanonicalUrl;
use webmill::html::{Limits, decode, metadata, parse};
use webmill::text::{TextLimits, language, main_text};

const SMALL: &str = "<!doctype html><html lang=en><title>The mill of the village - Example News</title>
<meta name=author content='Ann Miller'><meta property=article:published_time content='2003-04-15T08:13:06Z'>
<nav><a href=/>Home</a> <a href=/news>News</a> <a href=/sport>Sport</a></nav>
<article><h1>The mill of the village</h1>
<p>For three hundred years the mill at the river has ground the corn of the village, and it has never stood still for
more than a week, not even in the winter when the river froze.</p>
<p>The miller says that the secret is the stones, which his grandfather brought from the mountains on a cart, and which
he dresses himself twice a year, as his father taught him.</p>
<p>Visitors are welcome on Sundays, when the wheel turns for them and the bread is baked in the old oven of the house.</p>
</article><footer>Copyright 2003 Example News. <a href=/imprint>Imprint</a></footer>";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let bytes = match args.next() {
        Some(path) => std::fs::read(path)?,
        None => SMALL.as_bytes().to_vec(),
    };
    let url = args.next().and_then(|url| CanonicalUrl::parse(&url));
    let page = decode(&bytes, None, None);
    let dom = parse(&page.text, &Limits::default());
    let about = metadata(&dom, url.as_ref(), &[]).found_at(url.as_ref());
    let found = main_text(&dom, &about, &TextLimits::default());
    for (name, value) in
        [("title", &found.about.title), ("author", &found.about.author), ("date", &found.about.published)]
    {
        println!("{name}: {}", value.as_deref().unwrap_or("not found"));
    }
    let language = language(&found.text).map_or("not found", |language| language.iso639_3);
    println!(
        "language: {language}\npage type: {}\nconfidence: {:.2}\n",
        found.page_type.name(),
        found.confidence
    );
    println!("{}", found.markdown.trim_end());
    Ok(())
}
