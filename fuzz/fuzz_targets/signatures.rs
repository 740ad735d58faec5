//! Any bytes as a file of synonyms, as a table of parts of speech, as the name of a shape of bands.
#![no_main]

use webmill::dedup::{BandShape, MAX_WORD_CHARS, PartsOfSpeech, Synonyms};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let synonyms = Synonyms::read(data, "-").expect("memory does not fail");
    let parts = PartsOfSpeech::read(data, "-").expect("memory does not fail");
    let Ok(text) = std::str::from_utf8(data) else { return };
    // What stands for another stands for nothing itself: folding twice changes no word.
    for word in text.split_whitespace().take(100) {
        if let Some(base) = synonyms.base(word) {
            assert_eq!(synonyms.base(base), Some(base));
            assert!(base.chars().count() <= MAX_WORD_CHARS);
        }
        parts.is_noun(word);
    }
    let _ = synonyms.fold(text);
    if let Ok(shape) = text.parse::<BandShape>() {
        shape.check().expect("a shape that is read is in range");
        assert_eq!(shape.to_string().parse::<BandShape>().expect("what it is called"), shape);
    }
});
