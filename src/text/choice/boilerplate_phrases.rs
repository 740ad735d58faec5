//! Phrases that boilerplate is made of.
//!
//! Short blocks say what they are: "All rights reserved", "Related articles", "责任编辑：…". Each known phrase is of a kind;
//! what follows from it is for the learnt tables to weigh, together with where the block is.
//!
//! Latin phrases are found in the folded text (letters lower-cased, all else one boundary) at word boundaries, those of
//! other scripts as substrings. Cost: O(characters) of blocks of at most [`MAX_PHRASE_UNITS`] words; longer ones are prose.

use crate::phrases::{Phrases, Substrings};
use std::sync::LazyLock;

/// Blocks of more words are not looked at.
pub(crate) const MAX_PHRASE_UNITS: f32 = 25.0;

/// What a phrase speaks of; the discriminant is a bit number.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum PhraseKind {
    Copyright,
    Related,
    Share,
    Comments,
    Account,
    Newsletter,
    Continue,
    Byline,
    Date,
    Tags,
    Commerce,
    Legal,
    Navigate,
    Reply,
    Advert,
    Contents,
    Picture,
    Biography,
}

/// Number of kinds.
pub(crate) const PHRASE_KINDS: usize = 18;

const LATIN: &[(PhraseKind, &str)] = &[
    (PhraseKind::Copyright, "-copyright- -all-rights-reserved- -powered-by- -alle-rechte- -tous-droits-"),
    (
        PhraseKind::Related,
        "-related- -you-may-also- -you-might-also- -also-like- -recommended- -more-from- -more-on- \
         -more-in- -read-next- -up-next- -most-popular- -most-read- -trending- -latest-news- \
         -recent-posts- -popular-posts- -see-also- -similar- -further-reading- -more-stories- \
         -more-articles- -mehr-zum-thema- -lesen-sie-auch- -latest-posts- -recently-viewed- \
         -customers-also- -don-t-miss- -weitere-artikel- -auch-interessant- -a-lire-aussi- \
         -frequently-bought- -you-ll-also- -what-to-read- -keep-reading- -previous-post- -next-post-",
    ),
    (
        PhraseKind::Share,
        "-share- -tweet- -follow-us- -facebook- -twitter- -linkedin- -pinterest- -whatsapp- \
         -instagram- -teilen- -partager- -email-this- -print- -copy-link- -save- -bookmark-",
    ),
    (
        PhraseKind::Comments,
        "-comments- -comment- -leave-a-reply- -leave-a-comment- -kommentare- -commentaires- \
         -responses- -replies- -join-the-discussion- -join-the-conversation- -thoughts-on-",
    ),
    (
        PhraseKind::Account,
        "-log-in- -login- -sign-in- -sign-up- -register- -my-account- -password- -anmelden- \
         -create-account- -log-out- -username- -forgot-",
    ),
    (
        PhraseKind::Newsletter,
        "-newsletter- -subscribe- -sign-up-for- -your-inbox- -email-address- -mailing-list- \
         -abonnieren-",
    ),
    (
        PhraseKind::Continue,
        "-read-more- -continue-reading- -learn-more- -view-all- -see-all- -show-more- -load-more- \
         -see-more- -view-more- -mehr-lesen- -weiterlesen- -lire-la-suite- -find-out-more- \
         -click-here- -full-story- -show-all- -show-less- -more-info- -more-details- -discover-",
    ),
    (
        PhraseKind::Byline,
        "-by- -written-by- -posted-by- -author- -published- -posted-on- -last-updated- -updated- \
         -min-read- -photo-by- -source- -von- -minutes-read- -last-modified- -about-the-author- \
         -view-profile- -posted-in- -filed-under-",
    ),
    (
        PhraseKind::Date,
        "-january- -february- -march- -april- -june- -july- -august- -september- -october- -november- \
         -december- -jan- -feb- -mar- -apr- -jun- -jul- -aug- -sep- -sept- -oct- -nov- -dec- -ago- \
         -januar- -februar- -juni- -juli- -oktober- -dezember- -am- -pm- -monday- -tuesday- \
         -wednesday- -thursday- -friday- -saturday- -sunday-",
    ),
    (PhraseKind::Tags, "-tags- -tagged- -categories- -category- -topics- -keywords- -schlagworte- -labels-"),
    (
        PhraseKind::Commerce,
        "-add-to-cart- -add-to-bag- -add-to-basket- -buy-now- -in-stock- -out-of-stock- -checkout- \
         -free-shipping- -shop-now- -price- -qty- -quantity- -wishlist- -sale- -reviews- -sold-out- \
         -regular-price- -in-den-warenkorb- -sku- -free-delivery- -returns-",
    ),
    (
        PhraseKind::Legal,
        "-privacy- -terms- -cookie- -cookies- -disclaimer- -impressum- -datenschutz- -contact-us- \
         -about-us- -sitemap- -site-map- -accessibility- -careers- -gdpr- -trademark- -trademarks- \
         -license- -advertise-",
    ),
    (
        PhraseKind::Navigate,
        "-home- -menu- -search- -next- -previous- -back-to-top- -skip-to- -page- -prev- -back-to- \
         -toggle- -close- -older- -newer- -go-to- -navigation- -you-are-here- -filter- -sort-by- \
         -showing- -results- -jump-to-",
    ),
    (
        PhraseKind::Reply,
        "-reply- -quote- -report- -like- -likes- -upvote- -vote- -votes- -joined- -posts- -member- \
         -members- -edited- -permalink- -helpful- -views- -message- -messages- -location- -guest- \
         -flag- -answered- -asked- -accepted- -badges- -solution-",
    ),
    (
        PhraseKind::Advert,
        "-advertisement- -advertisements- -sponsored- -anzeige- -publicite- -promoted- -ad-",
    ),
    (
        PhraseKind::Contents,
        "-table-of-contents- -contents- -in-this-article- -on-this-page- -in-this-section- -inhalt-",
    ),
    (
        PhraseKind::Picture,
        "-photo- -photos- -image- -getty-images- -photograph- -pictured- -file-photo- -reuters- -courtesy- -credit- \
         -picture- -foto- -bild- -video- -watch- -illustration- -photographer- -gallery- -slideshow- -shutterstock- \
         -screenshot-",
    ),
    (
        PhraseKind::Biography,
        "-is-a-writer- -is-a-freelance- -is-a-journalist- -is-a-reporter- -is-an-editor- -is-the-editor- -is-the-author- \
         -is-a-senior- -follow-him- -follow-her- -follow-me- -contributed-to- -staff-writer- -is-a-contributor- \
         -is-a-contributing- -is-editor- -his-work- -her-work- -can-be-reached- -lives-in- -writes-about- -covers- -founder-of- \
         -associated-press- -correspondent-",
    ),
    (
        PhraseKind::Related,
        "-also-read- -read-also- -related-stories- -lea-tambi-n- -lee-tambi-n- -lea-m-s- \
         -te-puede-interesar- -le-puede-interesar- -ver-tambi-n- -mira-tambi-n- -leia-tamb-m- \
         -leia-mais- -veja-tamb-m- -saiba-mais-sobre- -lire-aussi- -voir-aussi- -sur-le-m-me-sujet- \
         -aussi-lire- -leggi-anche- -potrebbe-interessarti- -vedi-anche- -lees-ook- -zobacz-te- \
         -czytaj-te- -czytaj-tak-e- -zobacz-tak-e- -l-s-ocks- -lue-my-s- -les-ogs- -baca-juga- \
         -bunlar-da- -das-k-nnte-sie- -auch-interessieren- -lies-auch- -hnliche-artikel- \
         -hnliche-beitr-ge- -verwandte-artikel- -passend-zum-thema- -zum-thema- -meistgelesen- \
         -mehr-von- -mehr-zu- -noticias-relacionadas- -art-culos-relacionados- -articles-similaires- \
         -most-viewed- -most-commented- -editor-s-picks- -top-stories- -from-the-web- -around-the-web- \
         -other-stories- -you-might-like-",
    ),
    (
        PhraseKind::Share,
        "-teilen-mit- -compartir- -compartilhar- -compartilhe- -condividi- -udost-pnij- -delen- \
         -diesen-artikel-teilen- -partagez- -follow-me- -retweet- -share-this- -e-mail- -email- \
         -permalien- -permalink-",
    ),
    (
        PhraseKind::Comments,
        "-comentarios- -coment-rios- -commenti- -reacties- -komentarze- -hinterlasse- \
         -kommentar-schreiben- -schreibe-einen-kommentar- -laisser-un-commentaire- -deja-un-comentario- \
         -deja-una-respuesta- -deixe-um- -leave-a-response- -post-a-comment- -add-a-comment- \
         -comment-by- -comments-are- -kommentieren- -diskussion- -lesermeinungen- -speak-your-mind-",
    ),
    (
        PhraseKind::Account,
        "-jetzt-registrieren- -iniciar-sesi-n- -connexion- -se-connecter- -mein-konto- -accedi- \
         -einloggen-",
    ),
    (
        PhraseKind::Newsletter,
        "-bolet-n- -suscr-bete- -suscribirse- -abonnez-vous- -inscrivez-vous- -iscriviti- \
         -jetzt-abonnieren- -subscriber- -subscribers- -subscription- -abonnement- -abonnent-",
    ),
    (
        PhraseKind::Continue,
        "-leer-m-s- -seguir-leyendo- -mehr-erfahren- -mehr-anzeigen- -en-savoir-plus- -ver-m-s- \
         -ver-mais- -scopri-di-pi- -jetzt-lesen- -zum-artikel- -read-full- -zum-angebot- -weiter-lesen- \
         -lees-meer- -lees-verder- -czytaj-wi-cej-",
    ),
    (
        PhraseKind::Byline,
        "-ver-ffentlicht- -publicado- -publi-le- -aktualisiert- -autor- -autorin- -redaktion- -stand- \
         -por- -par- -di- -door- -text- -quelle- -fuente- -posted- -published-on- -written-on- \
         -modified- -actualizado- -mis-jour- -zuletzt-ge-ndert- -geschrieben-von- -pubblicato-",
    ),
    (
        PhraseKind::Date,
        "-enero- -febrero- -marzo- -abril- -mayo- -junio- -julio- -agosto- -septiembre- -octubre- \
         -noviembre- -diciembre- -janvier- -f-vrier- -mars- -avril- -mai- -juin- -juillet- -ao-t- \
         -septembre- -octobre- -novembre- -d-cembre- -gennaio- -febbraio- -aprile- -maggio- -giugno- \
         -luglio- -settembre- -ottobre- -dicembre- -januari- -februari- -maart- -mei- -juni- -juli- \
         -augustus- -oktober- -m-rz- -uhr- -hace- -ore-fa- -stunden- -tagen- -hours-ago- -days-ago- \
         -minutes-ago- -montag- -dienstag- -mittwoch- -donnerstag- -freitag- -samstag- -sonntag-",
    ),
    (
        PhraseKind::Tags,
        "-schlagw-rter- -etiquetas- -mots-cl-s- -stichworte- -themen- -kategorie- -kategorien- -tematy- \
         -temas-",
    ),
    (
        PhraseKind::Legal,
        "-datenschutzerkl-rung- -mentions-l-gales- -aviso-legal- -pol-tica-de- -kontakt- -agb- \
         -nutzungsbedingungen- -cookie-policy- -privacidad- -privacidade-",
    ),
    (
        PhraseKind::Navigate,
        "-nach-oben- -zur-ck- -startseite- -accueil- -inicio- -suche- -buscar- -rechercher- -zum-inhalt- \
         -vorheriger- -n-chster- -weiter- -anterior- -siguiente- -suivant- -pr-c-dent-",
    ),
    (PhraseKind::Advert, "-werbung- -publicidad- -publicidade- -reklama- -anzeigen- -advertise-with-"),
    (
        PhraseKind::Contents,
        "-inhaltsverzeichnis- -table-des-mati-res- -sommaire- -table-of-content- -ndice-de- \
         -inhalts-bersicht-",
    ),
    (PhraseKind::Reply, "-antworten- -responder- -r-pondre- -zitieren-"),
];

const CHINESE: &[(PhraseKind, &str)] = &[
    (PhraseKind::Copyright, "版权所有 版權所有 Copyright 京ICP ICP备 公网安备 ICP证"),
    (
        PhraseKind::Related,
        "相关阅读 相关新闻 相关文章 相关推荐 推荐阅读 延伸阅读 热门 猜你喜欢 为您推荐 更多新闻 相關 \
         精彩推荐 最新文章 排行 上一篇 下一篇 相关链接 相关专题 关联推荐",
    ),
    (PhraseKind::Share, "分享到 分享 微信扫 扫一扫 二维码 微博 朋友圈 收藏 打印 关注我们 公众号"),
    (PhraseKind::Comments, "评论 留言 跟帖 網友 网友 我来说两句 发表 回应"),
    (PhraseKind::Account, "登录 登陆 注册 用户名 密码 忘记 会员 登入 註冊"),
    (PhraseKind::Newsletter, "订阅 訂閱"),
    (PhraseKind::Continue, "阅读全文 查看更多 更多> 展开全文 点击查看 查看详情 更多"),
    (
        PhraseKind::Byline,
        "责任编辑 责编 编辑： 编辑: 作者： 作者: 来源： 来源: 记者 責任編輯 发布时间 发表于 发布者 \
         楼主 浏览 阅读次数 点击数 字体： 字号 稿源 审核 发布日期 阅读：",
    ),
    (PhraseKind::Date, "年 月 昨天 小时前 分钟前 天前"),
    (PhraseKind::Tags, "标签 关键词 关键字 分类： 栏目 標籤"),
    (PhraseKind::Commerce, "购物车 立即购买 价格 包邮 库存 运费 月销 优惠 促销 ￥"),
    (
        PhraseKind::Legal,
        "隐私 免责声明 联系我们 关于我们 网站地图 版权声明 转载 法律声明 广告服务 友情链接 投稿",
    ),
    (
        PhraseKind::Navigate,
        "首页 当前位置 您的位置 返回首 返回顶 返回列 返回目 返回上 返回主 返回】 返回] 上一页 下一页 搜索 导航 您现在 尾页 顶部",
    ),
    (PhraseKind::Reply, "回复 举报 引用 沙发 赞 顶 楼层 只看 积分 帖子 注册时间"),
    (PhraseKind::Advert, "广告 推广 赞助"),
    (PhraseKind::Contents, "目录 本文导航 本页"),
    (
        PhraseKind::Related,
        "関連記事 関連 おすすめ ランキング 人気記事 相關文章 相關新聞 延伸閱讀 你可能也 推薦閱讀 关注公众号",
    ),
    (PhraseKind::Share, "シェア ツイート 分享給"),
    (PhraseKind::Comments, "コメント"),
    (PhraseKind::Picture, "摄 供图 资料图 图片 图为 图：视频"),
    (PhraseKind::Biography, "作者简介 作者系 作者单位"),
];

/// In Cyrillic and Hangul.
const OTHERS: &[(PhraseKind, &str)] = &[
    (
        PhraseKind::Related,
        "Читайте также|Смотрите также|Похожие|Популярн|По теме|Читать также|Материалы по теме|관련기사|인기기사",
    ),
    (PhraseKind::Share, "Поделиться|Вконтакте|공유"),
    (PhraseKind::Comments, "Комментари|комментари|Отзывы|댓글"),
    (PhraseKind::Newsletter, "Подпи"),
    (PhraseKind::Continue, "Подробнее|Читать далее|더보기"),
    (PhraseKind::Byline, "Автор|Источник|기자"),
    (PhraseKind::Tags, "Теги|Метки|Рубрика"),
    (PhraseKind::Copyright, "Все права"),
    (PhraseKind::Advert, "Реклама|광고"),
    (PhraseKind::Account, "Войти|Регистрация|로그인"),
];

static LATIN_PHRASES: LazyLock<Phrases> = LazyLock::new(|| {
    let phrases = LATIN.iter().map(|(kind, list)| (1 << *kind as u8, list.split_ascii_whitespace()));
    Phrases::new(phrases.flat_map(|(bit, list)| list.map(move |phrase| (phrase, bit))))
});

static CHINESE_PHRASES: LazyLock<Substrings> = LazyLock::new(|| {
    let phrases = CHINESE.iter().map(|(kind, list)| (1 << *kind as u8, list.split_ascii_whitespace()));
    Substrings::new(phrases.flat_map(|(bit, list)| list.map(move |phrase| (phrase, bit))))
});

static OTHER_PHRASES: LazyLock<Substrings> = LazyLock::new(|| {
    let phrases = OTHERS.iter().map(|(kind, list)| (1 << *kind as u8, list.split('|')));
    Substrings::new(phrases.flat_map(|(bit, list)| list.map(move |phrase| (phrase, bit))))
});

/// The kinds of phrases in a text, as a bit set; `wide` says whether it holds Chinese characters.
pub(crate) fn phrase_kinds(text: &str, wide: bool) -> u32 {
    let mut kinds = LATIN_PHRASES.find(text);
    if wide {
        kinds |= CHINESE_PHRASES.find(text);
    }
    let other = |c| matches!(c, '\u{400}'..='\u{4ff}' | '\u{ac00}'..='\u{d7a3}');
    if !text.is_ascii() && text.contains(other) {
        kinds |= OTHER_PHRASES.find(text);
    }
    let mut kinds = kinds as u32;
    if text.contains('©') {
        kinds |= 1 << PhraseKind::Copyright as u8;
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_at_word_boundaries() {
        for (text, kind) in [
            ("All rights reserved.", Some(PhraseKind::Copyright)),
            ("You may also like:", Some(PhraseKind::Related)),
            ("责任编辑：张三", Some(PhraseKind::Byline)),
            ("相关阅读", Some(PhraseKind::Related)),
            ("Lea también: otra cosa", Some(PhraseKind::Related)),
            ("Читайте также: другое", Some(PhraseKind::Related)),
            ("Readmorely", None),
        ] {
            let phrases = phrase_kinds(text, true);
            match kind {
                Some(kind) => assert!(phrases & 1 << kind as u8 != 0, "{text}"),
                None => assert_eq!(phrases, 0, "{text}"),
            }
        }
    }
}
