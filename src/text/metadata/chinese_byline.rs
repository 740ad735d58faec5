//! Reporters that a Chinese text names: `（记者 张三 李四）`, `本报记者 张三`, `新华社北京3月12日电（记者 张三）`, `文：张三`.
//!
//! Newspapers of China name who wrote at the beginning or the end of the text, not under its title. Read are blocks that begin
//! with such a byline and ends of blocks in brackets. 记者 is also a plain word of the text (记者从市政府获悉): only names of two
//! to four characters count that a bracket, a blank, a verb of reporting or the end of the block follows. Editors (责任编辑)
//! are no authors.
//!
//! Cost: the first and last [`MAX_BYTES`] of at most [`MAX_BLOCKS`] blocks.

use crate::blocks::class_names::Kind;
use crate::blocks::page::{FAR, Page};
use webmill_capture::cut::Cut;
use webmill_html::is_wide;

/// Blocks from the title on that are read.
const MAX_BLOCKS: usize = 400;
/// Bytes of either end of a block.
const MAX_BYTES: usize = 150;
/// Names of one byline.
const MAX_NAMES: usize = 8;

/// What may follow the names.
const BEHIND: [&str; 17] = [
    "）", ")", "报道", "報導", "報道", "综合", "出自", "发自", "摄影", "攝影", "摄", "实习", "文/图", "】",
    "]", "／", "/",
];
/// Offices of those who are named next.
const NEXT: [&str; 4] = ["通讯员", "通訊員", "实习生", "特约记者"];

/// The reporters named in the blocks from `near` on.
pub(crate) fn chinese_byline(page: &Page, near: usize) -> Option<Vec<String>> {
    let blocks = page.blocks.get(near.min(page.blocks.len())..)?;
    blocks.iter().take(MAX_BLOCKS).find_map(|block| {
        let distance = &page.containers[block.container as usize].distance;
        if [Kind::Comment, Kind::Related].iter().any(|&kind| distance[kind as usize] < FAR) {
            return None;
        }
        let text = page.text_of(block).trim();
        if !text.contains(is_wide) {
            return None;
        }
        in_text(text)
    })
}

/// The reporters named at the beginning or the end of a block.
pub(super) fn in_text(text: &str) -> Option<Vec<String>> {
    let begin = text.cut(..text.floor_char_boundary(MAX_BYTES));
    for mark in ["文：", "文:", "文/", "文／", "文・", "文 | ", "撰文：", "撰文/", "記者："]
    {
        if let Some(rest) = begin.strip_prefix(mark) {
            return names(rest, true);
        }
    }
    let is_mark = |before: &str| {
        let before = before.trim_end_matches(['□', '■', '●', '◎', ' ', '　']);
        // 本报记者, 新华社记者 …: the paper's name is short and begins the block or the bracket.
        let open = before.rfind(['（', '(', '【']).map_or(before, |at| before.cut(at..));
        let paper = open.trim_start_matches(['（', '(', '【']);
        paper.chars().count() <= 8 && !paper.contains(['，', '。', '、', '：', '“'])
    };
    let marks = ["记者", "記者"].into_iter().flat_map(|mark| begin.match_indices(mark));
    let from = marks.into_iter().find(|&(at, _)| is_mark(begin.cut(..at)));
    if let Some(found) = from.and_then(|(at, mark)| names(begin.cut(at + mark.len()..), false)) {
        return Some(found);
    }
    let tail = text.cut(text.ceil_char_boundary(text.len().saturating_sub(MAX_BYTES))..);
    let closed = tail.trim_end().ends_with(['）', ')', '】']);
    let at = tail.rfind(['（', '(', '【']).filter(|_| closed)?;
    let bracket = tail.cut(at..);
    let (before, rest) = bracket.split_once("记者")?;
    if is_mark(before) { names(rest, false) } else { None }
}

/// Names at the beginning of a text; nothing where other words follow.
fn names(text: &str, labelled: bool) -> Option<Vec<String>> {
    let mut rest = text.trim_start_matches([' ', '　', '\u{a0}', '：', ':', '/', '|', '｜']);
    let mut found: Vec<&str> = Vec::new();
    while found.len() < MAX_NAMES {
        let office = NEXT.iter().find_map(|office| rest.strip_prefix(office));
        rest = office.unwrap_or(rest).trim_start_matches([' ', '　', '：', ':']);
        let ends = BEHIND.iter().chain(&NEXT).filter_map(|end| rest.find(end));
        let verb = ends.min().unwrap_or(rest.len());
        let end = rest.find(|c: char| !is_wide(c) || "，。、；：（【《“".contains(c)).unwrap_or(rest.len());
        let name = rest.cut(..end.min(verb));
        // 記者の目
        let kana = !labelled && name.contains(|c: char| matches!(c, 'ぁ'..='ゟ'));
        if kana || !(2..=4).contains(&name.chars().count()) {
            break;
        }
        let behind = rest.cut(name.len()..);
        let next = behind.trim_start_matches([' ', '　', '\u{a0}', '、']);
        let parted = next.len() < behind.len();
        let ended = next.is_empty() || BEHIND.iter().any(|end| next.starts_with(end));
        let goes_on = NEXT.iter().any(|office| next.starts_with(office));
        if !(ended || parted || labelled || goes_on) {
            return None;
        }
        // The place that is reported from.
        if !found.is_empty() && next.starts_with("报道") {
            break;
        }
        found.push(name);
        rest = next;
        if ended || !(parted || goes_on) {
            break;
        }
    }
    (!found.is_empty()).then(|| found.into_iter().map(str::to_owned).collect())
}

/// Names behind a label (作者：张三 李四): Chinese ones as far as they go, else the first word.
pub(super) fn chinese_names(text: &str) -> Vec<String> {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.chars().all(is_wide) {
        let words = text.split_whitespace().take_while(|word| {
            word.chars().all(is_wide) && (2..=4).contains(&word.chars().count()) && !is_label(word)
        });
        let bare = |word: &str| word.trim_start_matches("记者").trim_start_matches("記者").to_owned();
        let names: Vec<String> = words.take(MAX_NAMES).map(bare).filter(|name| !name.is_empty()).collect();
        if !names.is_empty() {
            return names;
        }
    }
    if first.is_empty() { Vec::new() } else { vec![first.to_owned()] }
}

/// Words that follow names in a line of facts.
fn is_label(word: &str) -> bool {
    [
        "来源", "编辑", "时间", "日期", "发布", "点击", "浏览", "字体", "字号", "阅读", "责编", "评论",
        "更新", "发表", "人气",
    ]
    .iter()
    .any(|label| word.contains(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reporters_at_the_ends_of_a_text() {
        for (text, want) in [
            ("（记者 张三 李四）", Some("张三; 李四")),
            ("本报记者 张三", Some("张三")),
            ("□ 本报记者 王小明", Some("王小明")),
            ("新华社北京3月12日电（记者 张三、李四）昨天下雨。", Some("张三; 李四")),
            ("某报记者 张三 某县报道", Some("张三")),
            ("本报记者张三发自北京", Some("张三")),
            ("昨天全市下了大雨。（记者 张三）", Some("张三")),
            ("文：张三", Some("张三")),
            ("记者从市政府获悉，昨天下雨。", None),
            ("记者了解到，昨天下雨。", None),
            ("昨天下雨，他告诉记者 张三没有来。", None),
            ("责任编辑：张三", None),
            ("", None),
        ] {
            assert_eq!(in_text(text).map(|names| names.join("; ")).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn names_behind_a_label() {
        for (text, want) in [
            ("张三 李四 来源：某报", "张三; 李四"),
            ("张三 发布时间：2009-03-12", "张三"),
            ("herald 2009", "herald"),
            ("", ""),
        ] {
            assert_eq!(chinese_names(text).join("; "), want, "{text}");
        }
    }
}
