//! How well a text reads in an encoding of one byte a character.
//!
//! **Definition.** Every byte beyond ASCII costs bits: a letter the more the rarer it is in its script, and the more the less
//! it fits where it stands (a capital within a word, a letter of another script than its neighbour's, a sign between two
//! letters, a control). [`advantage`] is the difference of the costs of two readings, over the bytes that they read
//! differently.
//!
//! **Algorithm.** A letter costs 3.2 bits and a sixth of a bit a rank, which is near −log₂ of its share in Russian text, and in
//! that of the other alphabets near enough; the surcharges are about −log₂ of how often such neighbours occur in prose.
//!
//! **Cost.** Two tables of 256 characters, then the first 4,096 bytes beyond ASCII.

use encoding_rs::Encoding;

/// Bytes beyond ASCII that are weighed.
const WEIGHED: usize = 4096;

/// Letters from frequent to rare, small ones only.
const RANKS: [(Script, &str); 6] = [
    (Script::Cyrillic, "оеаинтсрвлкмдпуіяыьгзјбчйхїєжшюцщэфъґљњћўђџёѕќѓ"),
    (Script::Greek, "αοιετσνηυρπκμλςωόίάέήγδύώχθφβξζψϊϋΐΰ"),
    (Script::Hebrew, "יוהלארתבשמםנדחקפעכגטזסצןךףץ"),
    (Script::Arabic, "اليمنرتوبدهعسفةكقحجشأصطىخإضذغثزءئظپچگآؤکیژ"),
    (Script::Thai, "านรอก่เงมยลว้ดทสตะัิปบคหแีจพชขใ็ไูุื์ำโผถซธศภณษญฐฎฏฉฑ"),
    (Script::Latin, "éáíóäöüñçàèãåøêúõâôœæßîûëïùčšžěřýůąęłśćżńźőűăşţğıťďňđęėūāšīēų"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Hebrew,
    Arabic,
    Thai,
}

/// What a character is among its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Class {
    Letter {
        script: Script,
        upper: bool,
        cost: f32,
    },
    /// Within words: apostrophes, hyphens, soft hyphens.
    Joiner,
    Space,
    Sign,
    /// Frames, operators and other signs of old screens: none of prose.
    Graphic,
    Digit,
    /// Controls and bytes without a character.
    Nothing,
}

/// What the 256 bytes are in an encoding of one byte a character.
struct Reading([(char, Class); 256]);

impl Reading {
    fn of(encoding: &'static Encoding) -> Self {
        let all: [u8; 256] = std::array::from_fn(|b| b as u8);
        let (text, _) = encoding.decode_without_bom_handling(&all);
        let mut reading = Reading([('\0', Class::Nothing); 256]);
        for (slot, c) in reading.0.iter_mut().zip(text.chars()) {
            *slot = (c, Class::of(c));
        }
        reading
    }

    /// What the byte at `at` costs here, in bits.
    fn cost(&self, bytes: &[u8], at: usize) -> f32 {
        let class = |at: Option<usize>| {
            at.and_then(|at| bytes.get(at)).map_or(Class::Space, |&b| self.0[b as usize].1)
        };
        let (before, after) = (class(at.checked_sub(1)), class(Some(at + 1)));
        let beyond = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(|b| !b.is_ascii());
        let is_letter = |class: Class| matches!(class, Class::Letter { .. });
        match class(Some(at)) {
            Class::Letter { script, upper, cost } => {
                let mut cost = cost;
                for neighbour in [before, after] {
                    if matches!(neighbour, Class::Letter { script: other, .. } if other != script) {
                        cost += 5.0;
                    }
                }
                match before {
                    Class::Letter { upper: false, script: other, .. } if upper && other == script => {
                        cost += 5.0
                    }
                    // Letters with marks seldom stand side by side.
                    Class::Letter { script: Script::Latin, .. }
                        if script == Script::Latin && beyond(at.checked_sub(1)) =>
                    {
                        cost += 2.0;
                    }
                    _ => {}
                }
                if upper && matches!(after, Class::Letter { upper: false, .. }) && !is_letter(before) {
                    cost += 1.0;
                } else if upper {
                    cost += 0.25;
                }
                let beside = |class| matches!(class, Class::Digit | Class::Graphic);
                if !is_letter(before) && !is_letter(after) && (beside(before) || beside(after)) {
                    cost += 3.0;
                }
                cost
            }
            Class::Joiner => 4.0,
            Class::Space => 3.0,
            Class::Sign if is_letter(before) && is_letter(after) => 14.0,
            Class::Sign | Class::Digit => 5.0,
            Class::Graphic => 9.0,
            Class::Nothing => 10.0,
        }
    }
}

impl Class {
    fn of(c: char) -> Self {
        let script = match c {
            'a'..='z' | 'A'..='Z' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='\u{24F}' => Script::Latin,
            'Ͱ'..='Ͽ' if c.is_alphabetic() => Script::Greek,
            'Ѐ'..='ӿ' => Script::Cyrillic,
            '\u{591}'..='\u{5F2}' => Script::Hebrew,
            '\u{620}'..='\u{65F}' | '\u{671}'..='\u{6D3}' => Script::Arabic,
            '\u{E01}'..='\u{E3A}' | '\u{E40}'..='\u{E4E}' => Script::Thai,
            // A combining mark of Vietnamese.
            '\u{300}'..='\u{36F}' => Script::Latin,
            '’' | '‘' | '\'' | '´' | '`' | '-' | '\u{AD}' | '·' | '‑' => return Class::Joiner,
            '0'..='9' => return Class::Digit,
            '\u{2200}'..='\u{22FF}' | '\u{2300}'..='\u{25FF}' => return Class::Graphic,
            '\u{FFFD}' => return Class::Nothing,
            _ if c.is_whitespace() => return Class::Space,
            _ if c.is_control() => return Class::Nothing,
            _ => return Class::Sign,
        };
        Class::Letter { script, upper: c.is_uppercase(), cost: rank_cost(script, c) }
    }
}

fn rank_cost(script: Script, c: char) -> f32 {
    let small = c.to_lowercase().next().unwrap_or(c);
    let ranks = RANKS.iter().find(|(of, _)| *of == script).map_or("", |(_, ranks)| ranks);
    let rank = ranks.chars().position(|known| known == small).unwrap_or(64);
    let a_rank = if script == Script::Latin { 0.05 } else { 0.16 };
    3.2 + a_rank * rank as f32
}

/// How two readings of a text compare.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in super::super) struct Advantage {
    /// Bits that the one costs less than the other; less than zero if it costs more.
    pub(in super::super) bits: f32,
    /// Bytes that the two read differently.
    pub(in super::super) differing: u32,
}

impl Advantage {
    /// Bits a byte.
    pub(in super::super) fn mean(self) -> f32 {
        self.bits / self.differing.max(1) as f32
    }
}

/// How much better `bytes` read in `one` than in `other`, both of one byte a character.
pub(in super::super) fn advantage(
    bytes: &[u8],
    one: &'static Encoding,
    other: &'static Encoding,
) -> Advantage {
    let (one, other) = (Reading::of(one), Reading::of(other));
    let (mut bits, mut differing) = (0.0, 0);
    let beyond = bytes.iter().enumerate().filter(|(_, b)| !b.is_ascii());
    for (at, &b) in beyond.take(WEIGHED) {
        if one.0[b as usize].0 != other.0[b as usize].0 {
            bits += other.cost(bytes, at) - one.cost(bytes, at);
            differing += 1;
        }
    }
    Advantage { bits, differing }
}

/// Bits that a byte beyond ASCII costs in `encoding`, of one byte a character: some five in prose.
pub(in super::super) fn mean_cost(bytes: &[u8], encoding: &'static Encoding) -> f32 {
    let reading = Reading::of(encoding);
    let (mut bits, mut all) = (0.0, 0);
    for (at, _) in bytes.iter().enumerate().filter(|(_, b)| !b.is_ascii()).take(WEIGHED) {
        bits += reading.cost(bytes, at);
        all += 1;
    }
    bits / all.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{
        IBM866, ISO_8859_2, ISO_8859_5, ISO_8859_7, KOI8_R, KOI8_U, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252,
        WINDOWS_1253, WINDOWS_1255, WINDOWS_1256, X_MAC_CYRILLIC,
    };

    #[test]
    fn prose_reads_best_in_its_own_encoding() {
        let cyrillic = [WINDOWS_1251, KOI8_U, IBM866, ISO_8859_5, X_MAC_CYRILLIC];
        let all = [WINDOWS_1251, KOI8_R, ISO_8859_5, WINDOWS_1252, WINDOWS_1253, WINDOWS_1255, WINDOWS_1256];
        let cases: [(&str, &[&'static Encoding], &[&'static Encoding]); 8] = [
            ("Сегодня в городе прошёл дождь.", &cyrillic, &cyrillic),
            ("СЕГОДНЯ В ГОРОДЕ ПРОШЕЛ ДОЖДЬ", &[WINDOWS_1251, KOI8_U, ISO_8859_5], &cyrillic),
            ("Сьогодні в місті йшов дощ і дув вітер.", &[WINDOWS_1251, KOI8_U], &all),
            ("Данас је у граду падала киша.", &[WINDOWS_1251, ISO_8859_5], &all),
            ("Σήμερα έβρεξε στην πόλη", &[WINDOWS_1253, ISO_8859_7], &[WINDOWS_1251, WINDOWS_1255]),
            ("היום ירד גשם בעיר", &[WINDOWS_1255], &all),
            ("اليوم سقط المطر في المدينة", &[WINDOWS_1256], &all),
            ("Le café était fermé à midi", &[WINDOWS_1252], &all),
        ];
        for (text, own, others) in cases {
            for &right in own {
                let (bytes, _, lossy) = right.encode(text);
                assert!(!lossy, "{text} in {}", right.name());
                for &wrong in others {
                    let found = advantage(&bytes, right, wrong);
                    let enough = found.differing < 2 || found.bits > 1.0;
                    assert!(enough, "{text}: {} as {}: {found:?}", right.name(), wrong.name());
                }
            }
        }
    }

    #[test]
    fn signs_and_names_tell_latin_encodings_apart() {
        let bits = |bytes: &[u8], one, other| advantage(bytes, one, other).bits;
        assert!(bits(b"Tickets cost \xA33 or \xA31", WINDOWS_1252, WINDOWS_1250) > 2.0);
        assert!(bits(b"Lech Wa\xB3\xEAsa", WINDOWS_1250, WINDOWS_1252) > 2.0);
        assert!(bits(b"t\xF8i \x8Akoly", WINDOWS_1250, ISO_8859_2) > 2.0);
        assert_eq!(advantage(b"Stra\xDFe", WINDOWS_1250, WINDOWS_1252).differing, 0);
    }
}
