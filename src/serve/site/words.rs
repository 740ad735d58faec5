//! The pages' own words in both languages, and which language a reader gets.

use std::collections::BTreeMap;

/// A language of the site.
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

    /// Its name in `?lang=`.
    pub fn name(self) -> &'static str {
        match self {
            Lang::En => "en",
            Lang::Zh => "zh",
        }
    }

    /// The language of `?lang=` or a cookie: any tag of English or Chinese.
    pub fn named(tag: &str) -> Option<Lang> {
        let primary = tag.split(['-', '_']).next().unwrap_or(tag).trim();
        match primary.to_ascii_lowercase().as_str() {
            "en" => Some(Lang::En),
            "zh" => Some(Lang::Zh),
            _ => None,
        }
    }

    /// What was asked for, else what was asked for before ([`Lang::cookie`]), else what the browser prefers, else English.
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

    /// The language of `Accept-Language` with the highest weight that the site has; the first of equals.
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

    /// All words of this language, by key.
    pub(super) fn words(self) -> BTreeMap<&'static str, &'static str> {
        WORDS.iter().map(|(key, en, zh)| (*key, if self == Lang::Zh { *zh } else { *en })).collect()
    }
}

/// `key, English, Chinese`.
const WORDS: &[(&str, &str, &str)] = &[
    ("site", "Web archive", "网页档案"),
    ("skip", "Skip to content", "跳到正文"),
    ("other_lang", "中文", "English"),
    ("collections", "Collections", "馆藏"),
    ("collections_about", "Pages as they were, by address and by time.", "按网址与时间查阅网页当时的样子。"),
    ("no_collections", "No collection is open.", "没有打开的馆藏。"),
    ("collection", "Collection", "馆藏"),
    ("open", "Open", "打开"),
    ("front", "Front page", "首页"),
    ("hosts", "Hosts", "主机"),
    ("search", "Search", "搜索"),
    ("find_url", "Find an address", "按网址查找"),
    ("find_url_hint", "e.g. example.org/news", "例如 example.org/news"),
    ("find_text", "Search the texts", "全文搜索"),
    ("find_text_hint", "words on the pages", "页面中的词语"),
    ("address", "Address", "网址"),
    ("words", "Words", "词语"),
    ("match", "Show", "显示"),
    ("match_exact", "this address", "该网址"),
    ("match_prefix", "all that begin so", "以此开头的网址"),
    ("match_host", "the whole host", "整个主机"),
    ("match_domain", "with subdomains", "含子域名"),
    ("look_up", "Look up", "查找"),
    ("capture", "capture", "次抓取"),
    ("captures", "captures", "次抓取"),
    ("captures_of", "Captures", "抓取记录"),
    ("addresses", "addresses", "个网址"),
    ("addresses_title", "Addresses", "网址"),
    ("hosts_count", "hosts", "个主机"),
    ("stored", "Stored", "存储"),
    ("from", "From", "始于"),
    ("to", "to", "至"),
    ("span", "Time", "时间"),
    ("largest_hosts", "Hosts with most captures", "抓取最多的主机"),
    ("all_hosts", "All hosts", "全部主机"),
    ("newest", "Newest captures", "最新抓取"),
    ("nothing_captured", "Nothing was captured.", "没有抓取记录。"),
    ("calendar", "Calendar", "日历"),
    ("years", "Years", "年份"),
    ("year", "Year", "年份"),
    ("legend", "Colours", "颜色"),
    ("ok", "page", "页面"),
    ("moved", "redirect", "重定向"),
    ("missing", "error", "错误"),
    ("other", "other", "其他"),
    ("time", "Time (UTC)", "时间 (UTC)"),
    ("status", "Status", "状态"),
    ("type", "Type", "类型"),
    ("content", "Content", "内容"),
    ("title", "Title", "标题"),
    ("size", "Size", "大小"),
    ("details", "details", "详情"),
    ("about_title", "Details", "详情"),
    ("same_first", "first seen", "首次出现"),
    ("same_unchanged", "unchanged", "未变"),
    ("same_changed", "changed", "已变"),
    ("same_again", "as earlier", "与更早相同"),
    ("same_unknown", "unknown", "未知"),
    ("revisit", "revisit", "重访"),
    (
        "list_cut",
        "Only the first of this year are listed here; the calendar counts all.",
        "此处仅列出该年最早的一部分；日历计入全部。",
    ),
    ("live", "Live page", "现在的网页"),
    ("live_note", "leaves the archive", "离开档案"),
    ("same_site", "All addresses below", "此网址之下的全部网址"),
    ("prefix_title", "Addresses that begin with", "以此开头的网址"),
    ("host_title", "Addresses of the host", "该主机的网址"),
    ("domain_title", "Addresses of the domain", "该域名的网址"),
    ("url", "Address", "网址"),
    ("count", "Captures", "抓取数"),
    ("first", "First", "首次"),
    ("last", "Last", "末次"),
    ("next", "Next", "下一页"),
    ("previous", "Previous", "上一页"),
    ("beginning", "Back to the beginning", "回到开头"),
    ("page", "Page", "页"),
    ("host", "Host", "主机"),
    ("pages", "Pages", "页面数"),
    ("hosts_in", "Linked from hosts", "链入主机"),
    ("pagerank", "PageRank", "PageRank"),
    ("language", "Language", "语言"),
    ("results", "results", "条结果"),
    ("result", "result", "条结果"),
    ("results_for", "Results for", "搜索："),
    ("no_results", "No page holds these words.", "没有页面包含这些词语。"),
    (
        "no_search",
        "The texts of this collection were not indexed: only addresses can be looked up.",
        "该馆藏未建立全文索引：只能按网址查找。",
    ),
    ("no_words", "Type one word or more.", "请输入一个或多个词语。"),
    ("untitled", "(untitled)", "（无标题）"),
    ("about_capture", "What is known of this capture", "关于此次抓取"),
    ("open_capture", "Open the capture", "打开此次抓取"),
    ("all_captures", "All captures", "全部抓取"),
    ("main_text", "Main text", "正文"),
    ("no_text", "No main text was found.", "没有找到正文。"),
    ("nothing_known", "Nothing more is known of it.", "没有更多信息。"),
    ("author", "Author", "作者"),
    ("published", "Published", "发表"),
    ("description", "Description", "摘要"),
    ("charset", "Encoding", "编码"),
    ("word_count", "Words", "字词数"),
    ("link_count", "Links", "链接数"),
    ("rank_place", "Rank", "排名"),
    ("of_pages", "of", "/"),
    ("in_links", "Linked from pages", "链入页面"),
    ("digest", "Digest", "摘要值"),
    ("duplicates", "Duplicates", "重复页面"),
    ("cluster", "Group", "组"),
    ("cluster_of", "pages with the same or nearly the same content", "个内容相同或相近的页面"),
    ("representative", "Stands for them", "代表页面"),
    ("kind_representative", "this page stands for the group", "此页代表该组"),
    ("kind_body", "its body is equal", "内容字节相同"),
    ("kind_text", "its text is equal", "正文相同"),
    ("kind_near", "its text is nearly equal", "正文相近"),
    ("and_others", "Others of the group", "该组其他页面"),
    ("error_400", "This cannot be asked", "无法理解的请求"),
    ("error_403", "Access is not allowed", "不允许访问"),
    ("error_404", "Not in the archive", "档案中没有"),
    ("error_451", "Withheld", "不予提供"),
    ("error_500", "Something went wrong", "出错了"),
    ("error_503", "Not ready", "尚未就绪"),
    ("not_captured", "This address was not captured.", "该网址没有被抓取。"),
    ("try_prefix", "Look for addresses that begin so", "查找以此开头的网址"),
    ("try_host", "See the whole host", "查看整个主机"),
    ("theme_note", "Made by webmill from the archive's own records.", "由 webmill 依据档案记录生成。"),
    ("week", "M T W T F S S", "一 二 三 四 五 六 日"),
];

#[cfg(test)]
mod tests {
    use super::*;

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
    fn every_word_is_there_once_in_both_languages() {
        let keys: std::collections::BTreeSet<_> = WORDS.iter().map(|word| word.0).collect();
        assert_eq!(keys.len(), WORDS.len());
        assert!(WORDS.iter().all(|(_, en, zh)| !en.is_empty() && !zh.is_empty()));
        let weeks = [Lang::En, Lang::Zh].map(|lang| lang.words()["week"].split(' ').count());
        assert_eq!(weeks, [7, 7]);
    }
}
