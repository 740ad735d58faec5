//! What lines around readers' comments say, in many languages.
//!
//! **Definition.** A line is short; the phrases in it make it the byline of a comment (`X said`, `написал`), a heading over
//! comments (`3 comments`, `网友评论`), an invitation to comment (`Leave a reply`), or a button (`Reply`, `举报`). Phrases of
//! Latin letters are found as words, letters beyond ASCII being boundaries (`a écrit` is `-a-crit-`); others as they are.
//!
//! **Cost.** Two passes of an automaton over a line of at most [`MAX_LINE`] bytes.

use std::sync::LazyLock;

use crate::phrases::{Phrases, Substrings};

/// Bytes of a line at most.
pub(super) const MAX_LINE: usize = 240;

/// Someone said something, and what follows is it.
pub(super) const SAID: u64 = 1;
/// Someone put something here; articles say that of themselves too.
pub(super) const POSTED: u64 = 1 << 1;
/// A noun for comments; whether it is a heading depends on what is around it.
pub(super) const NOUN: u64 = 1 << 2;
/// What only headings over comments say.
pub(super) const OPENER: u64 = 1 << 3;
/// An invitation to comment, or that no more can be said.
pub(super) const CLOSER: u64 = 1 << 4;
/// A button that stands at a comment.
pub(super) const TOOL: u64 = 1 << 5;
/// How long ago something was: a date.
pub(super) const AGO: u64 = 1 << 6;
/// What stands in the card of a board's member.
pub(super) const CARD: u64 = 1 << 7;
/// What stands around the posts of a board.
pub(super) const BOARD: u64 = 1 << 8;

const WORDS: &[(u64, &str)] = &[
    (
        SAID,
        "-says- -said- -wrote- -writes- -replied- -responded- -commented- -comment-by- -comment-from- -schrieb- -schreibt- \
         -sagt- -sagte- -meint- -meinte- -antwortet- -antwortete- -kommentierte- -kommentar-von- -escribi- -dijo- -dice- \
         -escribe- -coment- -comenta- -comentario-de- -comentou- -disse- -diz- -escreveu- -respondeu- -a-crit- -a-dit- \
         -a-r-pondu- -dit- -commentaire-de- -ha-scritto- -ha-detto- -scrive- -commento-di- -zegt- -schreef- -reactie-van- \
         -skrev- -sier- -siger- -svarade- -sanoo- -kirjoitti- -napisa- -pisze- -napsal- -dedi-ki- -yazd-",
    ),
    (
        POSTED,
        "-posted-by- -posted-on- -posted-at- -posted- -submitted-by- -submitted-on- -added-by- -geschrieben-von- \
         -eingestellt-von- -gepostet-von- -publicado-por- -enviado-por- -postado-por- -post-par- -publi-par- -inviato-da- \
         -postato-da- -pubblicato-da- -geplaatst-door- -skrevet-av- -comment-posted- -left-by- -par-",
    ),
    (
        NOUN,
        "-comment- -comments- -commented- -response- -responses- -reply- -replies- -reactions- -reader-comments- \
         -user-comments- -discussion- -feedback- -kommentar- -kommentare- -kommentarer- -antworten- -reaktionen- \
         -leserkommentare- -commentaire- -commentaires- -r-actions- -r-ponses- -comentario- -comentarios- -respuestas- \
         -opiniones- -coment-rio- -coment-rios- -respostas- -commento- -commenti- -risposte- -reactie- -reacties- \
         -komentarz- -komentarze- -komentarzy- -koment-e- -yorum- -yorumlar- -kommentit- -innlegg-",
    ),
    (
        OPENER,
        "-responses-to- -response-to- -thoughts-on- -thought-on- -comments-on- -comments-to- -replies-to- -comments-for- \
         -reader-comments- -kommentare-zu- -antworten-zu- -gedanken-zu- -gedanke-zu- -antwort-auf- -antworten-auf- \
         -commentaires-sur- -r-flexions-sur- -r-ponses- -comentarios-en- -respuestas-a- -pensamientos-en- \
         -coment-rios-em- -respostas-para- -commenti-a- -risposte-a- -reacties-op- -gedachten-over-",
    ),
    (
        CLOSER,
        "-leave-a-reply- -leave-a-comment- -leave-your-comment- -leave-comment- -leave-a-response- -post-a-comment- \
         -post-comment- -post-your-comment- -post-a-reply- -add-a-comment- -add-your-comment- -add-comment- \
         -add-new-comment- -write-a-comment- -submit-a-comment- -make-a-comment- -comments-are-closed- \
         -comments-are-currently-closed- -comments-closed- -comments-off- -commenting-is-closed- -join-the-discussion- \
         -join-the-conversation- -speak-your-mind- -have-your-say- -your-email-address-will-not- \
         -your-email-is-never- -log-in-to-comment- -log-in-to-post- -login-to-comment- -sign-in-to-comment- -cancel-reply- \
         -trackback-url- -trackbacks-url- -schreibe-einen-kommentar- -schreiben-sie-einen-kommentar- \
         -kommentar-schreiben- -kommentar-hinterlassen- -kommentar-verfassen- -kommentar-ver-ffentlichen- \
         -hinterlasse-einen-kommentar- -hinterlasse-eine-antwort- -antwort-hinterlassen- -einen-kommentar-schreiben- \
         -neuen-kommentar- -laisser-un-commentaire- -laissez-un-commentaire- -ajouter-un-commentaire- -laisser-une-r-ponse- \
         -enregistrer-un-commentaire- -publier-un-commentaire- -crire-un-commentaire- -deja-un-comentario- \
         -deja-una-respuesta- -dejar-un-comentario- -publicar-un-comentario- -a-adir-comentario- -escribe-un-comentario- \
         -deixe-um-coment-rio- -deixe-uma-resposta- -postar-um-coment-rio- -enviar-um-coment-rio- -lascia-un-commento- \
         -lascia-una-risposta- -posta-un-commento- -aggiungi-un-commento- -geef-een-reactie- -een-reactie-posten- \
         -plaats-een-reactie- -laat-een-reactie- -l-mna-ett-svar- -l-mna-en-kommentar- -skriv-en-kommentar- \
         -legg-igjen-en-kommentar- -skriv-et-svar- -dodaj-komentarz- -zostaw-komentarz- -bir-cevap-yaz-n- -yorum-yap-",
    ),
    (
        TOOL,
        "-reply- -reply-to- -reply-with-quote- -quote- -report- -report-abuse- -flag- -permalink- -link- -like- -dislike- \
         -share- -edit- -delete- -up-vote- -down-vote- -upvote- -downvote- -hide- -parent- -antworten- -zitieren- -melden- \
         -r-pondre- -signaler- -responder- -denunciar- -rispondi- -segnala- -antwoorden- -reageer- -svara- -svar- -odpowiedz- \
         -log-in-to-reply- -recommend- -thank- -thanks-",
    ),
    (
        AGO,
        "-ago- -yesterday- -il-y-a- -vor-stunden- -vor-tagen- -vor-einem- -vor-einer- -tagen- -stunden- -hace- -giorni-fa- \
         -ore-fa- -geleden- -siden-",
    ),
    (
        CARD,
        "-joined- -join-date- -registered- -member-since- -posts- -messages- -reaction-score- -member- -senior-member- \
         -junior-member- -new-member- -registriert- -registriert-seit- -beitr-ge- -dabei-seit- -mitglied- -inscrit- \
         -inscription- -mensajes- -registrado- -mensagens- -messaggi- -berichten- -lid-sinds- -post-of-",
    ),
    (
        BOARD,
        "-thread-starter- -start-date- -register-to-reply- -previous-topic- -next-topic- -previous-thread- -next-thread- \
         -post-reply- -reply-to-topic- -reply-to-thread- -new-topic- -new-thread- -quick-reply- -board-index- -forum-index- \
         -forums- -forum- -all-times-are- -who-is-online- -who-s-online- -first-unread- -may-not-post- -cannot-post- \
         -post-new-thread- -neues-thema- -foren-bersicht- -powered-by-phpbb- -powered-by-vbulletin- -vorheriges-thema- \
         -n-chstes-thema- -topic-review- -thread-tools- -topic-tools- -sujet-pr-c-dent- -nouveau-sujet- -tema-anterior- \
         -tema-siguiente- -unanswered- -unanswered-posts- -active-topics- -mark-forums-read- -thread- -topic-starter-",
    ),
];

const OTHERS: &[(u64, &[&str])] = &[
    (
        SAID,
        &[
            "说：",
            "说:",
            "說：",
            "写道",
            "寫道",
            "说道",
            "评论说",
            "回复说",
            "发表于",
            "發表於",
            "发布于",
            "留言于",
            "网友",
            "網友",
            "楼主",
            "游客",
            "匿名用户",
            "さん",
            "より:",
            "より：",
            "のコメント",
            "님",
            "написал",
            "пишет",
            "говорит",
            "сказал",
            "ответил",
            "комментирует",
            "γράφει",
            "είπε",
            "كتب",
            "يقول",
            "אמר",
            "כתב",
            "ने कहा",
            "กล่าวว่า",
        ],
    ),
    (
        NOUN,
        &[
            "评论",
            "評論",
            "留言",
            "回复",
            "回復",
            "回應",
            "跟帖",
            "跟贴",
            "点评",
            "コメント",
            "댓글",
            "덧글",
            "комментари",
            "Комментари",
            "отзыв",
            "Отзыв",
            "ответов",
            "ответа",
            "σχόλια",
            "Σχόλια",
            "تعليق",
            "תגובות",
            "Réactions",
            "Réponses",
            "réponses",
            "commentář",
            "Komentář",
            "Yorum",
        ],
    ),
    (
        OPENER,
        &[
            "网友评论",
            "網友評論",
            "最新评论",
            "热门评论",
            "精彩评论",
            "全部评论",
            "所有评论",
            "用户评论",
            "读者评论",
            "网友留言",
            "已有评论",
            "条评论",
            "則評論",
            "條評論",
            "条留言",
            "條留言",
            "条回复",
            "个回复",
            "篇回應",
            "件のコメント",
            "コメント一覧",
            "개의 댓글",
            "комментариев к",
            "комментария к",
            "комментарий к",
        ],
    ),
    (
        CLOSER,
        &[
            "发表评论",
            "發表評論",
            "发表回复",
            "發表回覆",
            "发表留言",
            "发表您的评论",
            "我要评论",
            "我来说两句",
            "我要发表看法",
            "写评论",
            "添加评论",
            "发布评论",
            "提交评论",
            "发送评论",
            "我要留言",
            "登录后才能评论",
            "请登录后发表",
            "评论已关闭",
            "コメントを残す",
            "コメントを投稿",
            "コメントする",
            "コメントを書く",
            "댓글 남기기",
            "댓글 쓰기",
            "댓글을 남겨",
            "Оставить комментарий",
            "Добавить комментарий",
            "Оставьте комментарий",
            "Ваш комментарий",
            "اترك تعليق",
        ],
    ),
    (
        TOOL,
        &[
            "回复",
            "回復",
            "支持",
            "反对",
            "举报",
            "引用",
            "分享",
            "点赞",
            "顶[",
            "顶(",
            "顶 ",
            "踩",
            "赞",
            "盖楼",
            "返信",
            "답글",
            "신고",
            "Ответить",
            "Цитировать",
            "Пожаловаться",
        ],
    ),
    (
        CARD,
        &[
            "注册时间",
            "註冊時間",
            "帖子",
            "积分",
            "威望",
            "精华",
            "楼主",
            "发短消息",
            "只看该作者",
            "投稿数",
            "登録日",
            "Сообщений",
            "Регистрация",
            "Сообщения",
        ],
    ),
    (
        BOARD,
        &[
            "发新帖",
            "返回列表",
            "回复主题",
            "论坛首页",
            "发表新帖",
            "上一主题",
            "下一主题",
            "快速回复",
            "论坛",
            "版主",
            "发帖",
            "Список форумов",
            "Часовой пояс",
            "Форум",
            "Тема",
        ],
    ),
    (
        AGO,
        &[
            "天前",
            "小时前",
            "小時前",
            "分钟前",
            "分鐘前",
            "昨天",
            "刚刚",
            "日前",
            "時間前",
            "назад",
            "일 전",
            "시간 전",
        ],
    ),
];

static LATIN: LazyLock<Phrases> = LazyLock::new(|| {
    let lists = WORDS.iter().map(|(bit, list)| (*bit, list.split_ascii_whitespace()));
    Phrases::new(lists.flat_map(|(bit, list)| list.map(move |phrase| (phrase, bit))))
});

static OTHER: LazyLock<Substrings> = LazyLock::new(|| {
    Substrings::new(OTHERS.iter().flat_map(|(bit, list)| list.iter().map(move |phrase| (*phrase, *bit))))
});

/// The bits of all phrases in the beginning of a text.
pub(super) fn said_in(text: &str) -> u64 {
    let text = &text[..text.floor_char_boundary(MAX_LINE)];
    LATIN.find(text) | if text.is_ascii() { 0 } else { OTHER.find(text) }
}

/// Whether a text ends with words that something said follows, or with the sign that stands for them.
pub(super) fn ends_said(text: &str) -> bool {
    let text = text.trim_end_matches([':', '：', '.', '…', ' ', '"', '\n', ',']);
    let tail = text.char_indices().rev().take(14).last().map_or("", |(at, _)| &text[at..]);
    // The tail may begin within a word: its first letters are no phrase.
    let tail = if tail.len() < text.len() { tail.split_once(' ').map_or("", |(_, rest)| rest) } else { tail };
    let words = tail.split(' ').count();
    (1..words.max(2)).any(|from| {
        let last = tail.splitn(from, ' ').last().unwrap_or_default();
        LATIN.find(last) & SAID != 0
    }) || ["说", "說", "写道", "寫道", "さん", "님", "より", "написал", "пишет", "написала", "говорит"]
        .iter()
        .any(|end| text.ends_with(end))
}

/// The number in front of or behind a noun for comments: `12 comments`, `评论(12)`.
pub(super) fn counted(text: &str) -> Option<u32> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    let digits: String = text[from..]
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok().filter(|_| digits.len() <= 6)
}
