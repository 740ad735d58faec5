//! Which kind of site a page is of, by words of its title, its host and the software that made it, as bits.
//!
//! `docs.example.org`, "Powered by phpBB", a generator called Doxygen or a title that ends in 论坛 are hints for the page's
//! type, no more: how far they are to be believed is for the learnt table to say.

use std::sync::LazyLock;

use crate::phrases::{Phrases, Substrings};

/// Kinds of sites.
pub(super) const SITES: usize = 6;

/// Words of titles and hosts: boards, shops, manuals, encyclopaedias, blogs, news.
const WORDS: [&str; SITES] = [
    "-forum- -forums- -thread- -topic- -board- -boards- -discussion- -discussions- -community- -bbs- -foro- -foros- \
     -forumas- -answers- -questions- -club- -tieba- -re-",
    "-shop- -store- -buy- -price- -prices- -sale- -shopping- -mall- -kaufen- -comprar- -acheter- -boutique- -tienda-",
    "-docs- -doc- -documentation- -manual- -reference- -api- -guide- -handbook- -tutorial- -javadoc- -help- -wiki- \
     -man- -developer- -readme- -handbuch- -dokumentation- -class- -module- -struct- -trait- -function- -package- \
     -overview- -changelog- -faq-",
    "-wiki- -wikipedia- -encyclopedia- -encyclopaedia- -dictionary- -baike- -wiktionary- -fandom-",
    "-blog- -blogs- -weblog- -journal- -diary- -blogspot- -wordpress- -livejournal- -typepad- -medium-",
    "-news- -times- -post- -herald- -tribune- -gazette- -daily- -journal- -zeitung- -nachrichten- -noticias- -press- \
     -bbc- -reuters- -magazine- -today- -telegraph- -xinwen-",
];

const CHINESE: [&str; SITES] = [
    "论坛 贴吧 社区 留言板 主题 帖子 討論 論壇 天涯 猫扑",
    "商城 价格 报价 购买 专卖 正品 包邮 商品",
    "手册 文档 参考 教程 指南 帮助 说明 API",
    "百科 维基 维基百科 词典",
    "博客 日志 空间 网志 部落格",
    "新闻 日报 晚报 资讯 新华网 人民网 中新网 频道 时报",
];

/// Software by the kind of site that it makes.
const SOFTWARE: [&str; SITES] = [
    "-phpbb -vbulletin -xenforo -discuz- -discourse -mybb- -simple-machines -smf- -ipboard -invision -flarum -vanilla- \
     -punbb- -fluxbb- -phpwind- -dvbbs- -ubb- -yabb- -nodebb- -fudforum- -hypermail -pipermail -mhonarc -esotalk",
    "-woocommerce -magento -shopify -prestashop -opencart -oscommerce -zen-cart -bigcommerce -ecshop- -shopware \
     -ecwid -virtuemart",
    "-sphinx- -doxygen -rustdoc -javadoc -docutils -docbook -mkdocs -mdbook -gitbook -docusaurus -asciidoc -makeinfo \
     -latex -texinfo -vuepress -docsify -ghc- -haddock -jsdoc -typedoc -pandoc -gtk-doc -yard- -epydoc -pydoc",
    "-mediawiki -dokuwiki -moinmoin -twiki- -tiddlywiki -confluence",
    "-wordpress -blogger- -movable-type -typepad -serendipity -textpattern -hexo- -jekyll -ghost- -hugo- -octopress \
     -livejournal -tumblr -b-evolution -nucleus- -dotclear -drupal -joomla -typecho -z-blog -emlog",
    "-escenic -polopoly -vivvo -newspack -arc-publishing -trs- -cms4j",
];

static NAMES: LazyLock<Phrases> = LazyLock::new(|| phrases(&WORDS));
static IDEOGRAPHS: LazyLock<Substrings> = LazyLock::new(|| {
    let lists = CHINESE.iter().enumerate().map(|(bit, list)| (1 << bit, list.split_ascii_whitespace()));
    Substrings::new(lists.flat_map(|(bit, list)| list.map(move |word| (word, bit))))
});
static MAKERS: LazyLock<Phrases> = LazyLock::new(|| phrases(&SOFTWARE));

fn phrases(lists: &'static [&'static str; SITES]) -> Phrases {
    let lists = lists.iter().enumerate().map(|(bit, list)| (1 << bit, list.split_ascii_whitespace()));
    Phrases::new(lists.flat_map(|(bit, list)| list.map(move |word| (word, bit))))
}

/// Kinds of sites that a title or a host names.
pub(crate) fn named(text: &str) -> u64 {
    let wide = if text.is_ascii() { 0 } else { IDEOGRAPHS.find(text) };
    NAMES.find(text) | wide
}

/// Kinds of sites that a program makes: a generator, or a line such as "Powered by …".
pub(crate) fn made_by(software: &str) -> u64 {
    // Capitals inside of their names (phpBB, MediaWiki) begin no word.
    MAKERS.find(&software.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_hosts_and_makers() {
        for (text, bits) in [
            ("docs.example.org", 0b100),
            ("forum.example.org", 0b1),
            ("春天来了 - 某某论坛", 0b1),
            ("A day at sea", 0),
        ] {
            assert_eq!(named(text), bits, "{text}");
        }
        assert_eq!(made_by("Powered by phpBB® Forum Software"), 0b1);
        assert_eq!(made_by("Doxygen 1.9.4"), 0b100);
        assert_eq!(made_by("MediaWiki 1.35"), 0b1000);
        assert_eq!(made_by("nothing"), 0);
    }
}
