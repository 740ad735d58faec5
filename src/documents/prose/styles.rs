//! Headings and titles by the names of styles, in the languages that word processors write them in.

/// What a style makes of a paragraph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// Nothing in particular.
    #[default]
    Body,
    /// A heading of a level, 1 for the highest.
    Heading(u8),
    /// The title of the document.
    Title,
}

/// What a style of a name makes of a paragraph.
pub(crate) fn style_of(name: &str) -> Style {
    let lower = name.trim().to_lowercase();
    // Names may have aliases behind a comma.
    let lower = lower.split([',', ';']).next().unwrap_or_default().trim_end();
    if TITLES.split('|').any(|title| title.trim() == lower) {
        return Style::Title;
    }
    let word = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let level = lower.get(word.len()..).and_then(|digits| digits.parse().ok());
    match level {
        Some(level @ 1..=9) if HEADINGS.split('|').any(|heading| heading.trim() == word.trim_end()) => {
            Style::Heading(level)
        }
        _ => Style::Body,
    }
}

/// Words before the number of a level.
const HEADINGS: &str = "
    heading | überschrift | titre | título | titulo | título de nivel | titolo | kop | rubrik | overskrift | otsikko |
    nagłówek | nadpis | címsor | titlu | naslov | заголовок | επικεφαλίδα | başlık | 标题 | 標題 | 見出し | 제목 | عنوان |
    العنوان | כותרת | หัวเรื่อง | đầu đề | tiêu đề | judul | encabezado | cabeçalho | tiêu đề mục | antraštė | virsraksts |
    pealkiri | заглавие | титул";

/// Names of the style of a title.
const TITLES: &str = "
    title | titel | titre | título | titulo | titolo | rubrik | tittel | otsikko | tytuł | název | názov | cím | titlu |
    naslov | название | заголовок | назва | τίτλος | konu başlığı | 标题 | 標題 | 表題 | 제목 | العنوان | כותרת טקסט | ชื่อเรื่อง |
    tiêu đề | document title | doctitle";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_headings_and_titles() {
        let cases = [
            ("heading 1", Style::Heading(1)),
            ("Heading 3,h3,Level 3", Style::Heading(3)),
            ("Überschrift 2", Style::Heading(2)),
            ("标题 1", Style::Heading(1)),
            ("标题", Style::Title),
            ("Titre 2", Style::Heading(2)),
            ("Title", Style::Title),
            ("Subtitle", Style::Body),
            ("heading", Style::Body),
            ("heading 0", Style::Body),
            ("heading 99", Style::Body),
            ("Normal", Style::Body),
            ("", Style::Body),
        ];
        for (name, style) in cases {
            assert_eq!(style_of(name), style, "{name}");
        }
    }
}
