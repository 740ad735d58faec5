//! A sentence in each of many languages, written for these tests.

use super::{language, language_declared};

/// Everyday sentences of eight to twenty words.
const SENTENCES: &[(&str, &str)] = &[
    ("afr", "Ons gaan môreoggend vroeg na die mark toe om vars brood en groente te koop."),
    ("amh", "ነገ ጠዋት ከልጆቻችን ጋር ወደ ገበያ እንሄዳለን።"),
    ("ara", "سنذهب غدا صباحا إلى السوق لنشتري الخبز والخضار للعائلة كلها."),
    ("aze", "Sabah səhər uşaqlarla birlikdə çörək almaq üçün bazara gedəcəyik."),
    ("bel", "Заўтра раніцай мы пойдзем на рынак, каб купіць свежага хлеба і гародніны."),
    ("ben", "আমরা আগামীকাল সকালে রুটি কিনতে বাজারে যাব।"),
    ("bul", "Децата не искат да ходят на училище, защото навън вали сняг и е много студено."),
    ("cat", "Demà al matí anirem al mercat per comprar pa i verdures amb els nens."),
    ("ces", "Zítra ráno půjdeme na trh, abychom koupili čerstvý chléb a zeleninu."),
    ("cym", "Byddwn yn mynd i'r farchnad bore yfory i brynu bara a llysiau ffres."),
    ("dan", "I morgen tidlig går vi på markedet for at købe frisk brød og grøntsager."),
    ("deu", "Morgen früh gehen wir auf den Markt, um frisches Brot und Gemüse zu kaufen."),
    ("ell", "Αύριο το πρωί θα πάμε στην αγορά για να αγοράσουμε ψωμί."),
    ("eng", "Tomorrow morning we will walk to the market and buy bread for the children."),
    ("epo", "Morgaŭ matene ni iros al la vendejo por aĉeti panon kaj legomojn."),
    ("est", "Homme hommikul läheme turule, et osta värsket leiba ja köögivilju."),
    ("eus", "Bihar goizean azokara joango gara ogia eta barazkiak erostera."),
    ("fas", "فردا صبح با بچه‌ها به بازار می‌رویم تا نان و سبزی بخریم."),
    ("fin", "Huomenna aamulla menemme torille ostamaan tuoretta leipää ja vihanneksia."),
    ("fra", "Demain matin, nous irons au marché pour acheter du pain et des légumes."),
    ("gle", "Rachaimid go dtí an margadh maidin amárach chun arán agus glasraí a cheannach."),
    ("glg", "Mañá pola mañá iremos á feira da vila para mercar pan e verduras cos nenos."),
    ("guj", "આવતીકાલે સવારે અમે રોટલી ખરીદવા બજારમાં જઈશું."),
    ("heb", "מחר בבוקר נלך לשוק כדי לקנות לחם וירקות."),
    ("hin", "हम कल सुबह बच्चों के साथ बाज़ार जाएँगे और रोटी ख़रीदेंगे।"),
    ("hun", "Holnap reggel elmegyünk a piacra, hogy friss kenyeret és zöldséget vegyünk."),
    ("hye", "Վաղն առավոտյան մենք կգնանք շուկա հաց գնելու։"),
    ("ibo", "Anyị ga-aga ahịa n'ụtụtụ echi ịzụta nri maka ụmụaka anyị."),
    ("ind", "Kami tidak bisa datang karena mobil kami rusak dan bengkelnya sudah tutup sejak kemarin."),
    ("isl", "Á morgun förum við á markaðinn til að kaupa brauð og grænmeti handa börnunum."),
    ("ita", "Domani mattina andremo al mercato per comprare il pane e la verdura."),
    ("jpn", "明日の朝、子どもたちと一緒に市場へパンを買いに行きます。"),
    ("kan", "ನಾಳೆ ಬೆಳಿಗ್ಗೆ ನಾವು ಮಾರುಕಟ್ಟೆಗೆ ಹೋಗುತ್ತೇವೆ."),
    ("kat", "ხვალ დილით ბაზარში წავალთ პურის საყიდლად."),
    ("kaz", "Біз ертең таңертең балалармен бірге нан сатып алу үшін базарға барамыз."),
    ("khm", "ស្អែកព្រឹកយើងនឹងទៅផ្សារទិញនំប៉័ង។"),
    ("kor", "내일 아침에 우리는 빵을 사러 시장에 갈 것입니다."),
    ("lao", "ມື້ອື່ນເຊົ້າພວກເຮົາຈະໄປຕະຫຼາດ."),
    ("lat", "Cras mane ad forum ibimus ut panem et fructus emamus, deinde domum redibimus."),
    ("lav", "Rīt no rīta mēs iesim uz tirgu, lai nopirktu svaigu maizi un dārzeņus."),
    ("lit", "Rytoj ryte eisime į turgų nusipirkti šviežios duonos ir daržovių."),
    ("mal", "നാളെ രാവിലെ ഞങ്ങൾ ചന്തയിൽ പോകും."),
    ("mar", "उद्या सकाळी आम्ही मुलांसोबत बाजारात जाऊन भाकरी विकत घेणार आहोत."),
    ("mkd", "Децата не сакаат да одат на училиште затоа што надвор паѓа снег и е многу студено."),
    ("mlt", "Għada filgħodu mmorru s-suq biex nixtru l-ħobż u l-ħaxix għat-tfal."),
    ("mya", "မနက်ဖြန် မနက်မှာ ကျွန်တော်တို့ ဈေးသွားမယ်။"),
    ("nld", "Morgenochtend gaan we naar de markt om vers brood en groenten te kopen."),
    ("nor", "I morgen tidlig går vi til torget for å kjøpe ferskt brød og grønnsaker til barna."),
    ("nno", "I morgon tidleg går vi ikkje til torget, men me kjøper ferskt brød heime hjå naboen."),
    ("pan", "ਅਸੀਂ ਕੱਲ੍ਹ ਸਵੇਰੇ ਬਾਜ਼ਾਰ ਜਾਵਾਂਗੇ।"),
    ("pol", "Jutro rano pójdziemy na targ, żeby kupić świeży chleb i warzywa."),
    ("por", "Amanhã de manhã vamos ao mercado para comprar pão e legumes com as crianças."),
    ("ron", "Mâine dimineață mergem la piață ca să cumpărăm pâine și legume."),
    ("rus", "Завтра утром мы пойдём на рынок, чтобы купить свежего хлеба и овощей."),
    ("sin", "හෙට උදේ අපි පාන් ගන්න කඩේට යනවා."),
    ("slk", "Zajtra ráno pôjdeme na trh, aby sme kúpili čerstvý chlieb a zeleninu."),
    ("slv", "Jutri zjutraj bomo šli na tržnico, da kupimo svež kruh in zelenjavo."),
    ("spa", "Mañana por la mañana iremos al mercado para comprar pan y verduras."),
    ("sqi", "Nesër në mëngjes do të shkojmë në treg për të blerë bukë dhe perime."),
    ("srp", "Сутра ујутру ћемо ићи на пијацу да купимо свеж хлеб и поврће."),
    ("swa", "Kesho asubuhi tutakwenda sokoni kununua mkate na mboga kwa ajili ya watoto."),
    ("swe", "I morgon bitti går vi till torget för att köpa färskt bröd och grönsaker."),
    ("tam", "நாளை காலை நாங்கள் சந்தைக்குப் போவோம்."),
    ("tel", "రేపు ఉదయం మేము బజారుకు వెళ్తాము."),
    ("tgl", "Pupunta kami sa palengke bukas ng umaga upang bumili ng tinapay at gulay."),
    ("tha", "พรุ่งนี้เช้าเราจะไปตลาดเพื่อซื้อขนมปัง"),
    ("tur", "Yarın sabah çocuklarla birlikte ekmek almak için pazara gideceğiz."),
    ("ukr", "Завтра вранці ми підемо на ринок, щоб купити свіжого хліба й овочів."),
    ("urd", "ہم کل صبح بچوں کے ساتھ بازار جائیں گے اور روٹی خریدیں گے۔"),
    ("uzb", "Ertaga ertalab biz bolalar bilan birga non sotib olish uchun bozorga boramiz."),
    ("vie", "Sáng mai chúng tôi sẽ đi chợ để mua bánh mì và rau cho bọn trẻ."),
    ("xho", "Ngomso kusasa siza kuya emarikeni ukuze sithenge isonka nemifuno yabantwana."),
    ("yid", "מאָרגן אין דער פֿרי וועלן מיר גיין אויפֿן מאַרק קויפֿן ברויט."),
    ("yor", "A máa lọ sí ọjà ní òwúrọ̀ ọ̀la láti ra oúnjẹ fún àwọn ọmọ wa."),
    ("zho", "我们明天早上要和孩子们一起去市场买面包。"),
    ("zul", "Kusasa ekuseni sizoya emakethe ukuze sithenge isinkwa nemifino yezingane."),
];

#[test]
fn everyday_sentences_are_named() {
    let wrong: Vec<_> = SENTENCES
        .iter()
        .map(|&(code, text)| (code, language(text).map(|found| (found.iso639_3, found.confidence)), text))
        .filter(|(code, found, _)| found.map(|found| found.0) != Some(*code))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_false_declaration_does_not_overrule_clear_text() {
    for &(code, text) in SENTENCES {
        let declared = if code == "eng" { "de" } else { "en" };
        let found = language_declared(text, Some(declared)).map(|found| found.iso639_3);
        assert_eq!(found, Some(code), "{text}");
    }
}

#[test]
fn what_is_in_no_language_is_not_named() {
    let cases = [
        "",
        "12345 67.8 % !!!",
        "Ok",
        "xkq zvwj qqpt bnrx wzzk fjgh qxv zzkw",
        "qwrtp sdfgh zxcvb mnbvc lkjhg poiuy",
        "0x7ffe 0xdead 0xbeef 0x1234",
        "\u{10400}\u{10401}\u{10402}\u{10403}\u{10404}\u{10405}\u{10406}",
    ];
    for text in cases {
        assert_eq!(language(text), None, "{text}");
    }
}

#[test]
fn codes_of_two_letters_are_those_of_iso_639_1() {
    let two = |text: &str| language(text).and_then(|found| found.iso639_1());
    assert_eq!(two("Tomorrow morning we will walk to the market and buy bread."), Some("en"));
    assert_eq!(two("这是一个关于网页去重的简单例子。"), Some("zh"));
    assert_eq!(two("Завтра утром мы пойдём на рынок, чтобы купить хлеба."), Some("ru"));
}

#[test]
fn hostile_text_is_judged_in_bounded_time() {
    let texts = [
        "a".repeat(3 << 20),
        "\u{300}".repeat(1 << 20),
        "'a".repeat(1 << 20),
        "\u{200D}a\u{AD}".repeat(1 << 19),
        "aя".repeat(1 << 20),
        "\u{10FFFF}".repeat(1 << 18),
    ];
    for text in texts {
        let found = language(&text);
        assert_eq!(found, language(&text));
        assert!(found.is_none_or(|found| (0.0..=1.0).contains(&found.confidence)));
    }
}
