//! The part about what changed since earlier results.

use webmill_report::{Html, Lang, Panel, Part, Top, TopRow, Word, language_name, thousands};

use super::compare::{Changes, FIRST};

/// Languages in the table.
const LANGUAGES: usize = 12;

/// The part.
pub fn part(changes: &Changes, lang: Lang) -> Part {
    let word = |word| lang.word(word).to_owned();
    let card = |label, n, name: &str| (word(label), Html::count(n, &format!("compare: {name}")));
    let [new, gone, changed, unchanged] = changes.pages;
    let [before, now] = changes.duplicates;
    let duplicates = word(Word::DuplicatesBefore).replace("{0}", &thousands(before));
    let cards = vec![
        card(Word::NewPages, new, "new pages"),
        card(Word::GonePages, gone, "pages gone"),
        card(Word::ChangedPages, changed, "pages changed"),
        card(Word::UnchangedPages, unchanged, "pages unchanged"),
        card(Word::NewHosts, changes.hosts[0], "new hosts"),
        card(Word::GoneHosts, changes.hosts[1], "hosts gone"),
        (duplicates, Html::count(now, "compare: duplicates now")),
    ];
    let table = |title, note: String, of, heads: &[Word], rows| {
        let columns = heads.iter().map(|head| word(*head)).collect();
        Panel::Top(Top { title: word(title), note, of: word(of), columns, rows })
    };
    let row = |name: &str, cells: Vec<Html>| TopRow { name: name.to_owned(), title: None, cells };
    let place = |(url, place): &(String, u64)| row(url, vec![thousands(*place).into()]);
    let moved = changes.moved.iter().map(|(url, before, now)| {
        let by = *before as i64 - *now as i64;
        row(url, vec![thousands(*before).into(), thousands(*now).into(), format!("{by:+}").into()])
    });
    let hosts = changes.listed_hosts.iter().map(|(pages, host, is_new)| {
        let state = word(if *is_new { Word::New } else { Word::Gone });
        row(host, vec![state.into(), thousands(*pages).into()])
    });
    let note = word(Word::RanksMovedNote).replace("{0}", &FIRST.to_string());
    let three = [Word::Before, Word::Now, Word::Difference];
    let panels = vec![
        table(Word::RanksMoved, note, Word::Page, &three, moved.collect()),
        table(
            Word::TopNew,
            String::new(),
            Word::Page,
            &[Word::Place],
            changes.top_new.iter().map(place).collect(),
        ),
        table(
            Word::TopGone,
            String::new(),
            Word::Page,
            &[Word::Place],
            changes.top_gone.iter().map(place).collect(),
        ),
        table(Word::LanguagesThen, String::new(), Word::Language, &three, languages(changes, lang)),
        table(Word::HostsChanged, String::new(), Word::Host, &[Word::State, Word::Pages], hosts.collect()),
    ];
    Part { id: "changes".into(), title: word(Word::Changes), note: word(Word::ChangesNote), cards, panels }
}

fn languages(changes: &Changes, lang: Lang) -> Vec<TopRow> {
    let mut languages: Vec<(&String, &[u64; 2])> = changes.languages.iter().collect();
    languages.sort_by(|a, b| b.1.iter().max().cmp(&a.1.iter().max()).then(a.0.cmp(b.0)));
    let row = |(code, [before, now]): (&String, &[u64; 2])| TopRow {
        name: language_name(code, lang),
        title: None,
        cells: vec![
            Html::count(*before, &format!("compare: {code} before")),
            Html::count(*now, &format!("compare: {code} now")),
            format!("{:+}", *now as i64 - *before as i64).into(),
        ],
    };
    languages.into_iter().take(LANGUAGES).map(row).collect()
}
