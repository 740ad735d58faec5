//! What surrounds Chinese texts and is no part of any: credits, lines of source and time, tools, paths, related links.
//!
//! Portals put 责任编辑, 来源 and 字号 lines, 相关阅读 lists and legal notes into the element of the article itself, often
//! without a class name, so that only their words tell. Each rule wants a *whole* block of a known form: a phrase inside of
//! prose says nothing. Blocks without Han characters, headings and the headline are not looked at.
//!
//! Rules, for a block without commas and stops unless said otherwise:
//!
//! 1. credits: it holds a label of [`CREDITS`];
//! 2. paths: it begins with one of [`PATHS`];
//! 3. lines of facts: at least two of a date and the labels of [`FACTS`];
//! 4. tools: nothing but [`SURE_TOOLS`], [`TOOLS`], dates and signs;
//! 5. legal notes: a note that forbids copying, disclaims, asks to be cited or followed, a line of rights and registration; commas
//!    allowed;
//! 6. related links: blocks of links after a block that is one of [`RELATED`];
//! 7. authors' columns of forums: cells without prose that hold at least [`MIN_PROFILE`] labels of [`PROFILE`].
//!
//! Nothing is dropped if more than half of the chosen text would go and no sentence would remain: then the page is made of such lines. Cost: linear in
//! the chosen blocks of at most [`MAX_BYTES`]; others are not read.

use std::sync::LazyLock;
use webmill_capture::cut::Cut;

use super::chinese_phrases::{CREDITS, FACTS, PATHS, PROFILE, RELATED, SURE_TOOLS, TOOLS};
use crate::blocks::elements::heading;
use crate::blocks::page::{Block, NONE, Page};
use crate::phrases::Substrings;

/// Longest block looked at, in bytes; a Han character has three.
const MAX_BYTES: usize = 600;
/// Longest line of credits or facts, in characters.
const MAX_LINE: usize = 70;

/// Words of a sentence that is a text by itself.
const MIN_SENTENCE: f32 = 8.0;
/// Longest note on rights, in characters.
const MAX_NOTE: usize = 60;

/// Labels that a cell of a table needs to be an author's column; one less beside a column that has this many.
const MIN_PROFILE: u32 = 3;

/// Takes the rules' blocks out of the choice; `headline` stays.
pub(crate) fn drop_chinese_boilerplate(page: &Page, chosen: &mut [bool], headline: Option<usize>) {
    let columns = author_columns(page);
    let has_column = columns.iter().any(|&labels| labels >= MIN_PROFILE);
    let mut after_label = false;
    let mut dropped: Vec<usize> = Vec::new();
    let (mut all, mut gone, mut says_something) = (0.0, 0.0, false);
    for (i, block) in page.blocks.iter().enumerate() {
        let size = (block.end - block.start) as usize;
        let text = if size <= MAX_BYTES { page.text_of(block) } else { "" };
        let cell = page.containers[block.container as usize].cell;
        let in_column = cell != NONE && has_column && columns[cell as usize] >= MIN_PROFILE - 1;
        let label = is_related_label(text);
        let linked = block.counts.link_density() > 0.7;
        let is_heading = heading(page.containers[block.container as usize].tag).is_some();
        let drop = in_column
            || label
            || (after_label && linked && !is_heading)
            || (!is_heading && is_boilerplate(text, block));
        after_label = label || (after_label && linked);
        if !chosen[i] {
            continue;
        }
        all += block.counts.units;
        says_something |=
            !drop && Some(i) != headline && block.ends_sentence && block.counts.units >= MIN_SENTENCE;
        if drop && Some(i) != headline {
            gone += block.counts.units;
            dropped.push(i);
        }
    }
    if gone * 2.0 <= all || says_something {
        for i in dropped {
            chosen[i] = false;
        }
    }
}

/// For each container how many profile labels are in it, if it is a cell without prose.
fn author_columns(page: &Page) -> Vec<u32> {
    let mut labels = Vec::new();
    for block in &page.blocks {
        let cell = page.containers[block.container as usize].cell;
        if cell == NONE
            || block.counts.units > 40.0
            || page.containers[cell as usize].counts.prose_units > 0.0
        {
            continue;
        }
        let is_label = |line: &&str| {
            PROFILE.iter().any(|label| {
                line.strip_prefix(label)
                    .is_some_and(|rest| rest.is_empty() || rest.trim_start().starts_with([':', '：']))
            })
        };
        let found = page.text_of(block).lines().filter(is_label).count() as u32;
        if found > 0 {
            labels.resize(page.containers.len(), 0);
            labels[cell as usize] += found;
        }
    }
    labels
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}')
}

/// Rules 1 to 5.
fn is_boilerplate(text: &str, block: &Block) -> bool {
    if !text.contains(is_han) {
        return false;
    }
    if is_legal_note(text) {
        return true;
    }
    if text.contains(['。', '！', '？', '；']) || text.chars().count() > MAX_LINE {
        return false;
    }
    let facts_of_all = facts(text);
    if text.contains('，') && facts_of_all < 3 {
        return false;
    }
    // A headline may be in one block with the line of facts under it.
    let each = |rule: &dyn Fn(&str) -> bool| text.lines().all(rule);
    each(&|line| CREDIT_LABELS.find(line) != 0)
        || PATHS.iter().any(|label| text.trim_start_matches(is_sign).starts_with(label))
        || (facts_of_all >= 2 && each(&|line| facts(line) >= 1))
        || (block.counts.units < 20.0 && is_tools(text))
}

fn is_sign(c: char) -> bool {
    !c.is_alphanumeric()
}

/// Rule 6: the whole block is a label, with signs around it at most.
fn is_related_label(text: &str) -> bool {
    text.len() < 60 && RELATED.contains(&text.trim_matches(|c: char| is_sign(c) || c.is_ascii_digit()))
}

static CREDIT_LABELS: LazyLock<Substrings> =
    LazyLock::new(|| Substrings::new(CREDITS.iter().map(|&label| (label, 1))));

/// A bit a label.
static FACT_LABELS: LazyLock<Substrings> = LazyLock::new(|| {
    assert!(FACTS.len() <= 64);
    Substrings::new(FACTS.iter().zip(0..).map(|(&label, bit)| (label, 1 << bit)))
});

/// Rule 3: how many labels and dates a line has.
fn facts(text: &str) -> usize {
    usize::from(has_date(text)) + FACT_LABELS.find(text).count_ones() as usize
}

/// Whether there is a year of four digits, a sign and a month: 2010-04-16, 2010年4月.
fn has_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (0..bytes.len().saturating_sub(5)).any(|at| {
        if !matches!(&bytes[at..at + 2], b"19" | b"20")
            || (at > 0 && digit(at - 1))
            || !digit(at + 2)
            || !digit(at + 3)
        {
            return false;
        }
        let rest = text.cut(at + 4..);
        ["-", "/", ".", "年"].iter().any(|sign| {
            rest.strip_prefix(sign).is_some_and(|month| month.starts_with(|c: char| c.is_ascii_digit()))
        })
    })
}

/// Rule 4.
fn is_tools(text: &str) -> bool {
    let is_filler = |c: char| is_sign(c) || c.is_ascii_digit();
    let mut rest = text.trim_start_matches(is_filler);
    let mut tools = 0;
    while !rest.is_empty() {
        let strip = |tools: &[&str]| tools.iter().find_map(|tool| rest.strip_prefix(tool));
        if let Some(after) = strip(&SURE_TOOLS) {
            (tools, rest) = (tools + 3, after);
        } else if let Some(after) = strip(&TOOLS) {
            (tools, rest) = (tools + 1, after);
        } else if let Some(after) = rest.strip_prefix(['年', '月', '日', '楼', '万', '千', '次', 'o'])
        {
            // The signs of dates and numbers, and a letter that stands for a button.
            rest = after;
        } else {
            return false;
        }
        rest = rest.trim_start_matches(is_filler);
    }
    tools >= 3
}

/// Rule 5.
fn is_legal_note(text: &str) -> bool {
    const KINDS: [&str; 12] = [
        "特别声明",
        "郑重声明",
        "免责声明",
        "版权声明",
        "重要声明",
        "特别提示",
        "转载声明",
        "侵权声明",
        "原创声明",
        "声明",
        "聲明",
        "反侵权公告",
    ];
    const OF: [&str; 14] = [
        "转载",
        "观点",
        "立场",
        "版权",
        "自担",
        "仅供参考",
        "诊断",
        "本站",
        "轉載",
        "本网",
        "侵权",
        "作者",
        "平台",
        "存储服务",
    ];
    // All words of one of these, in a short line: how to cite, whom to tell, what to follow.
    const NOTES: [&[&str]; 11] = [
        &["转载", "请注明"],
        &["轉載", "請註明"],
        &["转载", "请联系"],
        &["侵权", "联系"],
        &["侵权", "删除"],
        &["公众号", "关注"],
        &["公众号", "扫"],
        &["扫描", "二维码"],
        &["长按", "二维码"],
        &["识别", "二维码"],
        &["凡本", "注明", "来源"],
    ];
    const OWNED: [&str; 4] = ["Copyright", "©", "版权所有", "版權所有"];
    const REGISTERED: [&str; 4] = ["ICP备", "ICP備", "ICP证", "公网安备"];
    let any = |words: &[&str], line: &str| words.iter().any(|word| line.contains(word));
    if text.lines().any(|line| any(&OWNED, line) && any(&REGISTERED, line)) {
        return true;
    }
    let start = text.trim_start_matches(is_sign);
    let note =
        KINDS.iter().any(|kind| start.strip_prefix(kind).is_some_and(|rest| rest.starts_with(['：', ':'])));
    if note {
        return OF.iter().any(|word| text.contains(word));
    }
    let forbids =
        ["不得转载", "禁止转载", "谢绝转载", "请勿转载", "不得轉載", "請勿轉載", "禁止复制", "不得复制"];
    let short = text.chars().count() <= MAX_NOTE;
    let all = |words: &[&str]| words.iter().all(|word| text.contains(word));
    let told = !text.contains(['？', '“']) && NOTES.into_iter().any(all);
    short && (told || start.starts_with("未经") && forbids.iter().any(|word| text.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::blocks;
    use webmill_html::{Limits, parse};

    /// The blocks that remain of a body when all were chosen.
    fn left(body: &str) -> Vec<String> {
        let prose =
            "<p>雨下了三天，老楼里到处是霉味，护林员用肩膀撞开二楼尽头的木门，柜子里是一万份标本。".repeat(9);
        let html = format!("<body>{prose}{body}</body>");
        let dom = parse(&html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let mut chosen = vec![true; page.blocks.len()];
        drop_chinese_boilerplate(&page, &mut chosen, None);
        page.blocks
            .iter()
            .zip(&chosen)
            .filter(|(_, keep)| **keep)
            .map(|(block, _)| page.text_of(block).to_owned())
            .filter(|text| !text.starts_with("雨下了三天"))
            .collect()
    }

    #[test]
    fn tails_are_dropped() {
        for tail in [
            "(责任编辑：王五)",
            "（稿件来源：某某日报）（编辑：张三）",
            "您现在的位置：图书馆>>公告栏",
            "2015-11-23 09:40 来源：宣传部 点击：0",
            "作者：佚名　更新时间：2003-6-8　点击数：1307",
            "上一篇 下一篇 2017年3月2日 放大+ 缩小- 默认o 朗读",
            "【大 中 小】【打印】【关闭窗口】",
            "特别声明：以上内容仅代表作者观点，不代表本站立场。",
            "（未经授权，本文不得转载。文中人物为化名）",
            "声明：本文只代表作者看法，与本站无关。",
            "（转载时请注明文章出处和原作者，谢谢）",
            "上一篇：<a href=/1>老桥修好了</a>",
            "如认为本文侵权，请来信联系我们处理。",
            "欢迎关注我们的微信公众号，每天多一点见闻。",
            "凡本报网站注明来源为本报的稿件，版权归本报所有。",
        ] {
            assert_eq!(left(&format!("<p>{tail}</p>")), Vec::<String>::new());
        }
        let related = "<h3>相关阅读：</h3><ul><li><a href=1>一</a></li><li><a href=2>二</a></li></ul><p>正文接着写下去。";
        assert_eq!(left(related), ["正文接着写下去。"]);
    }

    #[test]
    fn authors_columns_of_forums_are_dropped() {
        let column = "<td><b>弦外</b><br>级别: 新手上路<br>精华: 0<br>发帖: 6</td><td>先别换码。</td>";
        assert_eq!(left(&format!("<table><tr>{column}</tr></table>")), ["先别换码。"]);
        let list = "<td><p>弦外</p><dl><dt>精华</dt><dd>2</dd><dt>帖子</dt><dd>6</dd><dt>来自</dt><dd>云柏</dd></dl></td>";
        assert_eq!(left(&format!("<table><tr>{list}<td>先别换码。</td></tr></table>")), ["先别换码。"]);
        let facts = "<td>产地：石楠镇</td><td>等级：一级</td>";
        assert_eq!(left(&format!("<table><tr>{facts}</tr></table>")).len(), 2);
    }

    #[test]
    fn prose_that_speaks_of_such_things_stays() {
        for text in [
            "他在报社做了十年责任编辑，后来去教书。",
            "打印机的驱动程序在哪里？",
            "2010年4月16日，渡口遗址开始发掘。",
            "请点击“打印”按钮，再关闭窗口。",
            "法院认定被告侵权成立，判令其向原告赔偿损失三万元。",
            "他说：“转载请注明出处，是对作者起码的尊重。”",
            "相关阅读器的设置",
            "打印时关闭网格",
            "编辑",
            "大小",
            "字体大小",
            "第二章 渡口<br>作者：听雨 更新时间：2006-11-03",
            "作者：卞雪舟 编",
            "成文日期：2008年11月3日",
        ] {
            assert_eq!(left(&format!("<p>{text}</p>")), [text.replace("<br>", "\n")]);
        }
        assert_eq!(left("<h2>编辑：工具栏</h2>"), ["编辑：工具栏"]);
    }

    #[test]
    fn a_page_of_such_lines_is_left_as_it_is() {
        let html = "<body><p>上一篇 下一篇</p><p>责任编辑：王五</p><p>你好</p></body>";
        let dom = parse(html, &Limits::default());
        let page = blocks(&dom, dom.body().unwrap());
        let mut chosen = vec![true; 3];
        drop_chinese_boilerplate(&page, &mut chosen, None);
        assert_eq!(chosen, [true; 3]);
    }
}
