//! The signals of a text, in the order of the columns of table `signals`.

/// Calls a macro with the signals: name, type, description and example of each, as `webmill_table::table!` takes columns.
#[macro_export]
macro_rules! signal_columns {
    ($callback:ident) => {
        $callback! {
            num_tokens: u32 = "words and signs of the text; Chinese words are jieba's", "934";
            plain_words: u32 = "tokens that are not signs alone: the words of Gopher's rules (Rae and others 2021, arXiv 2112.11446, table A1)", "812";
            mean_word_length: Option<f64> = "mean length of these words in characters (Gopher)", "4.9";
            hashes_per_word: Option<f64> = "number signs (#) for each token (Gopher: symbols to words)", "0.01";
            ellipses_per_word: Option<f64> = "ellipses (... or …) for each token (Gopher: symbols to words)", "0.002";
            bullet_lines: Option<f64> = "share of lines that begin with • or - (Gopher)", "0.1";
            ellipsis_lines: Option<f64> = "share of lines that end with an ellipsis (Gopher)", "0.02";
            words_with_letters: Option<f64> = "share of tokens with a letter (Gopher)", "0.84";
            stop_words: u32 = "how many of the, be, to, of, and, that, have, with are among the tokens (Gopher: 2 at least)", "7";
            dup_paragraphs: f64 = "share of paragraphs, parted by empty lines, that stood before in the text (Gopher, repetition)", "0";
            dup_paragraph_chars: f64 = "characters of these, of those of the text (Gopher)", "0";
            dup_lines: f64 = "share of lines that stood before in the text (Gopher)", "0.03";
            dup_line_chars: f64 = "characters of these, of those of the text (Gopher)", "0.01";
            top_2gram_chars: Option<f64> = "characters of the most frequent 2 tokens in a row, times their occurrences, of those of the text (Gopher)", "0.03";
            top_3gram_chars: Option<f64> = "the same of 3 tokens", "0.02";
            top_4gram_chars: Option<f64> = "the same of 4 tokens", "0.02";
            dup_5gram_chars: f64 = "characters in 5 tokens in a row that stood before, of those of the text, none counted twice (Gopher)", "0.01";
            dup_6gram_chars: f64 = "the same of 6 tokens", "0.01";
            dup_7gram_chars: f64 = "the same of 7 tokens", "0";
            dup_8gram_chars: f64 = "the same of 8 tokens", "0";
            dup_9gram_chars: f64 = "the same of 9 tokens", "0";
            dup_10gram_chars: f64 = "the same of 10 tokens", "0";
            c4_sentences: u32 = "sentences of the lines that C4 keeps: of three words at least, with a full stop, question or exclamation mark or a quote at the end, without javascript and notices (Raffel and others 2020, JMLR 21/140)", "31";
            c4_chars: f64 = "characters of these lines, of those of the text", "0.9";
            lorem_ipsum: bool = "whether one of these lines has lorem ipsum (C4)", "false";
            curly_bracket: bool = "whether one of these lines has an opening curly bracket (C4)", "false";
            javascript_lines: u32 = "lines that C4 leaves out for the word javascript", "0";
            policy_lines: u32 = "lines that C4 leaves out for a notice on cookies, privacy or terms of use", "1";
            long_lines: u32 = "lines of 200 characters or more (mC4: 3 at least, Xue and others 2021, arXiv 2010.11934)", "5";
            bad_words: Option<u32> = "words and phrases of the list of setting bad_words that stand in the text, each occurrence counted; null without a list (C4)", "0";
            model_tokens: Option<u32> = "tokens of the text by the tokenizer of setting tokenizer, without those that frame a text; null without one, or where it has none for a part of the text", "1104";
            terminated_lines: Option<f64> = "share of lines that end with a mark that ends sentences (FineWeb, Penedo and others 2024, arXiv 2406.17557)", "0.7";
            short_lines: Option<f64> = "share of lines of at most 30 characters (FineWeb)", "0.2";
            repeated_line_chars: Option<f64> = "characters of lines that stood before, of those of all lines (FineWeb)", "0";
            line_breaks_per_word: Option<f64> = "line breaks for each token (FineWeb)", "0.05";
            distinct_words: Option<f64> = "share of distinct words among the words, small letters and capitals alike (RedPajama-v2, Weber and others 2024, arXiv 2411.12372)", "0.5";
            word_entropy: Option<f64> = "entropy of the distribution of words, in nats (RedPajama-v2)", "5.1";
            stop_word_share: Option<f64> = "share of the words that are stop words of the language by webmill's list; null of languages without one (RedPajama-v2)", "0.4";
            capital_words: Option<f64> = "share of words of two characters or more in capitals throughout (RedPajama-v2)", "0.02";
            capital_chars: f64 = "share of characters that are capitals (RedPajama-v2)", "0.03";
            digit_chars: f64 = "share of characters that are digits (RedPajama-v2)", "0.02";
            num_chars: u32 = "characters of the text (Unicode code points)", "4821";
            mean_line_chars: Option<f64> = "mean length of lines with text, in characters: Chinese corpora count by characters where others count words", "80";
            han_chars: f64 = "share of characters that are Han ideographs", "0.86";
            repeated_13chars: Option<f64> = "share of the rows of 13 characters, white space left out and capitals made small, that stand twice or more in the text; null where fewer than one in ten characters is a Han ideograph (Chen and others 2023, arXiv 2311.01149)", "0.01";
            emails: u32 = "e-mail addresses in the text", "1";
            ip_addresses: u32 = "public IP addresses, version 4", "0";
            phone_numbers: u32 = "telephone numbers: with a country's code and 8 to 15 digits, or written as in North America or as Chinese mobile numbers", "1";
        }
    };
}

macro_rules! plain {
    ($($field:ident : $ty:ty = $desc:literal, $example:literal;)+) => {
        /// The signals of a text.
        #[derive(Debug, Clone, PartialEq, Default)]
        pub struct Signals {
            $(#[doc = $desc] pub $field: $ty,)+
        }
    };
}

signal_columns!(plain);
