//! Names of people as pages write them, without what introduces and follows them.
//!
//! A byline has more than a name: "By", a date, a handle, a separator and words behind it. The rest is a name
//! unless it is a word put in the place of one ("admin", "Published"). Cost: linear in at most 60 words.

use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use webmill_html::{DateOrder, find_date};

use crate::word_list::entries;

/// Lists of words around names, each with its name before it.
pub(crate) const LISTS: &str = include_str!("person_name.txt");

/// Characters of a name, or names.
const MAX_NAME: usize = 80;

/// What introduces a name, in lower case.
static INTRODUCTIONS: LazyLock<Vec<&str>> = LazyLock::new(|| entries(LISTS, "introductions"));

/// Introductions that are parts of names too: two words follow them.
const PREPOSITIONS: [&str; 5] = ["di", "av", "af", "od", "oleh"];

/// Words that are no name of a person, as they stand where one should be.
static NOBODY: LazyLock<Vec<&str>> = LazyLock::new(|| entries(LISTS, "nobody"));

/// Days of the week and months that are in a date behind a name.
const DAYS: &str = "mo di mi do fr sa so mon tue wed thu fri sat sun montag dienstag mittwoch donnerstag freitag samstag \
    sonntag monday tuesday wednesday thursday friday saturday sunday lun mar";
const MONTHS: &str = "january february march april may june july august september october november december jan feb apr \
    jun jul aug sep sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin \
    juillet août septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre \
    noviembre diciembre";
/// Months and days that are names of people too.
const FIRST_NAMES: &str =
    "march april may june august mai avril julio mar mo di sa so jan jun lun sun mars do";

/// Offices of those who write.
const OFFICES: &str = "reporter reporterin correspondent editor editor-in-chief director manager coordinator ceo cto cfo coo \
    cmo founder co-founder president vp columnist analyst strategist specialist consultant contributor blogger \
    journalist writer copywriter redakteur redakteurin korrespondent korrespondentin chefredakteur chefredakteurin \
    journalistin autorin geschäftsführer geschäftsführerin volontär volontärin redactor redactora periodista journaliste \
    rédacteur rédactrice giornalista redattore redattrice experte expertin";
/// Words before an office that belong to it.
const BEFORE_OFFICES: &str = "senior junior chief managing staff executive deputy assistant associate contributing content \
    marketing political politics business sports sport tech technology science health education news digital creative lead \
    freelance national foreign white investigative general guest special former crime features feature opinion editorial \
    social media product sales software data the";
/// Words of the frame that markup leaves behind a name.
static BEHIND_NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| entries(LISTS, "behind_names"));
/// Words of names of firms and other bodies.
const HOUSES: &str = "gmbh ag inc ltd llc llp corp corporation company e.v verein verband association institute institut \
    university universität college ministry ministerium foundation stiftung agency agentur redaktion staff services \
    solutions official magazine magazin zeitung newspaper bureau department committee council network publishing verlag \
    museum hospital clinic kitchens landesanstalt bundesamt feuerwehr contributors associates consulting software usa group";
/// What names of Chinese houses end with.
static WIDE_HOUSES: LazyLock<Vec<&str>> = LazyLock::new(|| entries(LISTS, "wide_houses"));

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
        let (first, last) = (kept.cut(..at), kept.cut(at + 1..));
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
        && let Some(rest) = behind_date(&name).filter(|_| find_date(&name, DateOrder::Undecided).is_some())
    {
        name = rest.to_string();
    }
    for _ in 0..3 {
        name = name.trim_start_matches(|c: char| !c.is_alphanumeric()).to_string();
        let lower = name.to_lowercase();
        let same = lower.len() == name.len();
        let Some(found) = INTRODUCTIONS.iter().find(|intro| {
            let Some(rest) = lower.strip_prefix(**intro).filter(|_| same) else { return false };
            if PREPOSITIONS.contains(intro) && rest.split_whitespace().count() < 2 {
                return false;
            }
            let word = rest.is_empty() || rest.starts_with(|c: char| !c.is_alphabetic());
            // Without a blank only where the page's markup lost it: `vonChris`.
            word || intro.ends_with(':')
                || !intro.is_ascii()
                || glued(name.cut(intro.len()..)) && intro.contains(' ')
        }) else {
            break;
        };
        name = name
            .cut(found.len()..)
            .trim_start_matches([':', ' ', '：', '/', '｜', '|', '-', '–'])
            .to_string();
    }
    name = without_kicker(&name).to_string();
    for with in [" im Gespräch mit ", " in conversation with "] {
        name = name.replace(with, ", ");
    }
    for start in ["文/", "文｜", "记者"] {
        name = name.strip_prefix(start).map(str::to_string).unwrap_or(name);
    }
    for end in [
        " | ",
        "•",
        " · ",
        " » ",
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
        " More posts",
        " veröffentlicht",
        "(",
    ] {
        if let Some((first, _)) = name.split_once(end).filter(|(first, _)| !first.is_empty()) {
            name = first.trim().to_string();
        }
    }
    if let Some(at) = name.find(|c: char| c.is_ascii_digit())
        && (name.cut(at..).bytes().take_while(u8::is_ascii_digit).count() < 5)
        && name.cut(..at).ends_with(' ')
    {
        // A date behind the name, with the day of the week before it.
        name.truncate(at);
        name = without_days(&name, true).trim_end_matches([' ', ',', '/', '|', '.']).to_string();
    }
    let name = without_days(&name, false);
    let name = said_once(without_office(name));
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
        // A key that a template left: `page.head.extra.author`.
        && (name.matches('.').count() <= 2 || name.contains(|c: char| c == ' ' || c.is_uppercase()))
        && !NOBODY.contains(&name.to_lowercase().as_str());
    good.then(|| name.to_string())
}

/// A user's name without its letter behind it, which stands for a picture, and a name without itself: `ann_b A`, `Ann Lee Ann Lee`.
fn said_once(name: &str) -> &str {
    let half = name.len() / 2;
    let (first, last) = name.split_once(' ').unwrap_or((name, ""));
    let is_user = first.contains(|c: char| c.is_ascii_digit() || c == '_');
    if is_user && last.len() == 1 && first.get(..1).is_some_and(|letter| letter.eq_ignore_ascii_case(last)) {
        return first;
    }
    match name.get(..half).zip(name.get(half + 1..)) {
        Some((one, other))
            if one == other && one.contains(' ') && name.as_bytes().get(half) == Some(&b' ') =>
        {
            one
        }
        _ => name,
    }
}

/// A byline that begins with the name of a paper or a section in lower case: `capital von Ann Lee`.
fn without_kicker(name: &str) -> &str {
    let behind = [" by ", " von "].iter().find_map(|by| name.split_once(by));
    match behind {
        Some((kicker, rest)) if !kicker.contains(' ') && kicker.starts_with(char::is_lowercase) => rest,
        _ => name,
    }
}

/// A name without the offices, places and words of the page's frame before and behind it.
fn without_office(name: &str) -> &str {
    let mut name = without_office_before(name);
    // What follows a comma is another name unless it is an office or a house.
    let mut at = 0;
    for (i, part) in name.split(',').enumerate() {
        let office =
            part.split_whitespace().any(|word| is_office(word) || word.eq_ignore_ascii_case("expert"));
        let paper = part.trim_start().starts_with("The ");
        let one = part.split_whitespace().count() > 1;
        if i > 0 && (office || paper && one || is_house(part)) {
            name = name.cut(..at - 1);
            break;
        }
        at += part.len() + 1;
    }
    let words: Vec<&str> = name.split(' ').collect();
    let from = 2;
    if !name.contains([',', ';'])
        && let Some(office) = (from..words.len()).find(|&i| is_office(words[i]))
        && words[..from].iter().all(|word| word.starts_with(char::is_uppercase))
    {
        let cut = (from..office).find(|&i| listed(BEFORE_OFFICES, words[i])).unwrap_or(office);
        let length = words[..cut].iter().map(|word| word.len() + 1).sum::<usize>();
        name = name.cut(..length - 1);
    }
    while let Some((rest, last)) = name.rsplit_once(' ') {
        if !BEHIND_NAMES.contains(&last.to_lowercase().as_str()) {
            break;
        }
        name = rest;
    }
    name
}

/// A name without the office before it: `Reporter Ann Lee`, `Daily-Expertin Ann Lee`.
fn without_office_before(name: &str) -> &str {
    match name.split_once(' ') {
        Some((first, rest)) if rest.contains(' ') && is_office(first.rsplit('-').next().unwrap_or(first)) => {
            rest
        }
        _ => name,
    }
}

fn is_office(word: &str) -> bool {
    listed(OFFICES, word)
}

/// Whether a name is one of a news agency, which papers name as who wrote.
pub(crate) fn is_agency(name: &str) -> bool {
    const AGENCIES: &str = "afp, dpa, apa, sda, sid, reuters, ap, associated press, the associated press, \
        efe, ansa, xinhua, pti, jiji, kyodo, tass, 新华社, 中新社";
    let name = name.to_lowercase();
    AGENCIES.split(", ").any(|agency| agency == name)
}

/// Whether a name is one of a firm, a paper, an office or another body.
pub(crate) fn is_house(name: &str) -> bool {
    const DOMAINS: &str = "com org net de at ch fr it co uk eu info cn io";
    let lower = name.to_lowercase();
    let address = |word: &str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.rsplit_once('.').is_some_and(|(first, end)| {
            first.chars().count() > 2
                && end.split('/').next().is_some_and(|end| DOMAINS.split(' ').any(|domain| domain == end))
        })
    };
    let wide = lower.contains(|c: char| webmill_html::is_wide(c));
    lower.split_whitespace().any(|word| listed(HOUSES, word) || address(word))
        || wide && WIDE_HOUSES.iter().any(|end| lower.ends_with(end))
}

/// Whether a name ends with an initial or a title: `R. R.`, `John Doe Jr.`.
fn ends_initial(name: &str) -> bool {
    let last = name.trim_end_matches('.').rsplit([' ', '.']).next().unwrap_or_default();
    name.ends_with('.') && last.chars().count() <= 2 && last.starts_with(char::is_uppercase)
}

fn glued(rest: &str) -> bool {
    rest.starts_with(char::is_uppercase)
}

/// Whether words look like a person's name: most begin with a capital, and they are few.
pub(crate) fn is_person(name: &str) -> bool {
    let words: Vec<&str> = name.split_whitespace().collect();
    let capitals = words.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
    (1..=6).contains(&words.len()) && capitals * 3 >= words.len() * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn houses_are_no_people() {
        for house in
            ["Herald GmbH", "The Press Association", "herald.example.com", "herald.com/ann", "某某新闻网"]
        {
            assert!(is_house(house), "{house}");
        }
        for person in ["Ann Lee", "Bo Li Jr.", "J.R. Lee", "张三", "R.W. de Vries"] {
            assert!(!is_house(person), "{person}");
        }
    }

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
            ("keeper62 » 14 Mar 2009, 10:01", Some("keeper62")),
            ("4 teas", None),
            ("Ejp55 E", Some("Ejp55")),
            ("ann_b A", Some("ann_b")),
            ("Ann A", Some("Ann A")),
            ("Duran Duran", Some("Duran Duran")),
            ("Ann Lee Ann Lee", Some("Ann Lee")),
            ("page.head.extra.author", None),
            ("View more posts", None),
            ("Ann Lee More posts from this author", Some("Ann Lee")),
            ("Ann Lee , Privacy and Digital Security Expert", Some("Ann Lee")),
            ("Luxury Travel Expert", Some("Luxury Travel Expert")),
            ("Ann Lee, Luxury Travel Expert", Some("Ann Lee")),
            ("Guide by Will Judd Former Deputy Tech Editor", Some("Will Judd")),
            ("Tea for $12", None),
            ("About me", None),
            ("April", None),
            ("Sun Dec 4", None),
            ("The Mail On Sunday", Some("The Mail On Sunday")),
            ("Feb", None),
            ("Publiziert am", None),
            ("Publiziert am 3. Mai 2020", None),
            ("Articles by Juliette Lee", Some("Juliette Lee")),
            ("gazette von Ann Lee", Some("Ann Lee")),
            ("Ann Lee Senior Autos Reporter", Some("Ann Lee")),
            ("Ann Lee Content Marketing Coordinator", Some("Ann Lee")),
            ("Ann Lee, CEO", Some("Ann Lee")),
            ("Ann Lee and Bo Li, The Daily Herald", Some("Ann Lee and Bo Li")),
            ("Ann Lee, Bo Li", Some("Ann Lee, Bo Li")),
            ("Ann Lee, MD", Some("Ann Lee, MD")),
            ("Herald-Experte Bo Li", Some("Bo Li")),
            ("Ann Lee Twitter", Some("Ann Lee")),
            ("Ann Lee le", Some("Ann Lee")),
            ("Ann Lee im Gespräch mit Bo Li", Some("Ann Lee, Bo Li")),
            ("Deutsch", None),
            ("12.05.2020", None),
            ("", None),
        ] {
            assert_eq!(clean_author(text).as_deref(), want, "{text}");
        }
    }
}
