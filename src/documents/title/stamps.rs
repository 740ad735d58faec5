//! What metadata calls a title and is none: names of files, and what programs call documents that nobody named.

use super::{is_title_like, one_line};

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
    (is_title_like(name) && !is_path(name) && !is_stamp(name)).then(|| name.to_owned())
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

/// Whether a title is what a program calls a document, a slide or a sheet that nobody named.
pub(crate) fn is_stamp(title: &str) -> bool {
    let lower = one_line(title).to_lowercase();
    let bare = lower.trim_matches(|c: char| !c.is_alphanumeric());
    let unnumbered =
        bare.trim_end_matches(|c: char| c.is_numeric() || matches!(c, ' ' | '-' | '_' | '(' | '.' | '#'));
    let among = |names: &str, name| names.split('|').any(|known| known.trim() == name);
    among(UNNAMED, bare)
        || among(UNNAMED, unnumbered)
        || unnumbered.len() < bare.len() && among(NUMBERED, unnumbered)
}

/// Names of the unnamed, in the languages of the programs, with a number or without.
const UNNAMED: &str = "
    untitled | untitled document | untitled presentation | untitled spreadsheet | untitled page |
    no title | notitle | no name | unnamed | unknown | none | null | undefined | title | document |
    doc | new document | word document | microsoft word document | new microsoft word document |
    new microsoft office word document | presentation | powerpoint presentation |
    microsoft powerpoint presentation | new microsoft powerpoint presentation | microsoft powerpoint |
    microsoft word | microsoft excel | microsoft excel worksheet | workbook | spreadsheet | normal |
    normal.dot | template | default | blank | blank document | blank presentation | insert title here |
    click to add title | document title |
    无标题 | 无标题文档 | 未命名 | 未命名文档 | 未知 | 无题 | 文档 | 文件 | 新建文档 | 新文档 | 新建 microsoft word 文档 |
    新建microsoft word文档 | microsoft word 文档 | word 文档 | 演示文稿 | powerpoint 演示文稿 | powerpoint演示文稿 |
    新建 microsoft powerpoint 演示文稿 | microsoft powerpoint 演示文稿 | 工作簿 | 单击此处添加标题 | 单击此处编辑母版标题样式 | 無標題 |
    無標題文件 | 未命名文件 | 簡報 | powerpoint 簡報 | microsoft powerpoint 簡報 | 活頁簿 | 按一下以新增標題 |
    無題 | タイトルなし | 文書 | 新規文書 | 新しい文書 | プレゼンテーション | powerpoint プレゼンテーション | 名称未設定 | 제목 없음 | 제목없음 | 무제 |
    문서 | 프레젠테이션 | powerpoint 프레젠테이션 | 통합 문서 | 슬라이드 |
    unbenannt | unbenanntes dokument | ohne titel | kein titel | dokument | neues dokument |
    präsentation | powerpoint-präsentation | microsoft word-dokument | naamloos | zonder titel |
    presentatie | powerpoint-presentatie | namnlös | utan titel | powerpoint-presentation |
    uden titel | ikke navngivet | præsentation | powerpoint-præsentation | uten navn | uten tittel |
    presentasjon | powerpoint-presentasjon | nimetön | asiakirja | powerpoint-esitys |
    sans titre | sans nom | sans-titre | présentation | présentation powerpoint | sin título |
    sin titulo | sin nombre | documento | documento sin título | presentación |
    presentación de powerpoint | senza titolo | senza nome | presentazione |
    presentazione di powerpoint | presentazione standard di powerpoint | sem título | sem titulo |
    sem nome | apresentação | apresentação do powerpoint | apresentação de powerpoint | fără titlu |
    prezentare powerpoint |
    без названия | без имени | без заголовка | документ | документ microsoft word | презентация |
    презентация powerpoint | презентація powerpoint | без назви | bez tytułu | bez nazwy |
    prezentacja | prezentacja programu powerpoint | bez názvu | prezentace |
    prezentace aplikace powerpoint | névtelen | cím nélkül | dokumentum | powerpoint bemutató |
    powerpoint-bemutató | χωρίς τίτλο | έγγραφο | παρουσίαση του powerpoint | adsız | başlıksız |
    belge | powerpoint sunusu |
    بدون عنوان | بلا عنوان | مستند | عرض تقديمي | عرض تقديمي في powerpoint | ללא כותרת | מסמך |
    מצגת של powerpoint | بدون نام | سند | ไม่มีชื่อ | เอกสาร | งานนำเสนอ powerpoint |
    bản trình bày powerpoint | tài liệu";

/// Words that are a stamp with a number behind, and may be a title without.
const NUMBERED: &str = "
    slide | page | book | sheet | chart | file | draft | scan | scanned document | layout | drawing |
    幻灯片 | 第 | 页 | 工作表 | 投影片 | スライド | ページ | シート | folie | seite | mappe | tabelle | dia | bild |
    diapositive | diapositiva | classeur | feuil | libro | hoja | cartel | foglio | pasta | planilha |
    слайд | страница | книга | лист | slajd | zeszyt | arkusz | snímek | sešit | slayt | kitap | dias |
    lysbilde | διαφάνεια | شريحة | الشريحة | مصنف | ورقة | שקופית | ภาพนิ่ง | trang chiếu";

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
