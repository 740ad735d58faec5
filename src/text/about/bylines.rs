//! Who wrote a page.
//!
//! Order of trust: structured data, stated metadata unless it only repeats the site's name, elements marked up as author
//! (`rel`, `itemprop`), elements named after what they hold (`byline`, `post-author-name`), links to authors' pages, and
//! what is written near the title ("By …", 作者：…). Elements among comments, related articles and side bars do not count.
//! Names lose what introduces them, dates, handles and what follows a separator.
//!
//! Cost: one walk over the body, looking at names of elements only; text is read of the few that fit.

use super::dates::find_date;
use crate::blocks::class_names::{Kind, kinds_of};
use crate::blocks::page::Page;
use crate::choice::features::bare;
use crate::output::render::text_of;
use webmill_html::{Dom, Metadata, NodeId, Tag};

/// Characters of a name, or names.
const MAX_NAME: usize = 80;
/// Words of an element that is a name.
const MAX_WORDS: usize = 10;
/// Bytes of an element that is read as a name.
const MAX_BYTES: usize = 300;
/// Blocks around the title in which a name is looked for.
const NEAR: usize = 12;
/// Elements that are read at most.
const MAX_READ: usize = 200;

/// The author of a page whose title is block `near`.
pub(crate) fn author(dom: &Dom<'_>, meta: &Metadata, page: &Page, near: usize) -> Option<String> {
    let site = meta.site_name.as_deref().map(bare).filter(|site| !site.is_empty());
    let is_site = |name: &String| site.as_ref().is_some_and(|site| bare(name) == *site);
    let mut named: Vec<String> = Vec::new();
    for name in meta.structured.authors.iter().filter_map(|name| clean_author(name)) {
        if !named.contains(&name) {
            named.push(name);
        }
    }
    let stated = Some(named.join("; "))
        .filter(|names| !names.is_empty())
        .or_else(|| meta.author.as_deref().and_then(clean_author));
    match stated {
        Some(name) if !is_site(&name) => Some(name),
        house => written(dom, page, near).filter(|name| !is_site(name)).or(house),
    }
}

/// What introduces a name, in lower case.
const INTRODUCTIONS: [&str; 51] = [
    "post by",
    "view all posts by",
    "view posts by",
    "zeige alle beiträge von",
    "alle beiträge von",
    "posts by",
    "written by",
    "posted by",
    "published by",
    "submitted by",
    "story by",
    "words by",
    "reported by",
    "article by",
    "edited by",
    "by:",
    "by",
    "authors:",
    "author:",
    "author",
    "veröffentlicht von",
    "geschrieben von",
    "verfasst von",
    "eingestellt von",
    "erstellt von",
    "ein artikel von",
    "ein beitrag von",
    "gepostet von",
    "von:",
    "von",
    "autorinnen:",
    "autoren:",
    "autorin:",
    "autor:",
    "text:",
    "redaktion:",
    "publié par",
    "écrit par",
    "rédigé par",
    "par:",
    "par",
    "escrito por",
    "publicado por",
    "por:",
    "por",
    "scritto da",
    "pubblicato da",
    "geschreven door",
    "door",
    "автор:",
    "作者",
];

/// Words that are no name of a person, as they stand where one should be.
const NOBODY: [&str; 58] = [
    "about me",
    "location",
    "signature",
    "published",
    "publiziert",
    "publiziert am",
    "posted",
    "posted on",
    "english",
    "german",
    "french",
    "spanish",
    "deutsch",
    "français",
    "español",
    "italiano",
    "português",
    "nederlands",
    "polski",
    "türkçe",
    "русский",
    "中文",
    "日本語",
    "한국어",
    "admin",
    "administrator",
    "author",
    "authors",
    "autor",
    "autoren",
    "unknown",
    "unbekannt",
    "staff",
    "share",
    "redaktion",
    "editor",
    "editorial",
    "editorial team",
    "editors",
    "no author",
    "none",
    "null",
    "guest",
    "gast",
    "anonymous",
    "anonym",
    "webmaster",
    "root",
    "user",
    "super user",
    "superuser",
    "team",
    "wordpressadmin",
    "wpadmin",
    "default",
    "website",
    "profile",
    "about",
];

/// Days of the week and months that stand in a date behind a name.
const DAYS: &str = "mo di mi do fr sa so mon tue wed thu fri sat sun montag dienstag mittwoch donnerstag freitag samstag \
    sonntag monday tuesday wednesday thursday friday saturday sunday lun mar";
const MONTHS: &str = "january february march april may june july august september october november december jan feb apr \
    jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin \
    juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre \
    noviembre diciembre";
/// Months and days that are names of people too.
const FIRST_NAMES: &str =
    "march april may june august mai avril julio mar mo di sa so jan jun lun sun mars do";

fn listed(list: &str, word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    list.split_ascii_whitespace().any(|known| known == word)
}

/// A name without the days and months at its end. Where no number stood behind it, those that may belong to the name stay.
fn without_days(name: &str, dated: bool) -> &str {
    let mut name = name;
    loop {
        let kept = name.trim_end_matches([' ', ',', '/', '|', '.']);
        let Some(at) = kept.rfind([' ', ',']) else { return name };
        let (first, last) = (&kept[..at], &kept[at + 1..]);
        let title = first.ends_with(" On") || first.ends_with(" of") || first.ends_with(" on");
        let short = !dated && (title || first.split_whitespace().count() < 2 || listed(FIRST_NAMES, last));
        if short || !(listed(DAYS, last) || listed(MONTHS, last)) {
            return name;
        }
        name = first;
    }
}

/// What follows the word for "by" in a text that begins with a date.
fn behind_date(text: &str) -> Option<&str> {
    [" by ", " By ", " von ", " par ", " por "].iter().find_map(|by| Some(text.split_once(by)?.1))
}

/// A name without what introduces and follows it; `None` if it is no name.
pub(crate) fn clean_author(text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split_whitespace().take(60).collect();
    // Handles and addresses behind a name.
    let handle = words.iter().position(|word| word.starts_with('@') || word.starts_with("(@"));
    words.truncate(handle.unwrap_or(words.len()));
    let mut name = words.join(" ");
    if name.starts_with(|c: char| c.is_ascii_digit())
        && let Some(rest) = behind_date(&name).filter(|_| find_date(&name).is_some())
    {
        name = rest.to_string();
    }
    for _ in 0..3 {
        name = name.trim_start_matches(|c: char| !c.is_alphanumeric()).to_string();
        let lower = name.to_lowercase();
        let same = lower.len() == name.len();
        let Some(found) = INTRODUCTIONS.iter().find(|intro| {
            let Some(rest) = lower.strip_prefix(**intro).filter(|_| same) else { return false };
            let word = rest.is_empty() || rest.starts_with(|c: char| !c.is_alphabetic());
            // Without a blank only where the page's markup lost it: `vonChris`.
            word || intro.ends_with(':')
                || !intro.is_ascii()
                || glued(&name[intro.len()..]) && intro.contains(' ')
        }) else {
            break;
        };
        name = name[found.len()..].trim_start_matches([':', ' ', '：', '/', '｜', '|', '-', '–']).to_string();
    }
    for start in ["文/", "文｜", "记者"] {
        name = name.strip_prefix(start).map(str::to_string).unwrap_or(name);
    }
    for end in [
        " | ",
        " • ",
        " · ",
        " – ",
        " — ",
        " - ",
        " on ",
        " am ",
        " um ",
        " at ",
        " in: ",
        "　",
        " Published",
        " Updated",
        " veröffentlicht",
        "(",
    ] {
        if let Some((first, _)) = name.split_once(end).filter(|(first, _)| !first.is_empty()) {
            name = first.trim().to_string();
        }
    }
    if let Some(at) = name.find(|c: char| c.is_ascii_digit())
        && (name[at..].bytes().take_while(u8::is_ascii_digit).count() < 5)
        && name[..at].ends_with(' ')
    {
        // A date behind the name, with the day of the week before it.
        name.truncate(at);
        name = without_days(&name, true).trim_end_matches([' ', ',', '/', '|', '.']).to_string();
    }
    let name = without_days(&name, false);
    let name = name.trim_matches(|c: char| {
        c.is_whitespace() || ",:|-·/;–—.»«›‹→←".contains(c) && !(c == '.' && ends_initial(name))
    });
    let digits = name.chars().filter(char::is_ascii_digit).count();
    let priced = digits > 0 && name.contains(['$', '€', '£', '¥', '₹']);
    let good = name.chars().any(char::is_alphabetic)
        && !priced
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && (name.eq_ignore_ascii_case("jan")
            || !listed(MONTHS, name) && (name.len() < 3 || !listed(DAYS, name)))
        && name.chars().count() <= MAX_NAME
        && digits * 2 <= name.chars().count()
        && !name.contains("://")
        && !name.contains('@')
        && !name.contains("[at]")
        && !NOBODY.contains(&name.to_lowercase().as_str());
    good.then(|| name.to_string())
}

/// Whether a name ends with an initial or a title: `R. R.`, `John Doe Jr.`.
fn ends_initial(name: &str) -> bool {
    let last = name.trim_end_matches('.').rsplit([' ', '.']).next().unwrap_or_default();
    name.ends_with('.') && last.chars().count() <= 2 && last.starts_with(char::is_uppercase)
}

fn glued(rest: &str) -> bool {
    rest.starts_with(char::is_uppercase)
}

/// Whether the names of an element, or of one around it, put it outside of the text.
pub(crate) fn in_frame(dom: &Dom<'_>, node: NodeId) -> bool {
    const FRAME: u64 = Kind::Comment.bit() | Kind::Related.bit() | Kind::Nav.bit();
    std::iter::once(node).chain(dom.ancestors(node)).take(24).any(|n| {
        let tag = dom.tag(n);
        if matches!(tag, Tag::Body | Tag::Html | Tag::Article | Tag::Main) {
            return false;
        }
        let kinds = ["class", "id"]
            .iter()
            .filter_map(|name| dom.attr(n, name))
            .fold(0, |bits, name| bits | kinds_of(name));
        matches!(tag, Tag::Nav | Tag::Aside) || kinds & FRAME != 0
    })
}

/// Whether an element, or one around it, has the attribute `hidden`.
fn is_hidden(dom: &Dom<'_>, node: NodeId) -> bool {
    let hides = |n| dom.attr(n, "hidden").is_some_and(|value| !value.eq_ignore_ascii_case("until-found"));
    std::iter::once(node).chain(dom.ancestors(node)).take(24).any(hides)
}

/// The text of an element, or its `content`, if it is short enough for a name.
fn name_in(dom: &Dom<'_>, node: NodeId) -> Option<String> {
    let mut text = String::new();
    match dom.attr(node, "content") {
        Some(content) => text.push_str(content),
        None => {
            for n in dom.descendants(node).take(60) {
                if dom.is_text(n)
                    && !dom
                        .parent(n)
                        .is_some_and(|p| matches!(dom.tag(p), Tag::Script | Tag::Style | Tag::Time))
                {
                    text.push_str(dom.text(n));
                    text.push(' ');
                    if text.len() > MAX_BYTES {
                        break;
                    }
                }
            }
        }
    }
    let short = text.len() <= MAX_BYTES && text.split_whitespace().count() <= MAX_WORDS;
    let name = if short { clean_author(&text) } else { None };
    name.filter(|name| name.split_whitespace().count() <= 8)
}

/// Whether a class or id says that its element holds an author: the last word of it does.
fn says_author(names: &str) -> bool {
    names.split_ascii_whitespace().take(12).any(|name| {
        let name = name.get(..60).unwrap_or(name).to_ascii_lowercase();
        let name = name.trim_end_matches(['-', '_']);
        let part = ["name", "names", "link", "header", "s"]
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(name);
        let part = part.trim_end_matches(['-', '_']);
        ["author", "autor", "byline", "writer"].iter().any(|word| part.ends_with(word)) && name != "writer"
            || name == "vcard"
    })
}

/// Whether a name looks like one of a person or, in scripts without capitals, is short.
fn is_name_like(name: &str) -> bool {
    let cased = name.chars().any(|c| c.is_uppercase() || c.is_lowercase());
    if cased { is_person(name) && name.contains(' ') } else { name.chars().count() <= 12 }
}

/// The author written on the page.
fn written(dom: &Dom<'_>, page: &Page, near: usize) -> Option<String> {
    let mut named: Option<String> = None;
    let mut linked: Option<String> = None;
    let mut read = 0;
    for node in dom.descendants(dom.body()?) {
        if !dom.is_element(node) || read > MAX_READ {
            continue;
        }
        let token = |name: &str, word: &str| {
            dom.attr(node, name).is_some_and(|list| list.split_ascii_whitespace().any(|token| token == word))
        };
        let marked = token("rel", "author") || token("itemprop", "author");
        let called = || ["class", "id"].iter().filter_map(|name| dom.attr(node, name)).any(says_author);
        let profile = || {
            dom.tag(node) == Tag::A
                && dom.attr(node, "href").is_some_and(|href| {
                    ["/author/", "/authors/", "/autor/", "/autoren/", "/auteur/", "/auteurs/"]
                        .iter()
                        .any(|part| href.contains(part))
                })
        };
        let writer = token("class", "writer") || token("id", "writer");
        let wanted = marked || named.is_none() && (writer || called()) || linked.is_none() && profile();
        if !wanted || in_frame(dom, node) || is_hidden(dom, node) {
            continue;
        }
        read += 1;
        let Some(name) = name_in(dom, node) else { continue };
        if marked {
            return Some(name);
        }
        if called() || writer && is_name_like(&name) {
            named = named.or(Some(name));
        } else if profile() {
            linked = linked.or(Some(name));
        }
    }
    named.or(linked).or_else(|| near_title(page, near))
}

/// A byline in the blocks around the title.
fn near_title(page: &Page, near: usize) -> Option<String> {
    let range = near.saturating_sub(3)..(near + NEAR).min(page.blocks.len());
    for block in &page.blocks[range] {
        let text = text_of(page, block);
        if text.len() > 200 {
            continue;
        }
        let container = &page.containers[block.container as usize];
        let byline =
            container.distance[Kind::Byline as usize] <= 1 || block.inline_kinds & Kind::Byline.bit() != 0;
        let lower = text.get(..12).unwrap_or(text).to_lowercase();
        let starts = ["by ", "von ", "von: ", "par ", "por ", "autor: ", "author: "]
            .iter()
            .any(|start| lower.starts_with(start));
        if starts && (byline || text.split(' ').count() <= 6) {
            let name = clean_author(text).filter(|name| is_person(name));
            if name.is_some() {
                return name;
            }
        }
        for mark in ["作者：", "作者:", "责任编辑：", "编辑：", "Author:", "Autor:", "Автор:"]
        {
            if let Some((_, rest)) = text.split_once(mark) {
                let wide = mark.starts_with(|c: char| !c.is_ascii() && c != 'А');
                let name: String = rest
                    .trim_start()
                    .chars()
                    .take_while(|&c| !(wide && c.is_whitespace() || "，,；;（(【[|".contains(c)))
                    .collect();
                if let Some(name) = clean_author(&name) {
                    return Some(name);
                }
            }
        }
    }
    None
}

/// Whether words look like a person's name: most begin with a capital, and they are few.
fn is_person(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let capitals = words.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    (1..=6).contains(&words.len()) && capitals * 3 >= words.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, metadata, parse};

    #[test]
    fn names_are_cleaned() {
        for (text, want) in [
            ("By Jane Doe", Some("Jane Doe")),
            ("作者：张三", Some("张三")),
            ("https://example.com/x", None),
            ("admin", None),
            ("Jane Doe | 3 May", Some("Jane Doe")),
            ("Veröffentlicht vonChris Jung", Some("Chris Jung")),
            ("Eingestellt von der Michel", Some("der Michel")),
            ("Tomas Spahn Fr, 18. Oktober 2019", Some("Tomas Spahn")),
            ("Christian Thiele, 07 Dezember, 2022", Some("Christian Thiele")),
            ("Williams Perdomo @wperdomod", Some("Williams Perdomo")),
            ("Byron Smith", Some("Byron Smith")),
            ("Vonnegut", Some("Vonnegut")),
            ("VON MORITZ GATHMANN am 21. April 2020", Some("MORITZ GATHMANN")),
            ("John Doe Jr.", Some("John Doe Jr.")),
            ("c1ph4", Some("c1ph4")),
            ("by", None),
            ("Nathan Willis March 7, 2012", Some("Nathan Willis")),
            ("Joe Wee Monday, February 3, 2014", Some("Joe Wee")),
            ("Joe Wee Monday, February", Some("Joe Wee")),
            ("Theresa May", Some("Theresa May")),
            ("Fredric John March", Some("Fredric John March")),
            ("03/10/2023 by WSET Global", Some("WSET Global")),
            ("Post by galitsyn »", Some("galitsyn")),
            ("4 teas", None),
            ("Tea for $12", None),
            ("About me", None),
            ("April", None),
            ("Sun Dec 4", None),
            ("The Mail On Sunday", Some("The Mail On Sunday")),
            ("Feb", None),
            ("Publiziert am", None),
            ("Publiziert am 3. Mai 2020", None),
            ("Deutsch", None),
            ("12.05.2020", None),
            ("", None),
        ] {
            assert_eq!(clean_author(text).as_deref(), want, "{text}");
        }
    }

    fn read(source: &str) -> Option<String> {
        let dom = parse(source, &Limits::default());
        let page = blocks(&dom, dom.body().expect("a body"));
        author(&dom, &metadata(&dom, None, &[]), &page, 0)
    }

    #[test]
    fn marked_named_linked_written() {
        for (source, want) in [
            ("<h1>T</h1><a class=herald-author-name href=/x>Ann Lee</a>", Some("Ann Lee")),
            ("<h1>T</h1><p class=byline__author>von <a href=/a>Bo Li</a> am 3. Mai 2020</p>", Some("Bo Li")),
            ("<h1>T</h1><p>x <a href=/author/ann-lee>Ann Lee</a></p>", Some("Ann Lee")),
            ("<h1>T</h1><p>Von Claudia Lindner</p>", Some("Claudia Lindner")),
            ("<h1>T</h1><div hidden><b class=author>Ann Lee</b></div>", None),
            ("<h1>T</h1><b class=writer>write a review</b><b class=writer>Ann Lee</b>", Some("Ann Lee")),
            ("<h1>T</h1><b class=writer>홍길동</b>", Some("홍길동")),
            ("<h1>T</h1><p>von hier aus geht es weiter</p>", None),
            ("<h1>T</h1><div class=comment><span class=author>Troll</span></div>", None),
            ("<h1>T</h1><span itemprop=author>Cy</span><a class=author>Di</a>", Some("Cy")),
            (
                "<meta name=author content='The Site'><meta property=og:site_name content='The site'><b class=author>Eve Fox</b>",
                Some("Eve Fox"),
            ),
            (
                "<meta name=author content='The Site'><meta property=og:site_name content='The site'><p>x",
                Some("The Site"),
            ),
        ] {
            assert_eq!(read(source).as_deref(), want, "{source}");
        }
    }
}
