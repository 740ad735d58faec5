use super::*;
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, GBK, IBM866, ISO_8859_2, ISO_8859_5, ISO_8859_6, ISO_8859_7, ISO_8859_8, KOI8_R,
    KOI8_U, SHIFT_JIS, WINDOWS_874, WINDOWS_1250, WINDOWS_1251, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255,
    WINDOWS_1256, WINDOWS_1257, X_MAC_CYRILLIC,
};
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
    let cases: [(&[u8], &[u8], &str); 21] = [
        (&korean, b"gb2312", "EUC-KR"),
        (&gbk, b"big5", "GBK"),
        (&gbk, b"windows-1251", "GBK"),
        (&koi8, b"windows-1251", "KOI8-U"),
        (&cp1251, b"koi8-r", "windows-1251"),
        (&cp1251, b"iso-8859-5", "windows-1251"),
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
fn english_with_a_few_signs_is_windows_1252() {
    let cases: [(&[u8], &str); 7] = [
        (b"<p>Seats are \xA35 or \xA32 for friends \x96 ask at the \x93front desk\x94 of St Mary\x92s.</p>", "£5 or £2"),
        (b"<p>Seats \xA35/\xA32. Sold at Tom\x92s. The caf\xE9 is open.</p>", "£5/£2. Sold at Tom’s. The café"),
        (b"<p>The room is 20 m\xB2 and costs the same at \xBD of the size.</p>", "20 m² and costs the same at ½ of"),
        (b"<p>It was a na\xEFve thing to do for the town, and \xA1ol\xE9! was all that they said.</p>", "¡olé!"),
        (b"<p>Il a dit que c'\xE9tait ferm\xE9 pour les vacances.</p>", "c'était fermé"),
        (b"<p>\xBFD\xF3nde est\xE1 el caf\xE9?</p>", "¿Dónde está el café?"),
        (b"<p>Stra\xDFe</p>", "Straße"),
    ];
    for (bytes, part) in cases {
        let found = decode(bytes, None, None);
        assert!(found.text.contains(part), "{part}: {} {}", found.name, found.text);
    }
    // Names of Central Europe among English words stay what they are.
    let polish =
        ISO_8859_2.encode("<p>Lech Wałęsa was the leader of the movement and was born in Popowo.</p>").0;
    assert!(decode(&polish, None, None).text.contains("Wałęsa"));
}

#[test]
fn right_labels_of_short_texts_are_obeyed() {
    let cases: [(&str, &[&'static Encoding]); 16] = [
        ("дождь", &[WINDOWS_1251, KOI8_R, ISO_8859_5, IBM866, X_MAC_CYRILLIC]),
        ("НОВОСТИ", &[WINDOWS_1251, KOI8_R, ISO_8859_5, IBM866]),
        ("Купить iPhone'ы и SMS-ки", &[WINDOWS_1251, KOI8_R]),
        ("Новини: дощ і вітер у містах, їхати ґанок", &[WINDOWS_1251, KOI8_U]),
        ("Дажджлівае надвор'е ў горадзе", &[WINDOWS_1251, KOI8_U]),
        ("Времето днес: дъжд и вятър", &[WINDOWS_1251, ISO_8859_5]),
        ("Киша у граду, љубав и његош, џеп, ћирилица", &[WINDOWS_1251, ISO_8859_5]),
        ("Ќе врне дожд, ѓурѓовден, ѕвезда", &[WINDOWS_1251, ISO_8859_5]),
        ("Καιρός στην πόλη", &[WINDOWS_1253, ISO_8859_7]),
        ("גשם בעיר", &[WINDOWS_1255, ISO_8859_8]),
        ("المطر في المدينة", &[WINDOWS_1256, ISO_8859_6]),
        ("ฝนตกในเมือง", &[WINDOWS_874]),
        ("Árvíztűrő tükörfúrógép", &[WINDOWS_1250, ISO_8859_2]),
        ("Škoda, Dvořák and the others in the city of Brno", &[WINDOWS_1250, ISO_8859_2]),
        ("İstanbul'da yağmur var, şemsiye ağır", &[WINDOWS_1254]),
        ("Pērkons Rīgā, vējš un lietus šodien", &[WINDOWS_1257]),
    ];
    for (text, encodings) in cases {
        for encoding in encodings {
            let (bytes, _, lossy) = encoding.encode(text);
            assert!(!lossy, "{text} in {}", encoding.name());
            let found = decode(&bytes, Some(encoding.name().as_bytes()), None);
            assert_eq!(found.text, text, "{} read as {}", encoding.name(), found.name);
        }
    }
}

#[test]
fn latin_labels_of_other_regions_lose_to_letters_and_words() {
    let polish = "<p>To nie jest tak, że przez wszystkie lata było święto, ale dla nas oraz dla was też.</p>";
    let czech = "<p>Jak byl včera večer hezký, tak jsou dnes všude mraky, ale před námi je ještě léto.</p>";
    let french = "<p>Il était une fois, dans une ville près de la mer, des gens qui ne parlaient pas.</p>";
    let cases = [
        (polish, ISO_8859_2, "iso-8859-1"),
        (polish, WINDOWS_1250, "iso-8859-1"),
        (czech, WINDOWS_1250, "iso-8859-1"),
        (french, WINDOWS_1252, "windows-1251"),
        (french, WINDOWS_1252, "koi8-r"),
        (french, WINDOWS_1252, "gb2312"),
        (french, WINDOWS_1252, "big5"),
    ];
    for (text, encoding, label) in cases {
        let bytes = encoding.encode(text).0;
        let found = decode(&bytes, Some(label.as_bytes()), None);
        assert_eq!(found.text, text, "{} under {label} read as {}", encoding.name(), found.name);
    }
    for label in ["gbk", "big5", "shift_jis", "windows-1251"] {
        let found = decode("<p>It’s the café of the town</p>".as_bytes(), Some(label.as_bytes()), None);
        assert_eq!((found.name, found.source.name()), ("UTF-8", "detected"), "{label}");
    }
}

#[test]
fn utf_8_encoded_twice_is_undone_and_told() {
    let page = "<meta charset=utf-8><p>Le cafÃ© est fermÃ© â€“ câ€™est lâ€™Ã©tÃ©.</p>";
    let found = decode(page.as_bytes(), None, None);
    assert_eq!(found.text, "<meta charset=utf-8><p>Le café est fermé – c’est l’été.</p>");
    let told = (found.name, found.declared, found.detected, found.doubled);
    assert_eq!(told, ("UTF-8", Some("UTF-8"), Some("UTF-8"), Some("windows-1252")));
    let partly = "<p>Le cafÃ© est fermé.</p>";
    let found = decode(partly.as_bytes(), None, None);
    assert_eq!((found.text.as_ref(), found.doubled), (partly, None));
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
    let languages = "-hungarian -czech -polish -croatian -slovak -slovene -romanian -bulgarian -russian -arabic \
        -greek -turkish -hebrew";
    let (mut files, mut alone, mut labelled, mut beyond) = (0, 0, 0, 0);
    for folder in entries(&folder.path().join("encodings"))
        .into_iter()
        .filter(|path| path.is_dir() && !path.ends_with("html5lib"))
    {
        let mut name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        for language in languages.split(' ') {
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

#[test]
fn estonian_letters_show_iso_8859_15() {
    let read = |text: &str, encoding: &'static Encoding| {
        let page = format!("<p>Vana signaalijaam avatakse külastajatele pärast kolme aastat tööd. {text}");
        let bytes = encoding.encode(&page).0.into_owned();
        let decoded = decode(&bytes, None, None);
        (decoded.text.ends_with(text), decoded.name)
    };
    assert_eq!(read("Šokolaad ja žürii ootavad, kõik õhtud täis.", ISO_8859_15), (true, "ISO-8859-15"));
    assert_eq!(read("Avaleht ¦ Uudised ¦ Õhtud täis.", WINDOWS_1252), (true, "windows-1252"));
    assert_eq!(read("Avaleht¦Uudised, kõik õhtud täis.", WINDOWS_1252), (true, "windows-1252"));
}
