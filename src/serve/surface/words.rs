//! The languages of the surfaces, and all their words: `words.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Words of a surface by key.
pub type Words = BTreeMap<String, String>;

/// Surfaces by name, words by key, English and Chinese.
type Table = BTreeMap<String, BTreeMap<String, [String; 2]>>;

static ENGLISH: LazyLock<BTreeMap<String, Words>> = LazyLock::new(|| surfaces(0));
static CHINESE: LazyLock<BTreeMap<String, Words>> = LazyLock::new(|| surfaces(1));

fn surfaces(language: usize) -> BTreeMap<String, Words> {
    let table: Table = toml::from_str(include_str!("words.toml")).expect("words.toml is a table of pairs");
    let of_language = |words: BTreeMap<String, [String; 2]>| {
        words.into_iter().map(|(key, mut both)| (key, std::mem::take(&mut both[language]))).collect()
    };
    table.into_iter().map(|(surface, words)| (surface, of_language(words))).collect()
}

/// A language of the surfaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Chinese, simplified.
    Zh,
}

impl Lang {
    /// Its tag in `lang` attributes.
    pub fn tag(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh-Hans",
        }
    }

    /// Its name in `?lang=` and in settings.
    pub fn name(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh",
        }
    }

    /// The language to which a reader can switch.
    pub fn other(self) -> Lang {
        match self {
            Lang::En => Lang::Zh,
            Lang::Zh => Lang::En,
        }
    }

    /// The language of a tag: any of English or Chinese.
    pub fn named(tag: &str) -> Option<Lang> {
        let primary = tag.split(['-', '_', '.', '@']).next().unwrap_or(tag).trim();
        [Lang::En, Lang::Zh].into_iter().find(|lang| primary.eq_ignore_ascii_case(lang.name()))
    }

    /// The language of a locale: that of the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that says something; else English.
    ///
    /// # Examples
    /// ```
    /// use webmill_serve::surface::Lang;
    /// let of = |name: &str| (name == "LANG").then(|| "zh_CN.UTF-8".to_owned());
    /// assert_eq!(Lang::of_locale(of), Lang::Zh);
    /// ```
    pub fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Lang {
        let said = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(variable);
        let first = said.into_iter().find(|locale| !locale.is_empty());
        first.and_then(|locale| Lang::named(&locale)).unwrap_or_default()
    }

    /// What was asked for, else what was asked for before ([`Lang::cookie`]), else what the browser prefers, else English.
    ///
    /// # Examples
    /// ```
    /// use webmill_serve::surface::Lang;
    /// assert_eq!(Lang::choose(None, None, Some("de, zh-CN;q=0.8, en;q=0.5")), Lang::Zh);
    /// assert_eq!(Lang::choose(Some("en"), None, Some("zh")), Lang::En);
    /// assert_eq!(Lang::choose(None, Some("a=b; lang=zh"), Some("en")), Lang::Zh);
    /// ```
    pub fn choose(asked: Option<&str>, cookies: Option<&str>, accept_language: Option<&str>) -> Lang {
        let kept = || {
            let pairs = cookies.unwrap_or_default().split(';').filter_map(|pair| pair.trim().split_once('='));
            pairs.filter(|(name, _)| *name == "lang").find_map(|(_, value)| Lang::named(value))
        };
        asked
            .and_then(Lang::named)
            .or_else(kept)
            .or_else(|| accept_language.and_then(Lang::preferred))
            .unwrap_or_default()
    }

    /// The language of `Accept-Language` with the highest weight that is here; the first of equals.
    fn preferred(header: &str) -> Option<Lang> {
        let mut best: Option<(f32, Lang)> = None;
        // Nobody prefers more languages than that.
        for range in header.split(',').take(64) {
            let mut parts = range.split(';');
            let tag = parts.next().unwrap_or_default().trim();
            let weight =
                parts.find_map(|p| p.trim().strip_prefix("q=")).map_or(Some(1.0), |q| q.trim().parse().ok());
            if let (Some(lang), Some(weight)) = (Lang::named(tag), weight)
                && weight > 0.0
                && best.is_none_or(|(most, _)| weight > most)
            {
                best = Some((weight, lang));
            }
        }
        best.map(|(_, lang)| lang)
    }

    /// What keeps the choice for later pages, as value of `Set-Cookie`.
    pub fn cookie(self) -> String {
        format!("lang={}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly", self.name())
    }

    /// All words of a surface: `report`, `languages`, `run`, `site` or `replay`.
    ///
    /// # Panics
    /// Where there is no such surface.
    pub fn words(self, surface: &str) -> &'static Words {
        let surfaces = if self == Lang::Zh { &*CHINESE } else { &*ENGLISH };
        surfaces.get(surface).expect("a surface that words.toml has")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_capture::cut::Cut;

    #[test]
    fn a_reader_gets_the_language_asked_for() {
        let cases = [
            (None, None, None, Lang::En),
            (None, None, Some("zh-CN,zh;q=0.9,en;q=0.8"), Lang::Zh),
            (None, None, Some("fr, en;q=0.3, zh-TW;q=0.7"), Lang::Zh),
            (None, None, Some("zh;q=0, en;q=0.1"), Lang::En),
            (None, None, Some("zh;q=x, de"), Lang::En),
            (Some("en"), None, Some("zh"), Lang::En),
            (Some("xx"), Some("a=b; lang=zh"), Some("en"), Lang::Zh),
            (Some("zh_Hant"), Some("lang=en"), None, Lang::Zh),
        ];
        for (asked, cookies, header, want) in cases {
            assert_eq!(Lang::choose(asked, cookies, header), want, "{asked:?} {cookies:?} {header:?}");
        }
    }

    #[test]
    fn a_locale_is_that_of_the_first_variable_that_says_something() {
        for (all, messages, lang, want) in [
            ("", "", "", Lang::En),
            ("", "", "zh_TW.UTF-8", Lang::Zh),
            ("", "zh", "de_DE.UTF-8", Lang::Zh),
            ("C.UTF-8", "zh_CN", "zh_CN", Lang::En),
            ("zh@pinyin", "", "en_US", Lang::Zh),
            ("", "", "zhx", Lang::En),
        ] {
            let of = |name: &str| match name {
                "LC_ALL" => Some(all.to_owned()),
                "LC_MESSAGES" => Some(messages.to_owned()),
                _ => Some(lang.to_owned()),
            };
            assert_eq!(Lang::of_locale(of), want, "{all} {messages} {lang}");
        }
    }

    fn places(text: &str) -> std::collections::BTreeSet<&str> {
        text.match_indices('{').map(|(at, _)| text.cut(at + 1..at + 2)).collect()
    }

    #[test]
    fn every_word_is_there_in_both_languages_with_the_same_places() {
        let han = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
        // Names and units in both languages, and what each language says of the other or of a count.
        let same = [
            "urls",
            "pagerank",
            "other_lang",
            "when",
            "only",
            "one_host_more",
            "language",
            "comma",
            "named",
            "named_share",
            "with_count",
            "in_brackets",
            "ranked_by",
        ];
        let mut words = 0;
        for surface in ["report", "languages", "run", "site", "replay"] {
            let (english, chinese) = (Lang::En.words(surface), Lang::Zh.words(surface));
            words += english.len();
            for (key, en) in english {
                let zh = &chinese[key];
                assert!(!en.trim().is_empty() && !zh.trim().is_empty(), "{surface} {key}");
                if !same.contains(&key.as_str()) {
                    assert!(!han(en) && han(zh), "{surface} {key}: {zh}");
                    assert_eq!(places(en), places(zh), "{surface} {key}");
                }
            }
        }
        assert!(words > 450, "{words}");
    }
}
