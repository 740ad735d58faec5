//! Languages by the numbers that Microsoft gave them, as tags of BCP 47.

use std::collections::BTreeMap;

/// The tag of a language; `None` for "no language" and unknown ones.
pub(crate) fn tag_of(number: u16) -> Option<&'static str> {
    let entries = || LANGUAGES.split(',').filter_map(|entry| entry.trim().split_once(' '));
    let number_of = |hex: &str| u16::from_str_radix(hex, 16).ok();
    if matches!(number, 0 | 0x0400) {
        return None;
    }
    // A number without a region, or with one that is not in the table, is the language alone.
    entries().find(|&(hex, _)| number_of(hex) == Some(number)).map(|(_, tag)| tag).or_else(|| {
        let same =
            |&(hex, _): &(&str, &str)| number_of(hex).is_some_and(|known| known & 0x3FF == number & 0x3FF);
        entries().find(same).and_then(|(_, tag)| tag.split('-').next())
    })
}

/// Numbers in hexadecimals and tags.
const LANGUAGES: &str = "
    0401 ar-SA, 0402 bg-BG, 0403 ca-ES, 0404 zh-TW, 0405 cs-CZ, 0406 da-DK, 0407 de-DE, 0408 el-GR,
    0409 en-US, 040a es-ES, 040b fi-FI, 040c fr-FR, 040d he-IL, 040e hu-HU, 040f is-IS, 0410 it-IT,
    0411 ja-JP, 0412 ko-KR, 0413 nl-NL, 0414 nb-NO, 0415 pl-PL, 0416 pt-BR, 0417 rm-CH, 0418 ro-RO,
    0419 ru-RU, 041a hr-HR, 041b sk-SK, 041c sq-AL, 041d sv-SE, 041e th-TH, 041f tr-TR, 0420 ur-PK,
    0421 id-ID, 0422 uk-UA, 0423 be-BY, 0424 sl-SI, 0425 et-EE, 0426 lv-LV, 0427 lt-LT, 0428 tg-TJ,
    0429 fa-IR, 042a vi-VN, 042b hy-AM, 042c az-AZ, 042d eu-ES, 042e hsb-DE, 042f mk-MK, 0432 tn-ZA,
    0434 xh-ZA, 0435 zu-ZA, 0436 af-ZA, 0437 ka-GE, 0438 fo-FO, 0439 hi-IN, 043a mt-MT, 043b se-NO,
    043e ms-MY, 043f kk-KZ, 0440 ky-KG, 0441 sw-KE, 0442 tk-TM, 0443 uz-UZ, 0444 tt-RU, 0445 bn-IN,
    0446 pa-IN, 0447 gu-IN, 0448 or-IN, 0449 ta-IN, 044a te-IN, 044b kn-IN, 044c ml-IN, 044d as-IN,
    044e mr-IN, 044f sa-IN, 0450 mn-MN, 0451 bo-CN, 0452 cy-GB, 0453 km-KH, 0454 lo-LA, 0456 gl-ES,
    0457 kok-IN, 045a syr-SY, 045b si-LK, 045d iu-CA, 045e am-ET, 0461 ne-NP, 0462 fy-NL, 0463 ps-AF,
    0464 fil-PH, 0465 dv-MV, 0468 ha-NG, 046a yo-NG, 046b qu-BO, 046c nso-ZA, 046d ba-RU, 046e lb-LU,
    046f kl-GL, 0478 ii-CN, 047a arn-CL, 047c moh-CA, 047e br-FR, 0480 ug-CN, 0481 mi-NZ, 0482 oc-FR,
    0483 co-FR, 0484 gsw-FR, 0485 sah-RU, 0486 quc-GT, 0487 rw-RW, 0488 wo-SN, 048c prs-AF, 0801 ar-IQ,
    0804 zh-CN, 0807 de-CH, 0809 en-GB, 080a es-MX, 080c fr-BE, 0810 it-CH, 0813 nl-BE, 0814 nn-NO,
    0816 pt-PT, 081a sr-RS, 081d sv-FI, 0820 ur-IN, 082c az-AZ, 082e dsb-DE, 083b se-SE, 083c ga-IE,
    083e ms-BN, 0843 uz-UZ, 0850 mn-CN, 0851 bo-BT, 085d iu-CA, 085f tmz-DZ, 086b qu-EC, 0c01 ar-EG,
    0c04 zh-HK, 0c07 de-AT, 0c09 en-AU, 0c0a es-ES, 0c0c fr-CA, 0c1a sr-RS, 0c3b se-FI, 0c6b qu-PE,
    1001 ar-LY, 1004 zh-SG, 1007 de-LU, 1009 en-CA, 100a es-GT, 100c fr-CH, 101a hr-BA, 103b smj-NO,
    1401 ar-DZ, 1404 zh-MO, 1407 de-LI, 1409 en-NZ, 140a es-CR, 140c fr-LU, 141a bs-BA, 143b smj-SE,
    1801 ar-MA, 1809 en-IE, 180a es-PA, 180c fr-MC, 181a sr-BA, 183b sma-NO, 1c01 ar-TN, 1c09 en-ZA,
    1c0a es-DO, 1c1a sr-BA, 1c3b sma-SE, 2001 ar-OM, 2009 en-JA, 200a es-VE, 201a bs-BA, 203b sms-FI,
    2401 ar-YE, 2409 en-029, 240a es-CO, 243b smn-FI, 2801 ar-SY, 2809 en-BZ, 280a es-PE, 2c01 ar-JO,
    2c09 en-TT, 2c0a es-AR, 3001 ar-LB, 3009 en-ZW, 300a es-EC, 3401 ar-KW, 3409 en-PH, 340a es-CL,
    3801 ar-AE, 380a es-UY, 3c01 ar-BH, 3c0a es-PY, 4001 ar-QA, 4009 en-IN, 400a es-BO, 4409 en-MY,
    440a es-SV, 4809 en-SG, 480a es-HN, 4c0a es-NI, 500a es-PR, 540a es-US, 7c04 zh-Hant";

/// Which of the three languages of its looks a letter counts for: western, East Asian, right to left.
pub(crate) fn script_of(c: char) -> usize {
    match c {
        '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FEFC}' => 2,
        '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => 1,
        _ => 0,
    }
}

/// How much of a text is in which language, by numbers.
#[derive(Debug, Default)]
pub(crate) struct LanguageShares(BTreeMap<u16, u64>);

impl LanguageShares {
    /// Counts letters or bytes of a language.
    pub(crate) fn add(&mut self, language: u16, count: usize) {
        *self.0.entry(language).or_default() += count as u64;
    }

    /// The tag of the commonest language, else of the declared one.
    pub(crate) fn tag(&self, declared: Option<u16>) -> Option<String> {
        let most = self.0.iter().max_by_key(|&(_, count)| *count).map(|(&language, _)| language);
        most.or(declared).and_then(tag_of).map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_tags() {
        let cases = [
            (0x0409, Some("en-US")),
            (0x0804, Some("zh-CN")),
            (0x0404, Some("zh-TW")),
            (0x0401, Some("ar-SA")),
            (0x0419, Some("ru-RU")),
            (0x0009, Some("en")),
            (0xFC07, Some("de")),
            (0x0400, None),
            (0, None),
            (0x03FF, None),
        ];
        for (number, tag) in cases {
            assert_eq!(tag_of(number), tag, "{number:x}");
        }
    }
}
