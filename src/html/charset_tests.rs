use super::*;
use encoding_rs::{BIG5, EUC_JP, EUC_KR, GBK, KOI8_R, SHIFT_JIS, WINDOWS_1251};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

const ZH: &str = "<html><head><title>网页</title></head><body><p>我们把网页的文字和它的链接分开，然后统计每个词出现的次数。</p></body></html>";
const RU: &str = "<html><title>Страница</title><body><p>Мы отделяем текст страницы от её ссылок и считаем слова.</p></body></html>";
const FR: &str = "<html><title>Été</title><body><p>Voilà une page où l'on a bien du mal à trouver des mots très français.</p></body></html>";

type Summary = (&'static str, Option<&'static str>, &'static str);

fn summary(bytes: &[u8], label: Option<&[u8]>) -> Summary {
    let found = decode(bytes, label, None);
    (found.used.name(), found.declared, found.source.name())
}

#[test]
fn order_of_evidence() {
    let gbk = GBK.encode(ZH).0;
    let labelled = [b"<meta charset=gb2312>".as_slice(), &gbk].concat();
    let bom = [b"\xEF\xBB\xBF".as_slice(), ZH.as_bytes()].concat();
    type Case<'a> = (&'a [u8], Option<&'a [u8]>, Summary);
    let cases: [Case; 12] = [
        (b"plain", None, ("UTF-8", None, "default")),
        (b"plain", Some(b"gbk"), ("GBK", Some("GBK"), "http")),
        (b"", Some(b"utf-16"), ("UTF-8", Some("UTF-16LE"), "default")),
        (&gbk, Some(b"gb18030"), ("gb18030", Some("gb18030"), "http")),
        (&gbk, Some(b" \"GB2312\" "), ("GBK", Some("GBK"), "http")),
        (&gbk, Some(b"nonsense"), ("GBK", None, "detected")),
        (&labelled, None, ("GBK", Some("GBK"), "meta")),
        (&labelled, Some(b"gb18030"), ("gb18030", Some("gb18030"), "http")),
        (&gbk, None, ("GBK", None, "detected")),
        (ZH.as_bytes(), None, ("UTF-8", None, "detected")),
        (ZH.as_bytes(), Some(b"utf8"), ("UTF-8", Some("UTF-8"), "http")),
        (&bom, Some(b"gbk"), ("UTF-8", Some("UTF-8"), "bom")),
    ];
    for (bytes, label, expected) in cases {
        assert_eq!(summary(bytes, label), expected, "{label:?}");
    }
    assert!(matches!(decode(&bom, None, None).text, Cow::Borrowed(text) if text == ZH));
}

#[test]
fn labels_that_the_bytes_contradict() {
    let gbk = GBK.encode(ZH).0.into_owned();
    let with_meta = [b"<meta charset=gbk>".as_slice(), &gbk].concat();
    let cp1251 = WINDOWS_1251.encode(RU).0.into_owned();
    let koi8 = KOI8_R.encode(RU).0.into_owned();
    let big5 = BIG5
        .encode("<p>我們把網頁的文字和它的連結分開，然後統計每個詞出現的次數，這是一個很長的句子。</p>")
        .0
        .into_owned();
    let latin = WINDOWS_1252.encode(FR).0.into_owned();
    let korean = EUC_KR.encode("<p>한국어 문서의 문자 인코딩을 올바르게 판정하기 위한 예문입니다. 글이 조금 더 길어야 합니다.</p>").0.into_owned();
    let cases: [(&[u8], &[u8], &str); 19] = [
        (&korean, b"gb2312", "EUC-KR"),
        (&gbk, b"big5", "GBK"),
        (&gbk, b"windows-1251", "GBK"),
        (&koi8, b"windows-1251", "windows-1251"),
        (ZH.as_bytes(), b"gb2312", "UTF-8"),
        (ZH.as_bytes(), b"iso-8859-1", "UTF-8"),
        (FR.as_bytes(), b"iso-8859-1", "UTF-8"),
        ("é".as_bytes(), b"iso-8859-1", "UTF-8"),
        // Three characters of GBK that happen to be well-formed UTF-8 too.
        (b"\xCD\xA8\xCD\xA8\xCD\xA8", b"gbk", "GBK"),
        (&gbk, b"utf-8", "GBK"),
        (&gbk, b"iso-8859-1", "GBK"),
        (&gbk, b"utf-16", "GBK"),
        (&with_meta, b"iso-8859-1", "GBK"),
        (&cp1251, b"utf-8", "windows-1251"),
        (&cp1251, b"iso-8859-1", "windows-1251"),
        (&koi8, b"koi8-r", "KOI8-R"),
        (&big5, b"gb2312", "Big5"),
        (&latin, b"utf-8", "windows-1252"),
        (&latin, b"gbk", "windows-1252"),
    ];
    for (i, (bytes, label, used)) in cases.into_iter().enumerate() {
        assert_eq!(decode(bytes, Some(label), None).used.name(), used, "case {i}, {}", label.escape_ascii());
    }
}

#[test]
fn labels_that_are_right_are_obeyed() {
    let texts: [(&str, &[&'static Encoding]); 5] = [
        (ZH, &[GBK, UTF_8]),
        (RU, &[WINDOWS_1251, KOI8_R, UTF_8]),
        (FR, &[WINDOWS_1252, UTF_8]),
        (
            "<p>日本語のページの文字コードを正しく判定するための例文です。</p>",
            &[SHIFT_JIS, EUC_JP, UTF_8, ISO_2022_JP],
        ),
        ("<p>한국어 문서의 문자 인코딩을 올바르게 판정하기 위한 예문입니다.</p>", &[EUC_KR, UTF_8]),
    ];
    for (text, encodings) in texts {
        for encoding in encodings {
            let bytes = encoding.encode(text).0;
            for label in [Some(encoding.name().as_bytes()), None] {
                let found = decode(&bytes, label, None);
                assert_eq!(
                    (found.text.as_ref(), found.had_errors),
                    (text, false),
                    "{} {label:?}",
                    encoding.name()
                );
            }
        }
    }
}

#[test]
fn utf_16_with_and_without_a_mark() {
    for big in [false, true] {
        let units = |text: &str| -> Vec<u8> {
            text.encode_utf16().flat_map(|u| if big { u.to_be_bytes() } else { u.to_le_bytes() }).collect()
        };
        let name = if big { "UTF-16BE" } else { "UTF-16LE" };
        for text in [ZH, "plain ascii in two bytes a letter"] {
            assert_eq!(decode(&units(text), None, None).text, text);
            let marked = decode(&units(&format!("\u{FEFF}{text}")), Some(b"gbk"), None).text.into_owned();
            assert_eq!(marked, text);
            let labelled = units(text);
            assert_eq!(summary(&labelled, Some(name.as_bytes())), (name, Some(name), "http"));
        }
    }
}

#[test]
fn damage_keeps_the_label() {
    // A stray byte in the middle, and a character cut off at the end.
    let mut bytes = ZH.as_bytes().to_vec();
    bytes[30] = 0xFF;
    let found = decode(&bytes, Some(b"utf-8"), None);
    assert_eq!((found.used.name(), found.had_errors), ("UTF-8", true));
    let end = ZH.rfind('。').expect("a stop") + 2;
    let found = decode(&ZH.as_bytes()[..end], None, None);
    assert_eq!((found.used.name(), found.had_errors), ("UTF-8", true));
    assert!(matches!(found.text, Cow::Borrowed(text) if ZH.starts_with(text)));
}

proptest! {
    #[test]
    fn any_bytes_under_any_label(bytes in prop::collection::vec(any::<u8>(), 0..300), label in "(utf-8|gbk|utf-16|big5|iso-8859-1|iso-2022-jp|x|replacement|iso-2022-kr)?") {
        decode(&bytes, Some(label.as_bytes()), Some(b"CN."));
    }

    #[test]
    fn well_formed_utf_8_is_borrowed(text in "\\PC{0,80}") {
        let found = decode(text.as_bytes(), Some(b"utf-8"), None);
        prop_assert!(matches!(found.text, Cow::Borrowed(t) if t == text));
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    found
}

/// All 395 files in encodings of the Encoding Standard are recognised without and with their own labels, by equal text;
/// the rest of the collection (IBM855, Johab, EUC-TW, ISO-2022-KR, UTF-32) is of encodings outside it, recognised by name.
#[test]
fn recognises_the_files_of_the_collection() {
    let Some(folder) = webmill_evaluation::archive("encodings") else { return };
    let languages = [
        "-hungarian",
        "-czech",
        "-polish",
        "-croatian",
        "-slovak",
        "-slovene",
        "-romanian",
        "-bulgarian",
        "-russian",
        "-arabic",
        "-greek",
        "-turkish",
        "-hebrew",
    ];
    let (mut files, mut alone, mut labelled, mut beyond) = (0, 0, 0, 0);
    for folder in entries(&folder.path().join("encodings"))
        .into_iter()
        .filter(|path| path.is_dir() && !path.ends_with("html5lib"))
    {
        let mut name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        for language in languages {
            name = name.strip_suffix(language).map(str::to_owned).unwrap_or(name);
        }
        let label = match name.as_str() {
            "MacCyrillic" => "x-mac-cyrillic",
            "MacRoman" => "macintosh",
            "utf-8-sig" => "utf-8",
            "CP932" => "shift_jis",
            "CP949" => "euc-kr",
            other => other,
        };
        let Some(right) = Encoding::for_label(label.as_bytes()).filter(|&found| found != REPLACEMENT) else {
            for file in entries(&folder) {
                let bytes = std::fs::read(&file).expect("a file");
                let found = decode(&bytes, None, None);
                let names = [detect(&bytes, None).map(Charset::name), Some(found.name)];
                for name in names.map(Option::unwrap_or_default) {
                    let is_right = name.to_lowercase().starts_with(&label.to_lowercase());
                    assert!(is_right && !found.had_errors, "{name} for {}", file.display());
                }
                beyond += 1;
            }
            continue;
        };
        for file in entries(&folder) {
            let bytes = std::fs::read(&file).expect("a file");
            // The mark settles whether a file named UTF-16 is of the little or the big end.
            let text = right.decode(&bytes).0;
            let text = text.trim_start_matches('\u{FEFF}');
            let same = |other: &str| {
                let (ours, theirs) = (other.chars().count(), text.chars().count());
                let differing = other.chars().zip(text.chars()).filter(|(a, b)| a != b).count();
                ours == theirs && differing * 2000 <= ours
            };
            let Charset::Standard(found) = detect(&bytes, None).unwrap_or(Charset::Standard(UTF_8)) else {
                panic!("{} is of the standard", file.display());
            };
            files += 1;
            alone += usize::from(same(found.decode(&bytes).0.trim_start_matches('\u{FEFF}')));
            labelled += usize::from(same(&decode(&bytes, None, None).text));
        }
    }
    println!("{alone} without, {labelled} with their labels, of {files}; {beyond} beyond the standard");
    assert_eq!([files, alone, labelled, beyond], [395, 395, 395, 30]);
}

/// The cases of html5lib; those whose declaration only a tree builder sees are its own.
#[test]
fn reads_the_declarations_of_the_html5lib_cases() {
    let Some(folder) = webmill_evaluation::archive("encodings") else { return };
    let (mut cases, mut wrong) = (0, Vec::new());
    for file in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
        let bytes = std::fs::read(folder.path().join("encodings/html5lib").join(file)).expect("a file");
        let starts: Vec<_> = memchr::memmem::find_iter(&bytes, b"#data\n").collect();
        for (i, &start) in starts.iter().enumerate() {
            let case = &bytes[start + 6..starts.get(i + 1).copied().unwrap_or(bytes.len())];
            let cut = memchr::memmem::rfind(case, b"\n#encoding\n").expect("an encoding");
            let expected = Encoding::for_label(case[cut + 11..].trim_ascii()).expect("a label");
            let bom = Encoding::for_bom(case).map(|(encoding, _)| encoding);
            let found = bom.or_else(|| declared_encoding(&case[..cut])).unwrap_or(WINDOWS_1252);
            cases += 1;
            if found != expected {
                wrong.push(format!("{file} {i}: {} for {}", found.name(), expected.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {cases}: {wrong:#?}", wrong.len());
}
