//! Words that say nothing of what a text is about: articles, pronouns, prepositions, conjunctions, auxiliaries.
//!
//! One list a language, in comparison form. A text loses those of its own language, English (which is on every page)
//! and Chinese ones of two characters and more; single ideographs are no keywords anyway.

use std::sync::LazyLock;

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_64;

const LISTS: [(&str, &str); 14] = [
    (
        "eng",
        "a about above after again against all also although always am among an and another any anyone anything are aren't \
         as at be became because become been before being below between both but by can can't cannot come could couldn't \
         did didn't do does doesn't doing don't done down during each either else enough etc even ever every everything few \
         first for from further get gets getting give go going got had hadn't has hasn't have haven't having he he's her \
         here hers herself him himself his how however i i'd i'll i'm i've if in into is isn't it it's its itself just keep \
         know last least less let let's like made make makes making many may maybe me might mine more most much must my \
         myself near need neither never new no nobody none nor not nothing now of off often on once one only onto or other \
         others our ours ourselves out over own part per perhaps put quite rather really said same say says see seem seems \
         seen several shall she she's should shouldn't since so some something sometimes still such take than that that's \
         the their theirs them themselves then there there's therefore these they they're thing things think this those \
         though through thus to today together too toward two under until up upon us use used using very via want was wasn't \
         way we we're well were weren't what what's when where whether which while who whole whom whose why will with within \
         without won't would wouldn't yes yet you you're your yours yourself",
    ),
    (
        "deu",
        "aber alle allem allen aller alles als also am an andere anderen anderer anderes auch auf aus bei beim bereits bin bis \
         bist da dabei dadurch dafür dagegen daher damit danach dann daran darauf darin darüber darum das dass davon dazu \
         dein deine dem den denen denn der deren des deshalb dessen die dies diese diesem diesen dieser dieses doch dort du \
         durch ein eine einem einen einer eines einige einmal er erst es etwa etwas euch euer für ganz gar gegen gibt habe \
         haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede \
         jedem jeden jeder jedes jedoch jetzt kann kein keine keinem keinen keiner können könnte machen mal man mehr mein \
         meine mich mir mit muss müssen nach nachdem neben nein nicht nichts noch nun nur ob oder ohne schon sehr sei seien \
         sein seine seinem seinen seiner seit selbst sich sie sind so sogar soll sollen sollte sondern sonst sowie über um \
         und uns unser unsere unter viel viele vom von vor während wann war waren warum was weil weiter welche welchem \
         welcher wenn wer werde werden wie wieder will wir wird wo worden wurde wurden würde würden zu zum zur zwar zwei \
         zwischen",
    ),
    (
        "fra",
        "afin ai ainsi alors après as au aucun aucune aujourd'hui auquel aussi autre autres aux avait avant avec avez avoir \
         avons c'est car ce ceci cela celle celles celui ces cet cette ceux chaque chez comme comment contre d'un d'une dans \
         de depuis des deux donc dont du elle elles en encore entre es est et étaient était étant été êtes être eu eux faire \
         fait font grâce ici il ils j'ai je jusqu la laquelle le lequel les lesquels leur leurs lors lorsque lui là ma mais \
         me même mêmes mes moi moins mon ne ni non nos notre nous on ont ou où par parce pas pendant peu peut peuvent plus \
         plusieurs pour pourquoi qu'il qu'elle qu'on qu'un quand que quel quelle quelles quelques quels qui quoi sa sans se \
         selon sera ses si soit son sont sous sur ta tandis te tel telle tes toi ton tous tout toute toutes très trop tu un \
         une vers voici voilà vos votre vous y",
    ),
    (
        "spa",
        "a al algo alguna algunas alguno algunos además ahora ante antes aquel aquella así aún aunque bajo bien cada casi como \
         cómo con contra cual cuál cuales cuando cuándo de del desde donde dónde dos durante e el él ella ellas ellos en \
         entonces entre era eran es esa esas ese eso esos esta está están estaba estar estas este esto estos fue fueron ha \
         había han hasta hay hace hacer hacia la las le les lo los más me mediante menos mi mientras mis mismo misma mucho \
         muchos muy nada ni no nos nosotros nuestra nuestro o os otra otras otro otros para pero poco por porque pues puede \
         pueden que qué quien quién se sea según ser si sí sido sin sino sobre solo sólo son su sus también tan tanto te \
         tiene tienen todo toda todas todos tras tu tú un una unas uno unos usted ustedes ya y yo",
    ),
    (
        "por",
        "a ainda além algo alguma algumas alguns ao aos apenas após aquela aquele as assim até cada com como contra contudo da \
         das de dela dele deles depois desde dessa desse desta deste do dos e é ela elas ele eles em enquanto entre era eram \
         essa essas esse esses esta está estão estas estava este estes eu foi for foram há isso isto já lhe mais mas me mesma \
         mesmo meu minha muito muitos na nas não nem nessa nesse nesta neste no nos nós nossa nosso num numa o os ou outra \
         outras outro outros para pela pelas pelo pelos pode podem por porque pois qual quais quando que quem são se seja \
         sem ser será seu seus só sobre sua suas também tão tem têm ter toda todas todo todos tua um uma umas uns você vocês",
    ),
    (
        "ita",
        "a ad agli ai al alla alle allo allora altra altre altri altro anche ancora avere aveva avuto c'è che chi ci ciò come \
         con contro così cui da dagli dai dal dalla dalle dallo degli dei del dell dell'  della delle dello dopo dove due e è \
         ed era erano essere fa fare fino fra gli già ha hai hanno ho i il in invece io la le lei li lo loro lui ma me meno \
         mentre mi mia mio molto nè né negli nei nel nella nelle nello noi non nostra nostro o ogni oltre ora per perché però \
         più poco poi prima proprio può qual quale quali quando quanto quella quelle quelli quello questa queste questi \
         questo qui sarà se sé sei sempre senza si sia sino solo sono sopra sotto sta stata state stati stato su sua sue sugli \
         sui sul sulla sulle suo suoi tra tutte tutti tutto un una uno vi voi",
    ),
    (
        "nld",
        "aan al alle alleen als altijd andere ben bij binnen daar dan dat de deze die dit doen door dus een eens en er ge geen \
         geweest haar had hadden heb hebben heeft hem het hier hij hoe hun iets ik in is ja je kan kunnen maar me meer men \
         met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen \
         tot tussen u uit uw van veel voor waar want waren was wat we wel welke werd werden wie wij wil worden wordt zal ze \
         zelf zich zij zijn zo zoals zonder zou zouden",
    ),
    (
        "rus",
        "а без более больше будет будто бы был была были было быть в вам вас ведь во вот все всё всего всех вы где да даже два \
         для до другой его ее её ей ему если есть еще ещё же за здесь и из или им их к как какая какой когда конечно кто куда \
         ли лучше между меня мне много может можно мой моя мы на над надо наконец нас не него нее ней нельзя нет ни нибудь \
         никогда ним них ничего но ну о об один он она они оно опять от перед по под после потом потому почти при про раз \
         разве с сам свою себе себя сейчас со совсем так также такой там тебя тем теперь то тогда того тоже только том тот \
         три тут ты у уж уже хоть хорошо хотя чего чем через что чтоб чтобы чуть эта эти это этого этой этом этот эту я",
    ),
    (
        "pol",
        "a aby ale bardzo bez bo być był była było były będzie będą ci co czy dla do gdy gdzie go i ich ile im inne iż ja jak \
         jako jednak jego jej jest jeszcze jeśli już każdy kiedy kto które który która których którzy lub ma mają może można \
         mi my na nad nam nas nie nich niż no o od on ona one oni oraz po pod pod poza przed przez przy są się sobie tak także \
         tam te tego tej ten to tu tylko tym u w we wszystko więc z za ze że",
    ),
    (
        "swe",
        "alla allt att av blev bli blir bort då där de dem den denna dess dessa det detta dig din du efter eller en ett ej från \
         för före ha hade han hans har henne hennes här hon honom hur i icke in inom inte är jag kan kunde man med mellan men \
         mig min mot mycket när ni någon något några nu och om oss över på samma sedan sig sin sitt själv ska skulle som så \
         till under upp ut utan vad var vara varit vem vi vid vilka vilken än åt",
    ),
    (
        "dan",
        "af alle at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter eller en end er et for \
         fra få ham han hans har havde have hende hendes her hos hun hvad hvis hvor i ikke ind jeg jo kan kunne man mange med \
         meget men mig min mod må nogle noget nu når og også om op os over på selv sig sin skal skulle som til ud under var \
         ved vi vil ville være været",
    ),
    (
        "nor",
        "alle at av ble bli blir da de dem den denne der deres det dette din disse du eller en er et etter for fordi fra før ha \
         hadde han hans har hennes her hun hva hvem hvis hvor i ikke inn jeg kan kunne man mange med meg meg men min mot mye \
         må noe noen nå når og også om opp oss over på seg selv sin skal skulle som så til under ut var ved vi vil ville være \
         vært",
    ),
    (
        "tur",
        "acaba ama aslında az bana bazı belki ben beni benim beri bile bir biraz birçok biri birkaç biz bize bizim bu buna bunda \
         bundan bunlar bunu bunun burada çok çünkü da daha dahi de defa diye en gibi göre hem hep hepsi her hiç için ile ise \
         kadar karşı kendi ki kim kimse mı mi mu mü nasıl ne neden nerede niye o olan olarak oldu olduğu olur ona onlar onu \
         onun orada oysa pek rağmen sen siz sonra şey şu şöyle tüm ve veya ya yani yine yok zaten",
    ),
    (
        "zho",
        "一个 一些 一下 一切 一样 一种 一直 一定 一般 一次 一起 不过 不仅 不但 不同 不是 不能 不会 不要 不可 不用 与其 为了 为什么 \
         之间 之后 之前 之一 也是 也许 了解 于是 人们 什么 今天 今年 今后 从而 他们 以及 以上 以下 以后 以前 以来 任何 似乎 但是 何 \
         作为 你们 使用 便是 倘若 假如 全部 其中 其他 其它 其实 具有 具体 几乎 分别 则是 别的 别人 到底 前后 包括 即使 却是 又是 及其 \
         及时 可以 可是 可能 各种 各个 同时 同样 后来 向着 否则 咱们 哪些 哪里 因为 因此 因而 在于 多少 大家 大量 她们 如何 如果 如此 \
         如下 它们 对于 对此 将会 尤其 尽管 就是 属于 已经 已 并且 并不 并非 应该 应当 开始 当然 当时 形成 怎么 怎样 总是 我们 或者 \
         或是 所以 所有 所谓 才能 按照 据说 接着 日前 无论 时候 是否 显然 曾经 最后 最近 有些 有关 有的 有着 本身 来自 来说 某些 根据 \
         此外 此次 每个 比如 比较 没有 然后 然而 特别 现在 甚至 由于 由此 的话 目前 相关 看到 真正 着 知道 等等 第一 第二 经过 继续 \
         综上 而且 而是 而言 自己 自身 虽然 表示 要求 认为 许多 该 诸如 谁 起来 超过 这个 这些 这里 这样 这种 这是 进行 通过 遇到 那个 \
         那些 那么 那里 那样 都是 重要 除了 随着 非常 需要 首先 其次 是的 上述 上面 下面 不断 不少 主要 十分 方面 成为 出来 得到 能够 \
         记者 报道",
    ),
];

/// Every stop word, with a bit for each language that it is one of.
static WORDS: LazyLock<HashTable<(&str, u16)>> = LazyLock::new(|| {
    let hash_of = |word: &str| xxh3_64(word.as_bytes());
    let mut words: HashTable<(&str, u16)> = HashTable::new();
    for (language, (_, list)) in LISTS.iter().enumerate() {
        for word in list.split_whitespace() {
            let entry = words.entry(hash_of(word), |known| known.0 == word, |known| hash_of(known.0));
            entry.or_insert((word, 0)).get_mut().1 |= 1 << language;
        }
    }
    words
});

/// The stop words of a language, with the English and Chinese ones.
///
/// # Examples
/// ```
/// use webmill_text::StopWords;
/// let german = StopWords::of(Some("deu"));
/// assert!(german.hold("die") && german.hold("the") && !StopWords::of(Some("eng")).hold("die"));
/// ```
#[derive(Copy, Clone, Debug)]
pub struct StopWords(u16);

impl StopWords {
    /// Those of a language by ISO 639-3; the English and Chinese ones alone where no list of it is known.
    pub fn of(iso639_3: Option<&str>) -> StopWords {
        let bit_of =
            |name| LISTS.iter().position(|(known, _)| *known == name).map_or(0, |language| 1 << language);
        StopWords(bit_of("eng") | bit_of("zho") | iso639_3.map_or(0, bit_of))
    }

    /// Whether there is a list of that language.
    pub fn know(iso639_3: &str) -> bool {
        LISTS.iter().any(|(known, _)| *known == iso639_3)
    }

    /// Whether a word in its comparison form is one of them.
    pub fn hold(&self, form: &str) -> bool {
        self.hold_hashed(form, xxh3_64(form.as_bytes()))
    }

    /// The same of a form whose XXH3 is known.
    pub(super) fn hold_hashed(&self, form: &str, hash: u64) -> bool {
        WORDS.find(hash, |known| known.0 == form).is_some_and(|(_, languages)| languages & self.0 != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize;

    #[test]
    fn lists_are_in_comparison_form() {
        for (name, list) in LISTS {
            for word in list.split_whitespace() {
                assert_eq!(normalize(word), word, "{name}");
            }
        }
        let german = StopWords::of(Some("deu"));
        assert!(german.hold("die") && german.hold("the") && german.hold("我们") && !german.hold("tee"));
        assert!(!StopWords::of(None).hold("die") && !StopWords::of(Some("xxx")).hold("die"));
    }
}
