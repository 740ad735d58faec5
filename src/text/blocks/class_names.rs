//! What class names, ids and roles say about an element.
//!
//! Authors name the parts of their pages: `nav`, `post-body`, `relatedPosts`, `xiangguan`. A name is turned into a set
//! of [`Kind`]s by looking for known fragments in it. The name is folded first: letters to lower case, everything else
//! and every lower-to-upper step to one boundary mark, so that `-ad-` in a fragment matches `ad`, `top-ad`, `adBox`,
//! but not `shadow` or `header`.
//!
//! Algorithm: one automaton over all fragments (A. V. Aho, M. J. Corasick, *Efficient string matching*, CACM 18 (1975),
//! doi:10.1145/360825.360855), one step a letter of the folded name; it is built once a process. Names longer than
//! [`MAX_NAME`] bytes are read to that length only.

use std::sync::LazyLock;

use crate::phrases::Phrases;

macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident),+ $(,)?) => {
        /// What an element's names or its tag say it holds; the discriminant is a bit number.
        #[derive(Copy, Clone, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Kind {
            $($(#[$about])* $kind),+
        }

        impl Kind {
            /// All kinds, in order.
            pub(crate) const ALL: [Kind; KINDS] = [$(Kind::$kind),+];
        }

        /// Number of kinds, also the width of distance arrays.
        pub(crate) const KINDS: usize = [$(stringify!($kind)),+].len();
    };
}

kinds! {
    Nav,
    Crumb,
    Pager,
    Footer,
    Header,
    Side,
    Related,
    Share,
    Advert,
    Comment,
    Byline,
    Tags,
    Form,
    Modal,
    Content,
    Product,
    Thread,
    User,
    Media,
    Hidden,
    Detail,
    Review,
    Listing,
    Tool,
    Contents,
    Title,
    /// The text itself, by names that hardly anything else has.
    Body,
    Caption,
    // Set by tags only.
    ArticleTag,
    MainTag,
    SectionTag,
    ListTag,
    TableTag,
    QuoteTag,
}

impl Kind {
    /// The kind as a one-bit set.
    pub(crate) const fn bit(self) -> u64 {
        1 << self as u8
    }
}

/// Fragments by kind. `-` is a boundary between words.
const FRAGMENTS: &[(Kind, &str)] = &[
    (Kind::Nav, "-nav nav- navbar navigation menu sitemap daohang subnav topnav skip-link"),
    (Kind::Crumb, "breadcrumb crumb- crumbs- -crumb mianbao -location- -weizhi"),
    (
        Kind::Pager,
        "paginat pager -paging page-num -prev- -next- -previous- prevnext page-link pagelink fenye",
    ),
    (Kind::Footer, "footer -foot- copyright -legal -colophon disclaimer -bottom- banquan -icp- -beian"),
    (Kind::Header, "header- masthead topbar -top- -logo -head- pagehead branding"),
    (
        Kind::Side,
        "sidebar side-bar -side- -aside -rail- widget -right- -left- secondary- complementary sidecol lanmu",
    ),
    (
        Kind::Related,
        "related recommend -more- similar -also suggest popular trending -most- read-next -latest -recent upsell \
         cross-sell crosssell xiangguan tuijian -hot- readmore -further -next-up youmaylike morefrom -remen",
    ),
    (
        Kind::Share,
        "share sharing social -sns- follow addthis addtoany facebook twitter -like- bookmark weixin weibo fenxiang \
         -qrcode -erweima whatsapp pinterest -bdsharebuttonbox",
    ),
    (
        Kind::Advert,
        "-ad- -ads- advert sponsor promo banner -dfp- taboola outbrain -gpt- affiliate commercial adsense -adv- -adbox \
         guanggao -cta- call-to-action donate",
    ),
    (Kind::Comment, "comment disqus -respond- -reply -replies discuss pinglun -liuyan guestbook"),
    (
        Kind::Byline,
        "byline author -date- -dates- dateline -meta- metadata timestamp publish posted -info- -credit -source- \
         -laiyuan -zuozhe -time- postinfo entry-info -pub- writer -views- -editor zebian bianji",
    ),
    (Kind::Tags, "-tag- -tags tagged keyword categor -topics- -labels- biaoqian guanjianci taglist"),
    (
        Kind::Form,
        "-form- -forms newsletter subscri signup sign-up login log-in register search mailing optin password \
         email- -enquiry inquiry wpcf denglu sousuo",
    ),
    (
        Kind::Modal,
        "modal popup pop-up overlay cookie consent gdpr dialog toast tooltip offcanvas drawer -notice -alert lightbox \
         paywall onetrust",
    ),
    (
        Kind::Content,
        "content article -body- -text- -entry -story -main- -post- richtext rich-text -rte prose -copy- markdown \
         -single wysiwyg zhengwen neirong wenzhang -detail-content textblock paragraph postbody articlebody \
         mw-parser-output hentry -doc- -page-body",
    ),
    (
        Kind::Product,
        "product price -sku -cart -buy- -shop- -stock- shipping checkout purchase -pdp- variant quantity shangpin \
         -woocommerce addtobag wishlist",
    ),
    (
        Kind::Thread,
        "message thread -topic- forum postbody question answer bbcode -qa- viewtopic -posts- post-text postcontent \
         -bbs- tiezi -t-f- -pcb- -lia-",
    ),
    (
        Kind::User,
        "-user profile avatar member -rank- signature -badge reputation poster -userinfo -bio- about-author",
    ),
    (
        Kind::Media,
        "caption figure -image -img- photo gallery -media- video player slideshow slider carousel swiper audio embed \
         -pic- tupian",
    ),
    (
        Kind::Hidden,
        "-hidden- sr-only screen-reader visuallyhidden visually-hidden -hide- collapse noprint invisible -offscreen \
         -d-none- -u-hidden print-only",
    ),
    (
        Kind::Detail,
        "-spec- -specs- specification feature -detail- -details- description overview -summary -tab- -tabs- tabpanel \
         accordion -faq -tabcontent -benefit ingredient instruction recipe -canshu -jieshao",
    ),
    (Kind::Review, "review rating testimonial -star- -stars- -score- pingjia"),
    (
        Kind::Listing,
        "-list- -lists -listing -grid- -card- -cards teaser result archive catalog -tile -loop- -items- -liebiao",
    ),
    (
        Kind::Tool,
        "toolbar -tools- button -btn- -btns- -action -control -edit- editsection -print- -vote -toggle -copy-code \
         -download -feedback -permalink -headerlink -helpful",
    ),
    (
        Kind::Contents,
        "-toc- tableofcontents table-of-contents -outline- -index- -on-this-page jumplink -mulu",
    ),
    (
        Kind::Title,
        "-title title- headline -heading -hero- subtitle -lead- standfirst -deck- -intro excerpt -biaoti subhead \
         -dek- -abstract",
    ),
    (
        Kind::Body,
        "-article-body -articlebody -article-text -articletext -article-content -articlecontent -article-main \
         -article-copy -story-body -storybody -story-text -story-content -post-body -postbody -post-content \
         -postcontent -post-text -post-entry -entry-content -entrycontent -entry-body -entry-text -news-content \
         -news-text -newstext -news-body -field-name-body -field-body -text-body -body-text -bodytext -body-copy \
         -body-content -single-content -blog-content -blog-post-content -mw-parser-output -markdown-body \
         -article-detail -wenzhang -zhengwen -neirong -artibody -articlecon -trs-editor -js-content -rich-media-content \
         -newscontent -news-con- -text-con- -artical -art-content -cont-article -art-body",
    ),
    (
        Kind::Caption,
        "caption -credit- -credits- photocredit photo-credit image-credit -cutline- legende -tushuo-",
    ),
];

static NAMES: LazyLock<Phrases> = LazyLock::new(|| {
    let fragments = FRAGMENTS.iter().map(|(kind, list)| (kind.bit(), list.split_ascii_whitespace()));
    Phrases::new(fragments.flat_map(|(bit, list)| list.map(move |fragment| (fragment, bit))))
});

/// The kinds whose fragments occur in a class list, an id or a role, as a bit set.
pub(crate) fn kinds_of(name: &str) -> u64 {
    NAMES.find(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_their_kinds() {
        for (name, wanted, not) in [
            ("main-nav", Kind::Nav, Kind::Advert),
            ("adBox top", Kind::Advert, Kind::Share),
            ("shadow header", Kind::Header, Kind::Advert),
            ("articleBody", Kind::Content, Kind::Comment),
            ("POST_COMMENTS", Kind::Comment, Kind::Nav),
            ("xiangguan", Kind::Related, Kind::Content),
            ("postTitle", Kind::Title, Kind::Footer),
        ] {
            let kinds = kinds_of(name);
            assert!(kinds & wanted.bit() != 0, "{name} lacks {wanted:?}");
            assert!(kinds & not.bit() == 0, "{name} has {not:?}");
        }
        assert_eq!(kinds_of(""), 0);
        assert_eq!(kinds_of("中文"), 0);
        assert_eq!(kinds_of(&"x".repeat(100_000)), 0);
        kinds_of(&"aB".repeat(1000));
    }
}
