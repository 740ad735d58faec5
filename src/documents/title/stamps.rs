//! What metadata calls a title and is none: names of files, and what programs call documents that nobody named.

use super::{is_title_like, one_line};
use webmill_html::is_placeholder_title;

/// The title that metadata names: without a program's stamp before it, and `None` for file names and for what programs call
/// documents that nobody named.
pub(crate) fn cleaned(title: &str) -> Option<String> {
    let title = one_line(title);
    let unstamped = without_program(&title);
    let name = match unstamped {
        // What a printer driver stamped is the name of the file.
        Some(name) => without_ending(name).unwrap_or(name),
        None if without_ending(&title).is_some() || is_path(&title) => return None,
        None => &title,
    };
    let name = name.trim();
    (is_title_like(name) && !is_path(name) && !is_placeholder_title(name)).then(|| name.to_owned())
}

/// What follows the name of the program that printed a document.
fn without_program(title: &str) -> Option<&str> {
    let program = title.strip_prefix("Microsoft ")?;
    let program = program.strip_prefix("Office ").unwrap_or(program);
    let names = ["Word", "PowerPoint", "Excel", "Publisher", "Visio", "Outlook"];
    let name = names.into_iter().find_map(|name| program.strip_prefix(name))?;
    Some(name.trim_start().strip_prefix(['-', '–', '—'])?.trim_start())
}

/// A file's name without its ending, where it has one that files have.
fn without_ending(name: &str) -> Option<&str> {
    const ENDINGS: &[&str] = &[
        "ai", "aspx", "bmp", "cdr", "csv", "doc", "docm", "docx", "dot", "dotx", "dvi", "dwg", "eps", "epub",
        "fm", "gif", "hlp", "htm", "html", "hwp", "indd", "jpeg", "jpg", "lwp", "mht", "odg", "odp", "ods",
        "odt", "p65", "pages", "pdf", "pmd", "png", "pot", "potx", "pps", "ppsx", "ppt", "pptm", "pptx",
        "prn", "ps", "pub", "qxd", "rtf", "shtml", "svg", "sxw", "tex", "tif", "tiff", "tmp", "txt", "vsd",
        "wpd", "wps", "xhtml", "xls", "xlsm", "xlsx", "xml", "xps", "zip",
    ];
    let (stem, ending) = name.rsplit_once('.')?;
    let known = ENDINGS.binary_search(&ending.to_ascii_lowercase().as_str()).is_ok();
    (known && stem.ends_with(|c: char| !c.is_whitespace())).then_some(stem)
}

fn is_path(name: &str) -> bool {
    let mut chars = name.chars();
    let drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && name.get(1..3) == Some(":\\");
    let spaced = name.contains(char::is_whitespace);
    drive || name.starts_with("\\\\") || name.starts_with("file:") || !spaced && name.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_and_file_names_are_no_titles() {
        let cases = [
            ("Ducks of the lake", Some("Ducks of the lake")),
            ("  Ducks\u{0} of\tthe lake ", Some("Ducks of the lake")),
            ("Microsoft Word - ducks.doc", Some("ducks")),
            ("Microsoft PowerPoint - Ducks of 2004.ppt", Some("Ducks of 2004")),
            ("Microsoft Word - Document1", None),
            ("ducks.doc", None),
            ("Ducks of the lake final.PDF", None),
            ("C:\\ducks\\lake", None),
            ("Node.js and you", Some("Node.js and you")),
            ("untitled", None),
            ("Untitled-2", None),
            ("Document1", None),
            ("PowerPoint Presentation", None),
            ("Slide 1", None),
            ("Slide", Some("Slide")),
            ("Slides of ducks", Some("Slides of ducks")),
            ("幻灯片 1", None),
            ("PowerPoint 演示文稿", None),
            ("无标题", None),
            ("新建网页 1", None),
            ("文档1", None),
            ("关于湖泊保护的通知", Some("关于湖泊保护的通知")),
            ("Présentation PowerPoint", None),
            ("Презентация PowerPoint", None),
            ("12", None),
            ("", None),
        ];
        for (given, title) in cases {
            assert_eq!(cleaned(given).as_deref(), title, "{given}");
        }
    }
}
