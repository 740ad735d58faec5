//! The part about documents that are no HTML, and about pictures, sound and video.

use webmill_report::{Html, Lang, Panel, Part, Top, TopRow, Word};

use super::documents::{Documents, Format, Media, NO_TITLE};
use super::draw::bars;

/// The part; `None` where the corpus has neither.
pub fn part(documents: &Documents, lang: Lang) -> Option<Part> {
    if documents.is_empty() {
        return None;
    }
    let word = |word| lang.word(word).to_owned();
    let (all, media) = (documents.all(), documents.all_media());
    let cards = [
        (Word::DocumentsFound, all.found, "documents: found"),
        (Word::DocumentsRead, all.read, "documents: read"),
        (Word::DocumentsNotRead, all.failed, "documents: not read"),
        (Word::PagesOfDocuments, all.pages, "documents: pages"),
        (Word::MediaFiles, media.files, "media: files"),
        (Word::PicturesNotFetched, documents.not_fetched, "media: pictures not fetched"),
    ];
    let cards = cards.into_iter().filter(|(_, n, _)| *n > 0);
    let mut panels = Vec::new();
    if !documents.formats.is_empty() {
        panels.push(Panel::Top(formats(documents, lang)));
    }
    let mut titles =
        bars(word(Word::TitlesFrom), word(Word::DocumentsFound), "document titles", &documents.titles);
    titles.bars.iter_mut().for_each(|bar| bar.name = title_source(&bar.name, lang));
    let failures = bars(
        word(Word::DocumentsNotReadWhy),
        word(Word::DocumentsFound),
        "documents not read",
        &documents.failures,
    );
    let mut warnings = bars(
        word(Word::DocumentWarnings),
        word(Word::DocumentsFound),
        "document warnings",
        &documents.warnings,
    );
    warnings.of = Some(all.read);
    panels.extend(
        [titles, failures, warnings].into_iter().filter(|bars| !bars.bars.is_empty()).map(Panel::Bars),
    );
    if !documents.kinds.is_empty() {
        panels.extend(media_tables(documents, lang).into_iter().map(Panel::Top));
    }
    Some(Part {
        id: "documents".into(),
        title: word(Word::DocumentsAndMedia),
        note: word(Word::DocumentsAndMediaNote),
        cards: cards.map(|(label, n, of)| (word(label), Html::count(n, of))).collect(),
        panels,
    })
}

/// Documents by format, those of most documents first.
fn formats(documents: &Documents, lang: Lang) -> Top {
    let word = |word| lang.word(word).to_owned();
    let mut of: Vec<(&str, &Format)> = documents.formats.iter().map(|(name, of)| (*name, of)).collect();
    of.sort_by(|a, b| b.1.found.cmp(&a.1.found).then_with(|| a.0.cmp(b.0)));
    let row = |(format, of): (&str, &Format)| {
        let cell = |n: u64, name: &str| match n {
            0 => Html::default(),
            n => Html::count(n, &format!("documents by format: {format} {name}")),
        };
        TopRow {
            name: format.to_owned(),
            title: None,
            cells: vec![
                cell(of.found, "found"),
                cell(of.read, "read"),
                cell(of.failed, "not read"),
                cell(of.pages, "pages"),
                cell(of.words, "words"),
            ],
        }
    };
    Top {
        title: word(Word::DocumentsByFormat),
        note: word(Word::DocumentsByFormatNote),
        of: word(Word::Format),
        columns: [
            Word::DocumentsFound,
            Word::ReadDocuments,
            Word::UnreadDocuments,
            Word::PagesOfDocuments,
            Word::Words,
        ]
        .map(word)
        .into(),
        rows: of.into_iter().map(row).collect(),
    }
}

/// Media by kind and by format.
fn media_tables(documents: &Documents, lang: Lang) -> [Top; 2] {
    let word = |word| lang.word(word).to_owned();
    let table = |title, note: String, of, section: &str, mut media: Vec<(String, String, Media)>| {
        media.sort_by(|a, b| b.2.files.cmp(&a.2.files).then_with(|| a.0.cmp(&b.0)));
        let row = |(name, shown, media): (String, String, Media)| {
            let of = |number: &str| format!("{section}: {name} {number}");
            let seconds = match media.ms {
                0 => Html::default(),
                _ => Html::number(media.seconds(), &format!("{:.1}", media.seconds()), &of("seconds")),
            };
            let cells =
                vec![Html::count(media.files, &of("files")), Html::count(media.bytes, &of("bytes")), seconds];
            TopRow { name: shown, title: None, cells }
        };
        Top {
            title: word(title),
            note,
            of: word(of),
            columns: [Word::Files, Word::Bytes, Word::Seconds].map(word).into(),
            rows: media.into_iter().map(row).collect(),
        }
    };
    let kinds =
        documents.kinds.iter().map(|(name, media)| ((*name).to_owned(), media_kind(name, lang), *media));
    let formats = documents.media.iter().map(|(name, media)| (name.clone(), name.clone(), *media));
    [
        table(Word::MediaByKind, word(Word::MediaNote), Word::KindOfMedia, "media by kind", kinds.collect()),
        table(Word::MediaByFormat, String::new(), Word::Format, "media by format", formats.collect()),
    ]
}

/// A kind of media in words.
fn media_kind(name: &str, lang: Lang) -> String {
    let known = match name {
        "image" => Word::Pictures,
        "audio" => Word::Sound,
        "video" => Word::Video,
        other => return other.to_owned(),
    };
    lang.word(known).to_owned()
}

/// Where a title was found, in words.
fn title_source(name: &str, lang: Lang) -> String {
    let known = match name {
        "metadata" => Word::TitleMetadata,
        "style" => Word::TitleStyle,
        "type" => Word::TitleType,
        "heading" => Word::TitleHeading,
        "line" => Word::TitleLine,
        NO_TITLE => Word::NoTitle,
        other => return other.to_owned(),
    };
    lang.word(known).to_owned()
}
