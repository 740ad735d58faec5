use super::*;
use proptest::prelude::*;
use webmill_capture::cut::Cut;
use webmill_text::DocumentFrequencies;

/// Two tellings of one story, other words around the same five.
const STORIES: [&str; 2] = [
    "罗玉凤在街头发传单征婚，要求对方是北大或清华的硕士。罗玉凤说，征婚条件不能降低：北大、清华的经济学硕士，身高一米七六以上。许多路人看了罗玉凤的征婚传单。",
    "征婚的罗玉凤又引起议论。她只考虑清华和北大毕业的硕士，别的学校都不行。记者问罗玉凤为什么，罗玉凤说征婚是自己的事，北大清华硕士才配得上。",
];

fn corpus() -> DocumentFrequencies {
    let mut corpus = DocumentFrequencies::new(10_000);
    for text in [
        "街头有许多路人，记者问路人为什么看传单。",
        "要求降低条件，对方不同意，引起议论。",
        "学校毕业的学生身高不同，考虑经济学的很多。",
        "路人说自己的事自己考虑，记者要求传单。",
        "传单上的条件引起许多议论，以上是记者的话。",
        "别的学校都不行，只考虑这个学校。",
    ] {
        (0..5).for_each(|_| corpus.add(text));
    }
    corpus
}

fn table() -> PartsOfSpeech {
    let file = "罗玉凤 nr\n北大 nt\n清华 nt\n硕士 n\n征婚 v\n";
    PartsOfSpeech::read(file.as_bytes(), "tags").expect("memory can be read")
}

#[test]
fn two_tellings_of_a_story_fall_together() {
    let (corpus, tags) = (corpus(), table());
    let idf = |form: &str| corpus.idf(form);
    let semantic = Semantic { parts_of_speech: Some(&tags), ..Semantic::new(&idf) };
    for story in STORIES {
        assert_eq!(semantic.keywords(story), ["北大", "征婚", "清华", "硕士", "罗玉凤"]);
    }
    let expected = xxh3_64("北大\0征婚\0清华\0硕士\0罗玉凤".as_bytes());
    assert_eq!(STORIES.map(|story| semantic.fingerprint(story)), [Some(expected); 2]);
    // Without the table the name falls apart into single ideographs, which are no keywords.
    assert!(!Semantic::new(&idf).keywords(STORIES[0]).contains(&"罗玉凤".to_owned()));
}

#[test]
fn synonyms_fold_before_words_are_cut() {
    let file = "华联商厦 北京华联 华联超市\n";
    let synonyms = Synonyms::read(file.as_bytes(), "synonyms").expect("memory can be read");
    assert_eq!(synonyms.fold("北京华联决策者"), "华联商厦决策者");
    let idf = |_: &str| 1.0;
    let semantic = Semantic { synonyms: Some(&synonyms), ..Semantic::new(idf) };
    assert_eq!(semantic.keywords("北京华联决策者"), ["决策者", "华联商厦"]);
    assert_eq!(semantic.fingerprint("北京华联决策者"), semantic.fingerprint("华联超市的决策者"));
    assert_ne!(semantic.fingerprint("北京华联决策者"), Semantic::new(idf).fingerprint("北京华联决策者"));
}

#[test]
fn synonyms_in_a_cycle_still_give_one_fingerprint() {
    let file = "car automobile\nautomobile vehicle\nvehicle car\n";
    let synonyms = Synonyms::read(file.as_bytes(), "synonyms").expect("memory can be read");
    let semantic = Semantic { synonyms: Some(&synonyms), ..Semantic::new(|_: &str| 1.0) };
    let all = ["green car", "green automobile", "a green vehicle"].map(|text| semantic.fingerprint(text));
    assert!(all[0].is_some() && all.iter().all(|one| *one == all[0]));
}

#[test]
fn nouns_count_twice_where_a_table_is_given() {
    let tags =
        PartsOfSpeech::read("harbour NN\nhouses NNS\n# none\nwithout\n".as_bytes(), "t").expect("reads");
    let plain = Semantic::new(|_: &str| 1.0);
    // One too many: the one of least weight is left out.
    let text = "amber blue crimson dark ".repeat(4) + "painted painted painted harbour harbour";
    assert!(plain.keywords(&text).contains(&"painted".to_owned()));
    assert!(
        Semantic { parts_of_speech: Some(&tags), ..plain }.keywords(&text).contains(&"harbour".to_owned())
    );
    assert_eq!((tags.refused(), tags.is_noun("houses"), tags.is_noun("painted")), (1, true, false));
}

#[test]
fn tags_of_three_sets_are_told_apart() {
    for tag in ["n", "nr", "ns", "nt", "nz", "nrt", "NN", "NNP", "NNPS", "NOUN", "PROPN"] {
        assert!(is_noun_tag(tag), "{tag}");
    }
    for tag in ["v", "vn", "a", "num", "NUM", "VB", "ADV", "", "neg", "m"] {
        assert!(!is_noun_tag(tag), "{tag}");
    }
}

#[test]
fn only_the_first_characters_count() {
    let semantic = Semantic::new(|_: &str| 1.0);
    let head = "comet madrid ".repeat(1539); // 20,007 characters
    assert_eq!(
        semantic.fingerprint(head.cut(..20_000)),
        semantic.fingerprint(&format!("{}{}", head.cut(..20_000), "unseen words follow here ".repeat(9_000)))
    );
    let han = "彗星马德里".repeat(4_000);
    assert_eq!(han.chars().count(), 20_000);
    assert_eq!(semantic.fingerprint(&han), semantic.fingerprint(&format!("{han}{}", "大象".repeat(9_000))));
}

#[test]
fn texts_of_no_word_or_one_have_no_fingerprint() {
    let semantic = Semantic::new(|_: &str| 1.0);
    for text in ["", " … ", "comet", "comet comet Comet", "the of and", "12 345", "的"] {
        assert_eq!(semantic.fingerprint(text), None, "{text:?}");
    }
    // Words that every text has weigh nothing where the caller says so.
    assert_eq!(Semantic::new(|_: &str| 0.0).fingerprint("comet over madrid"), None);
}

proptest! {
    #[test]
    fn the_order_of_words_does_not_matter(words in prop::collection::vec("[a-f]{3}", 0..30), seed in any::<u64>()) {
        let idf = |form: &str| 1.0 + (xxh3_64(form.as_bytes()) % 3) as f64;
        let semantic = Semantic::new(idf);
        let mut turned = words.clone();
        turned.sort_by_key(|word| xxh3_64(format!("{word}{seed}").as_bytes()));
        // One word a line, so that no two are cut differently; the language is that of the letters.
        let (a, b) = (semantic.keywords(&words.join("\n")), semantic.keywords(&turned.join("\n")));
        prop_assert_eq!(&a, &b);
        prop_assert!(a.len() <= 5 && a.windows(2).all(|w| w[0] < w[1]));
    }
}
