//! Learns the table of `src/text/language` from the strings that `datasets/languages/texts.py` wrote.
//!
//! usage: train_languages TEXTS OUT [TOP]
//!
//! TEXTS has `train/CODE.txt`, `dev/CODE.txt` and `half/CODE.txt`, a string a line. Languages with less text than [`LEAST`] are
//! not learnt, but for those of [`BY_HALF`]: they are what the table must not know. TOP n-grams a language are kept (default 4200). Everything is drawn
//! with fixed seeds; one thread. See `datasets/languages/README.md` for what is learnt.

use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::path::{Path, PathBuf};
use std::{env, fs};
use webmill_capture::cut::Cut;

use webmill::text::language_table::{
    BestLanguage, Calibration, EVIDENCE, MAGIC, MAX_LANGUAGES, MAX_ODDS, STEPS, Script, Table, Word,
    commonest_script, ngram_words,
};

/// Letters of one language that are counted.
const MOST_LETTERS: usize = 1_200_000;
/// One in this many lines of the training texts is kept for calibration.
const HELD: usize = 16;
/// Power of a word's count that its n-grams weigh: the words of menus stand thousands of times.
const DAMPING: f64 = 0.6;
/// Most weights of an n-gram.
const MOST_WEIGHTS: usize = 24;
/// What the likelihood of an n-gram in a language that does not have it is, in proportion to the greatest one.
const FLOOR: f64 = 1.0 / 60.0;
/// How familiar prose is, at least, in proportion to the strings of programs that this is measured by, and how many of its
/// words are known.
const PROSE: [f32; 2] = [0.5, 0.5];
/// Windows of prose a language that confidence is fitted on, and their most words.
const PROSE_WINDOWS: usize = 150;
const PROSE_WORDS: usize = 300;
/// Windows a language and round of the regression.
const WINDOWS: usize = 1800;
const ROUNDS: usize = 5;
const RATE: f32 = 1.2;
/// Ideographs, kana and Hangul are told by counting.
const NOT_BY_TABLE: [&str; 3] = ["zho", "jpn", "kor"];
/// Spoken Arabic as it is written now and then, and neighbours of larger languages whose texts are few and mixed with these:
/// they would take more from the larger ones than they name.
const PASSED_OVER: [&str; 14] =
    ["aeb", "arq", "ary", "arz", "awa", "azb", "bqi", "ext", "hne", "ile", "kaa", "kjp", "lki", "rki"];
/// Bytes of text from which on a language is learnt, with a code of two letters and without.
const LEAST: [usize; 2] = [14_000, 60_000];
/// Languages that half of the declaration, or sentences written for this, are added to the strings of, or all there is.
const BY_HALF: [&str; 31] = [
    "ace", "bam", "bem", "ceb", "crs", "fij", "fon", "gaa", "haw", "hmn", "kal", "kea", "kmb", "loz", "lua",
    "mad", "mos", "nde", "nya", "nyn", "pap", "rar", "run", "smo", "tah", "tet", "tiv", "toi", "tpi", "umb",
    "yao",
];
/// Languages that are written in Latin and in Cyrillic letters.
const TWO_SCRIPTS: [&str; 2] = ["srp", "uzb"];
/// Languages that much of the Web is in.
const WIDE: &str = "afr amh ara aze bel ben bul cat ces cym dan deu ell eng est eus fas fin fra gle guj heb hin hrv hun \
    hye ind isl ita kan kat kaz khm kir lao lav lit mal mar mkd mon mya nep nld nor ori pan pol por pus ron rus sin slk slv \
    som spa sqi srp swa swe tam tel tgk tgl tha tur ukr urd uzb vie yor zul";
/// Languages that are more or less common than the neighbours that they are taken for, in nats.
const NEIGHBOURS: [(&str, f32); 8] = [
    ("bos", -2.0),
    ("eng", 0.7),
    ("glg", -0.4),
    ("msa", -1.3),
    ("nde", -5.0),
    ("nno", -0.8),
    ("run", -6.0),
    ("sco", -3.0),
];
/// How much rarer others are, in nats: those with a code of two letters, those without or of [`BY_HALF`].
const RARER: [f32; 2] = [-0.8, -2.0];
/// Three-letter codes of languages that have a code of two letters.
const COMMON: &str = include_str!("../src/text/language/iso639_1.txt");

/// Hashes of n-grams need hardly any hashing.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u32(b.into()));
    }

    fn write_u32(&mut self, n: u32) {
        self.0 = (self.0 ^ u64::from(n)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }
}

type ByGram<T> = HashMap<u32, T, BuildHasherDefault<Spread>>;
type ByWord<T> = HashMap<Box<[u32]>, T, BuildHasherDefault<Spread>>;

struct TrainingText {
    code: &'static str,
    lines: Vec<String>,
    held: Vec<String>,
    /// Half of the declaration, in one line.
    prose: Option<String>,
    scripts: Vec<usize>,
}

/// A generator of numbers: xorshift64*.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((u128::from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)) * n as u128) >> 64) as usize
    }

    /// A number from 1 to `most`, each doubling as likely as the other.
    fn length(&mut self, most: usize) -> usize {
        (most as f64).powf(self.below(1 << 20) as f64 / f64::from(1 << 20)).round() as usize
    }
}

/// One of a window of words of one of some lines.
fn window<'l>(lines: &'l [String], most: usize, dice: &mut Dice) -> &'l str {
    let mut line = "";
    // The longest of a few: many strings of catalogues are one word.
    for _ in 0..3 {
        let found = &lines[dice.below(lines.len())];
        line = if found.len() > line.len() { found } else { line };
    }
    let starts: Vec<usize> = line.match_indices(' ').map(|(at, _)| at + 1).collect();
    let take = dice.length(most);
    if starts.len() < take {
        return line;
    }
    let first = dice.below(starts.len() + 2 - take);
    let from = if first == 0 { 0 } else { starts[first - 1] };
    let to = starts.get(first + take - 1).map_or(line.len(), |&at| at - 1);
    line.cut(from..to)
}

/// Whether a language has a code of two letters.
fn common(code: &str) -> bool {
    COMMON.lines().any(|line| line.ends_with(code))
}

/// What is added to a language's log-odds.
fn offset(code: &str) -> f32 {
    let neighbour = NEIGHBOURS.iter().find(|n| n.0 == code).map(|n| n.1);
    let wide = WIDE.split_whitespace().any(|wide| wide == code);
    let few = !common(code) || BY_HALF.contains(&code);
    neighbour.unwrap_or(if wide { 0.0 } else { RARER[usize::from(few)] })
}

/// Strings that are learnt from, and prose in languages that are not learnt.
fn read(folder: &Path) -> (Vec<TrainingText>, Vec<String>, Vec<String>) {
    let (mut known, mut unknown, mut prose) = (Vec::new(), Vec::new(), Vec::new());
    let files = ["train", "half"].map(|set| fs::read_dir(folder.join(set)).unwrap());
    let code = |file: PathBuf| file.file_stem().unwrap().to_string_lossy().into_owned();
    let codes: BTreeSet<String> = files.into_iter().flatten().map(|f| code(f.unwrap().path())).collect();
    for code in codes {
        let code: &'static str = Box::leak(code.into_boxed_str());
        let of =
            |set: &str| fs::read_to_string(folder.join(set).join(format!("{code}.txt"))).unwrap_or_default();
        let mut text = of("train");
        let half = of("half");
        if BY_HALF.contains(&code) {
            text.push_str(&half);
        }
        if NOT_BY_TABLE.contains(&code) || PASSED_OVER.contains(&code) {
            continue;
        }
        if text.len() < LEAST[usize::from(!common(code))] && !BY_HALF.contains(&code) {
            unknown.extend(text.lines().take(300).map(str::to_owned));
            prose.extend((!half.is_empty()).then(|| half.replace('\n', " ")));
            continue;
        }
        let dev = of("dev");
        let mut source = TrainingText {
            code,
            lines: Vec::new(),
            held: dev.lines().map(str::to_owned).collect(),
            // A language that is learnt from this half cannot be judged by it.
            prose: (!BY_HALF.contains(&code)).then(|| half.replace('\n', " ")).filter(|h| !h.is_empty()),
            scripts: Vec::new(),
        };
        let mut letters = [0usize; Script::COUNT];
        let mut total = 0;
        // Lines of 1 in n, so that a bound takes of all programs.
        let step = text.len().div_ceil(2 * MOST_LETTERS).max(1);
        for (n, line) in text.lines().enumerate().filter(|(n, _)| n % step == 0) {
            ngram_words(line, |word| letters[word.script as usize] += word.letters());
            total += line.chars().count();
            if total > MOST_LETTERS {
                break;
            }
            let part = if n / step % HELD == 0 { &mut source.held } else { &mut source.lines };
            part.push(line.to_owned());
        }
        let all: usize = letters.iter().sum();
        let most = (0..Script::COUNT).max_by_key(|&s| letters[s]).unwrap();
        let latin = Script::Latin as usize;
        // Names in Latin letters stand in texts of all scripts.
        source.scripts = (0..Script::COUNT)
            .filter(|&s| match TWO_SCRIPTS.contains(&code) {
                true => letters[s] * 50 > all,
                false => s == most || s != latin && letters[s] * 5 > all,
            })
            .collect();
        known.push(source);
    }
    (known, unknown, prose)
}

type Row = Vec<(u8, f32)>;

/// The n-grams of each language by likelihood, the most telling ones, as naive Bayes has them.
fn count(known: &[TrainingText], members: &[Vec<u8>], top: usize) -> ByGram<Row> {
    let mut all: Vec<(u32, u8, f32)> = Vec::new();
    let mut unseen = vec![0f64; known.len()];
    let mut script_of: ByGram<usize> = ByGram::default();
    for (language, source) in known.iter().enumerate() {
        let mut words: ByWord<(f64, Word)> = ByWord::default();
        for line in &source.lines {
            ngram_words(line, |word| {
                let script = word.script as usize;
                if source.scripts.contains(&script) && members[script].len() > 1 {
                    match words.get_mut(word.padded()) {
                        Some(entry) => entry.0 += 1.0,
                        None => drop(words.insert(word.padded().into(), (1.0, word.clone()))),
                    }
                }
            });
        }
        let mut grams: ByGram<f64> = ByGram::default();
        // In order, so that sums are the same each time.
        let mut words: Vec<_> = words.into_iter().collect();
        words.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut total = 0.0;
        for (_, (count, word)) in &words {
            word.ngrams(|gram| {
                let weight = count.powf(DAMPING);
                *grams.entry(gram).or_default() += weight;
                total += weight;
                script_of.entry(gram).or_insert(word.script as usize);
            });
        }
        unseen[language] = 0.5 / total;
        all.extend(
            grams.iter().filter(|g| *g.1 >= 1.9).map(|(&g, &n)| (g, language as u8, (n / total) as f32)),
        );
    }
    all.sort_by_key(|a| (a.0, a.1));
    let mut chosen: Vec<Vec<(f32, u32)>> = vec![Vec::new(); known.len()];
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let mean = same.iter().map(|s| s.2).sum::<f32>() / members[script_of[&same[0].0]].len() as f32;
        for &(gram, language, p) in same {
            chosen[usize::from(language)].push((p * (p / mean).ln(), gram));
        }
    }
    let mut kept: ByGram<Row> = ByGram::default();
    for (language, values) in chosen.iter_mut().enumerate() {
        values.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // Of a script of few languages fewer will do.
        let others = known[language].scripts.iter().map(|&s| members[s].len()).max().unwrap();
        let top = if others < 4 { top / 2 } else { top };
        kept.extend(values.iter().take(top).filter(|v| v.0 > 0.0).map(|v| (v.1, Vec::new())));
    }
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let Some(row) = kept.get_mut(&same[0].0) else { continue };
        let greatest = same.iter().map(|s| f64::from(s.2)).fold(0.0, f64::max);
        let mut weights: Row = same
            .iter()
            .map(|s| (s.1, ((f64::from(s.2) + unseen[usize::from(s.1)]) / (greatest * FLOOR)).ln() as f32))
            .filter(|w| w.1 > 0.3)
            .collect();
        weights.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        weights.truncate(MOST_WEIGHTS);
        // What is left out stands for as little as the least of these.
        weights.sort_by_key(|w| w.0);
        *row = weights;
    }
    kept
}

/// N-grams of a text's commonest script.
fn ngrams_of(text: &str) -> (usize, Vec<u32>) {
    let mut letters = [0; Script::COUNT];
    ngram_words(text, |word| letters[word.script as usize] += word.letters() as u32);
    let most = commonest_script(&letters);
    let mut grams = Vec::new();
    ngram_words(text, |word| {
        if word.script as usize == most {
            word.ngrams(|gram| grams.push(gram));
        }
    });
    (most, grams)
}

/// Multinomial logistic regression over windows, begun at what naive Bayes says.
fn regress(known: &[TrainingText], members: &[Vec<u8>], rows: &mut ByGram<Row>, growth: f32) {
    let mut dice = Dice(0x5EED);
    let mut list: Vec<Row> = Vec::with_capacity(rows.len());
    let mut place: ByGram<usize> = ByGram::default();
    for (&gram, row) in rows.iter_mut() {
        place.insert(gram, list.len());
        list.push(std::mem::take(row));
    }
    let mut found = Vec::new();
    // Twice as many of languages in two scripts.
    let windows = |l: usize| WINDOWS * known[l].scripts.iter().filter(|&&s| members[s].len() > 1).count();
    let mut order: Vec<usize> = (0..known.len()).flat_map(|l| std::iter::repeat_n(l, windows(l))).collect();
    let mut sums = vec![0f32; known.len()];
    for round in 0..ROUNDS {
        for at in (1..order.len()).rev() {
            order.swap(at, dice.below(at + 1));
        }
        let (mut loss, mut right, mut seen) = (0.0, 0, 0);
        let rate = RATE * (1.0 - round as f32 / ROUNDS as f32);
        for &language in &order {
            let source = &known[language];
            let (script, grams) = ngrams_of(window(&source.lines, 24, &mut dice));
            if !source.scripts.contains(&script) || members[script].len() < 2 || grams.is_empty() {
                continue;
            }
            let scale = 1.0 / (grams.len() as f32).powf(growth);
            sums.fill(0.0);
            found.clear();
            found.extend(grams.iter().filter_map(|gram| place.get(gram).copied()));
            for &at in &found {
                for &(l, weight) in &list[at] {
                    sums[usize::from(l)] += weight;
                }
            }
            let top = members[script].iter().map(|&m| sums[usize::from(m)] * scale).fold(f32::MIN, f32::max);
            let mut total = 0.0;
            for &m in &members[script] {
                let e = (sums[usize::from(m)] * scale - top).exp();
                total += e;
            }
            let mut best = (f32::MIN, 0);
            for &m in &members[script] {
                let sum = &mut sums[usize::from(m)];
                if *sum > best.0 {
                    best = (*sum, usize::from(m));
                }
                *sum = (*sum * scale - top).exp() / total;
            }
            loss -= sums[language].max(1e-9).ln();
            right += usize::from(best.1 == language);
            seen += 1;
            // From probabilities to steps against the gradient.
            for &m in &members[script] {
                let l = usize::from(m);
                sums[l] = rate * scale * (f32::from(u8::from(l == language)) - sums[l]);
            }
            for &at in &found {
                for (l, weight) in &mut list[at] {
                    *weight = (*weight + sums[usize::from(*l)]).clamp(-7.9, 7.9);
                }
            }
        }
        eprintln!("round {round}: loss {:.4}, right {:.4}", loss / seen as f32, right as f64 / seen as f64);
    }
    for (gram, row) in rows.iter_mut() {
        *row = std::mem::take(&mut list[place[gram]]);
    }
}

fn write(
    known: &[TrainingText],
    usual: &[[f32; 2]],
    members: &[Vec<u8>],
    rows: &ByGram<Row>,
    fitted: &Calibration,
) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend((known.len() as u16).to_le_bytes());
    for (source, usual) in known.iter().zip(usual) {
        out.extend(source.code.as_bytes());
        usual.iter().for_each(|usual| out.extend(usual.to_le_bytes()));
        out.extend(offset(source.code).to_le_bytes());
    }
    out.push(members.len() as u8);
    for languages in members {
        out.push(languages.len() as u8);
        out.extend(languages);
    }
    for number in [fitted.temperature, fitted.growth].iter().chain(&fitted.odds) {
        out.extend(number.to_le_bytes());
    }
    let step = |w: f32| (w * STEPS).round() as i8;
    let mut hashes: Vec<u32> =
        rows.iter().filter(|(_, row)| row.iter().any(|w| step(w.1) != 0)).map(|(&hash, _)| hash).collect();
    hashes.sort_unstable();
    out.extend((hashes.len() as u32).to_le_bytes());
    let mut before = 0;
    for &hash in &hashes {
        let mut rest = hash - before;
        before = hash;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
    for hash in &hashes {
        let row: Vec<_> = rows[hash].iter().filter(|w| step(w.1) != 0).collect();
        out.push(row.len() as u8);
        for &&(language, weight) in &row {
            out.extend([language, step(weight) as u8]);
        }
    }
    out
}

fn table(bytes: Vec<u8>) -> Table {
    Table::read(Box::leak(bytes.into_boxed_slice())).expect("what was written can be read")
}

/// Words that are of no language: random letters, and one word each of many languages.
fn gibberish(known: &[TrainingText], dice: &mut Dice) -> String {
    let mut out = String::new();
    let kind = dice.below(3);
    for _ in 0..dice.length(30) {
        if kind == 0 {
            let source = &known[dice.below(known.len())];
            if source.scripts[0] == Script::Latin as usize {
                out.push_str(source.lines[dice.below(source.lines.len())].split(' ').next().unwrap_or(""));
            }
        } else {
            let letters: &[u8] = if kind == 1 {
                b"abcdefghijklmnopqrstuvwxyz"
            } else {
                b"eeeeaaaiiooutttnnnsssrrhldcmfpgwybvk"
            };
            for _ in 0..2 + dice.below(9) {
                out.push(char::from(letters[dice.below(letters.len())]));
            }
        }
        out.push(' ');
    }
    out
}

/// Temperature and its growth by the likelihood of held-out windows, then the odds that an answer is right.
fn calibrate(known: &[TrainingText], unknown: &[String], prose: &[String], of: &mut Table) {
    let mut dice = Dice(0xCA11B);
    let mut samples = Vec::new();
    for (language, source) in known.iter().enumerate() {
        for _ in 0..300 {
            if let Some(scores) = of.scores(window(&source.held, 60, &mut dice)) {
                samples.push((scores, Some(language)));
            }
        }
    }
    let positive = samples.len();
    for _ in 0..positive / 8 {
        samples.extend(of.scores(&gibberish(known, &mut dice)).map(|s| (s, None)));
        samples.extend(of.scores(window(unknown, 60, &mut dice)).map(|s| (s, None)));
    }
    let mut best = (f64::MAX, 1.0, 0.5);
    for growth in [0.3f32, 0.4, 0.5, 0.6, 0.7] {
        for step in 0..16 {
            of.calibration.temperature = 0.1 * 1.3f32.powi(step);
            of.calibration.growth = growth;
            let mut loss = 0.0;
            for (scores, language) in samples[..positive].iter().step_by(8) {
                let Some(found) = of.best(scores, None) else { continue };
                let p = 1.0 / (1.0 + f64::from((-found.odds).exp()));
                let p = if Some(usize::from(found.language)) == *language { p } else { (1.0 - p) / 2.0 };
                loss -= p.max(1e-6).ln();
            }
            if loss < best.0 {
                best = (loss, of.calibration.temperature, growth);
            }
        }
    }
    (of.calibration.temperature, of.calibration.growth) = (best.1, best.2);
    let strings = samples.len();
    for (language, source) in known.iter().enumerate() {
        for _ in 0..if source.prose.is_some() { PROSE_WINDOWS } else { 0 } {
            let text = window(source.prose.as_slice(), PROSE_WORDS, &mut dice);
            samples.extend(of.scores(text).map(|scores| (scores, Some(language))));
        }
    }
    // There are more of the unknown languages than texts in them.
    for _ in 0..PROSE_WINDOWS * prose.len() / 3 {
        samples.extend(of.scores(window(prose, PROSE_WORDS, &mut dice)).map(|scores| (scores, None)));
    }
    let rows: Vec<([f64; EVIDENCE], f64)> = samples
        .iter()
        .enumerate()
        .filter_map(|(n, (scores, language))| {
            let mut found: BestLanguage =
                of.best(scores, None).filter(|f| f.odds < MAX_ODDS || f.familiarity != 1.0)?;
            let right = Some(usize::from(found.language)) == *language;
            if language.is_some() && n < strings {
                let share = dice.below(1 << 20) as f32 / (1 << 20) as f32;
                found.familiarity *= PROSE[0] + (1.0 - PROSE[0]) * share;
                found.words *= PROSE[1] + (1.0 - PROSE[1]) * share;
            }
            let x = found.evidence().map(f64::from);
            Some((x, f64::from(u8::from(right))))
        })
        .collect();
    let mut w = [0.0f64; EVIDENCE];
    let mut steps = [0.0f64; EVIDENCE];
    for _ in 0..1500 {
        let mut gradient = [0.0; EVIDENCE];
        for (x, y) in &rows {
            let p = 1.0 / (1.0 + (-(0..EVIDENCE).map(|i| w[i] * x[i]).sum::<f64>()).exp());
            (0..EVIDENCE).for_each(|i| gradient[i] += (y - p) * x[i] / rows.len() as f64);
        }
        for i in 0..EVIDENCE {
            // Steps by the size of gradients so far (AdaGrad).
            steps[i] += gradient[i] * gradient[i];
            w[i] += 0.3 * gradient[i] / (steps[i].sqrt() + 1e-9);
        }
    }
    of.calibration.odds = w.map(|n| n as f32);
    let right = rows.iter().filter(|r| r.1 > 0.5).count();
    eprintln!("calibration {:?}; {right} right of {}, {positive} known", of.calibration, rows.len());
}

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let number = |n: usize, default| args.get(n).map_or(default, |a| a.parse().expect("a number"));
    let (known, unknown, prose) = read(Path::new(&args[0]));
    assert!(known.len() <= MAX_LANGUAGES);
    let members: Vec<Vec<u8>> = (0..Script::COUNT)
        .map(|s| (0..known.len()).filter(|&l| known[l].scripts.contains(&s)).map(|l| l as u8).collect())
        .collect();
    eprintln!("{} languages: {}", known.len(), known.iter().map(|s| s.code).collect::<Vec<_>>().join(" "));
    let mut rows = count(&known, &members, number(2, 4200));
    eprintln!("{} n-grams, {} weights", rows.len(), rows.values().map(Vec::len).sum::<usize>());
    let mut fitted = Calibration { temperature: 1.0, growth: 0.5, odds: [0.0; EVIDENCE] };
    regress(&known, &members, &mut rows, fitted.growth);
    let mut usual = vec![[1.0; 2]; known.len()];
    let mut scored = table(write(&known, &usual, &members, &rows, &fitted));
    let mut dice = Dice(0x05A1);
    for (language, source) in known.iter().enumerate() {
        let (mut sum, mut n, mut words, mut there) = (0.0, 0.0, 0.0, 0.0);
        for _ in 0..300 {
            if let Some(scores) = scored.scores(window(&source.held, 60, &mut dice))
                && scores.ngrams > 0
                && source.scripts.contains(&(scores.script as usize))
            {
                sum += scores.sums[language] as f32 / STEPS;
                n += scores.ngrams as f32;
                words += scores.words as f32;
                there += scored.known_words(&scores, language as u8) as f32;
            }
        }
        if sum > 0.0 {
            usual[language] = [(sum / n).max(0.05), (there / f32::max(words, 1.0)).max(0.05)];
        }
        let entry = &mut scored.languages[language];
        [entry.usual, entry.words] = usual[language];
    }
    calibrate(&known, &unknown, &prose, &mut scored);
    fitted = scored.calibration;
    let bytes = write(&known, &usual, &members, &rows, &fitted);
    eprintln!("{} bytes", bytes.len());
    let mut named: Vec<_> = known.iter().map(|s| s.code).chain(NOT_BY_TABLE).collect();
    named.sort_unstable();
    fs::write(format!("{}.txt", args[1]), named.join("\n") + "\n").unwrap();
    fs::write(&args[1], bytes).unwrap();
}
