//! Entropy coding of the numbers of a block: range asymmetric numeral systems (rANS) over fixed tables.
//!
//! A *table* gives every symbol (a byte) a frequency of 2048; a symbol that it has not seen is an escape and eight plain
//! bits. A symbol of frequency f costs log2(2048/f) bits. Numbers larger than 15 are a symbol for their length in bits
//! and their second and third bit, and the remaining bits plain.
//!
//! The state is 32 bits wide and moves by words of 16. Encoding runs backwards over what was gathered, so that decoding
//! runs forwards. Reading past the end gives zeros and is remembered ([`Rans::is_short`]): hostile bytes give wrong
//! numbers, in bounded time.
//!
//! Reference: J. Duda, *Asymmetric numeral systems*, arXiv:1311.2540.

use super::wire::{Fault, Wire, put_number};

const PRECISION: u32 = 11;
const SLOTS: usize = 1 << PRECISION;
/// State never falls below it between symbols.
const LOW: u32 = 1 << 16;
/// The symbol for those without a frequency of their own.
const ESCAPE: usize = 256;

/// Frequencies of symbols, ready for both directions.
#[derive(Debug, Clone)]
pub(super) struct Table {
    /// Start and frequency of each symbol and the escape; frequency 0: escaped.
    spans: Box<[(u16, u16); 257]>,
    /// For each slot its symbol; from `escape` on the escape. Two KiB: many tables are in use at once.
    symbols: Box<[u8; SLOTS]>,
    escape: usize,
}

impl Table {
    /// A table for symbols as often as counted.
    pub(super) fn of_counts(counts: &[u64; 256]) -> Self {
        let total: u64 = counts.iter().sum::<u64>().max(1);
        let mut frequencies = [0u16; 257];
        for (frequency, &count) in frequencies.iter_mut().zip(counts) {
            if count > 0 {
                let share = u128::from(count) * (SLOTS as u128 - 1) / u128::from(total);
                *frequency = (share as u16).max(1);
            }
        }
        frequencies[ESCAPE] = 1;
        // Rounding is made good at the most frequent, where it costs least.
        loop {
            let sum: usize = frequencies.iter().map(|&f| usize::from(f)).sum();
            let at = (0..257).max_by_key(|&i| frequencies[i]).expect("257 of them");
            if sum <= SLOTS {
                frequencies[at] += (SLOTS - sum) as u16;
                break;
            }
            frequencies[at] -= 1;
        }
        Self::of_frequencies(&frequencies).expect("they add up")
    }

    fn of_frequencies(frequencies: &[u16; 257]) -> Result<Self, Fault> {
        let sum: usize = frequencies.iter().map(|&f| usize::from(f)).sum();
        if sum != SLOTS || frequencies[ESCAPE] == 0 {
            return Err("frequencies that do not add up");
        }
        let mut spans = Box::new([(0, 0); 257]);
        let mut symbols = Box::new([0; SLOTS]);
        let mut at = 0;
        for (symbol, &frequency) in frequencies.iter().enumerate() {
            spans[symbol] = (at as u16, frequency);
            symbols[at..at + usize::from(frequency)].fill(symbol as u8);
            at += usize::from(frequency);
        }
        let escape = usize::from(spans[ESCAPE].0);
        Ok(Table { spans, symbols, escape })
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let used = self.spans.iter().enumerate().filter(|(_, span)| span.1 > 0);
        put_number(out, used.clone().count() as u64);
        for (symbol, span) in used {
            put_number(out, symbol as u64);
            put_number(out, u64::from(span.1));
        }
    }

    pub(super) fn get(wire: &mut Wire<'_>) -> Result<Self, Fault> {
        let mut frequencies = [0u16; 257];
        for _ in 0..wire.count(257)? {
            let symbol = wire.count(ESCAPE)?;
            frequencies[symbol] = wire.count(SLOTS)? as u16;
        }
        Self::of_frequencies(&frequencies)
    }
}

/// Either direction, so that one description of a row serves both.
pub(super) trait Coder {
    /// Whether values are read from their variables, not written to them.
    const ENCODES: bool;
    /// A byte by a table.
    fn symbol(&mut self, table: usize, value: &mut u8);
    /// The lowest `count` bits, plain.
    fn bits(&mut self, count: u32, value: &mut u64);

    /// A number by a table.
    fn number(&mut self, table: usize, value: &mut u64) {
        let (mut symbol, mut rest) = (0, 0);
        if Self::ENCODES {
            let length = 64 - value.leading_zeros();
            if length <= 4 {
                symbol = *value as u8;
            } else {
                symbol = (16 + (length - 5) * 4) as u8 + (*value >> (length - 3) & 3) as u8;
                rest = *value & ((1 << (length - 3)) - 1);
            }
        }
        self.symbol(table, &mut symbol);
        if symbol < 16 {
            *value = u64::from(symbol);
            return;
        }
        let length = u32::from(symbol - 16) / 4 + 5;
        self.bits(length - 3, &mut rest);
        *value = (4 | u64::from(symbol & 3)) << (length - 3) | rest;
    }
}

#[derive(Debug, Clone, Copy)]
enum Op {
    Symbol { table: u8, symbol: u8 },
    Bits { count: u8, value: u16 },
}

/// Gathers what is to be encoded.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered {
    ops: Vec<Op>,
}

impl Coder for Gathered {
    const ENCODES: bool = true;

    fn symbol(&mut self, table: usize, value: &mut u8) {
        self.ops.push(Op::Symbol { table: table as u8, symbol: *value });
    }

    fn bits(&mut self, count: u32, value: &mut u64) {
        let mut left = count;
        while left > 0 {
            let now = left.min(16);
            left -= now;
            self.ops.push(Op::Bits { count: now as u8, value: (*value >> left & ((1 << now) - 1)) as u16 });
        }
    }
}

impl Gathered {
    pub(super) fn clear(&mut self) {
        self.ops.clear();
    }

    /// Adds its symbols to the counts of their tables.
    pub(super) fn count(&self, counts: &mut [[u64; 256]]) {
        for op in &self.ops {
            if let Op::Symbol { table, symbol } = *op {
                counts[usize::from(table)][usize::from(symbol)] += 1;
            }
        }
    }

    /// Appends the encoding; `words` is room to work in.
    pub(super) fn encode(&self, tables: &[Table], words: &mut Vec<u16>, out: &mut Vec<u8>) {
        words.clear();
        let mut state = LOW;
        for op in self.ops.iter().rev() {
            match *op {
                Op::Bits { count, value } => push_bits(&mut state, u32::from(count), value, words),
                Op::Symbol { table, symbol } => {
                    let spans = &tables[usize::from(table)].spans;
                    let mut span = spans[usize::from(symbol)];
                    if span.1 == 0 {
                        push_bits(&mut state, 8, u16::from(symbol), words);
                        span = spans[ESCAPE];
                    }
                    let (start, frequency) = (u32::from(span.0), u32::from(span.1));
                    if u64::from(state) >= u64::from(frequency) << (32 - PRECISION) {
                        words.push(state as u16);
                        state >>= 16;
                    }
                    state = ((state / frequency) << PRECISION) + state % frequency + start;
                }
            }
        }
        out.extend_from_slice(&state.to_le_bytes());
        for word in words.iter().rev() {
            out.extend_from_slice(&word.to_le_bytes());
        }
    }
}

fn push_bits(state: &mut u32, count: u32, value: u16, words: &mut Vec<u16>) {
    if u64::from(*state) >= 1 << (32 - count) {
        words.push(*state as u16);
        *state >>= 16;
    }
    *state = *state << count | u32::from(value);
}

/// Where decoding stands, apart from the bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rans {
    state: u32,
    at: usize,
    short: bool,
}

impl Rans {
    /// Begins at the front of `bytes`.
    pub(super) fn new(bytes: &[u8]) -> Self {
        match bytes.first_chunk() {
            Some(state) => Rans { state: u32::from_le_bytes(*state), at: 4, short: false },
            None => Rans { state: 0, at: 4, short: true },
        }
    }

    /// Whether more was asked for than there is.
    pub(super) fn is_short(&self) -> bool {
        self.short
    }

    /// Goes on in the same bytes.
    pub(super) fn over<'a>(&'a mut self, bytes: &'a [u8], tables: &'a [Table]) -> Decoder<'a> {
        Decoder { rans: self, bytes, tables }
    }
}

/// Takes symbols off.
pub(super) struct Decoder<'a> {
    rans: &'a mut Rans,
    bytes: &'a [u8],
    tables: &'a [Table],
}

impl Decoder<'_> {
    #[inline]
    fn refill(&mut self) {
        let rans = &mut *self.rans;
        if rans.state < LOW {
            let word = match self.bytes.get(rans.at..rans.at + 2) {
                Some(word) => u16::from_le_bytes([word[0], word[1]]),
                None => {
                    rans.short = true;
                    0
                }
            };
            rans.at += 2;
            rans.state = rans.state << 16 | u32::from(word);
        }
    }

    #[inline]
    fn few_bits(&mut self, count: u32) -> u64 {
        let value = self.rans.state & ((1 << count) - 1);
        self.rans.state >>= count;
        self.refill();
        u64::from(value)
    }
}

impl Coder for Decoder<'_> {
    const ENCODES: bool = false;

    #[inline]
    fn symbol(&mut self, table: usize, value: &mut u8) {
        let state = self.rans.state;
        let table = &self.tables[table];
        let slot = state as usize & (SLOTS - 1);
        let symbol = if slot < table.escape { usize::from(table.symbols[slot]) } else { ESCAPE };
        let (start, frequency) = table.spans[symbol];
        self.rans.state = u32::from(frequency) * (state >> PRECISION) + (slot as u32 - u32::from(start));
        self.refill();
        *value = if symbol == ESCAPE { self.few_bits(8) as u8 } else { symbol as u8 };
    }

    #[inline]
    fn bits(&mut self, count: u32, value: &mut u64) {
        let mut left = count;
        let mut all = 0;
        while left > 0 {
            let now = left.min(16);
            left -= now;
            all = all << now | self.few_bits(now);
        }
        *value = all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_encoded_comes_back(
            values in proptest::collection::vec((0usize..3, any::<u64>(), 0u32..64), 0..300),
            trained in any::<bool>(),
        ) {
            let values: Vec<(usize, u64)> = values.iter().map(|v| (v.0, v.1 >> v.2)).collect();
            let mut gathered = Gathered::default();
            for &(table, value) in &values {
                gathered.number(table, &mut value.clone());
                gathered.symbol(table, &mut (value as u8));
                gathered.bits(37, &mut (value & ((1 << 37) - 1)));
            }
            let mut counts = vec![[0; 256]; 3];
            if trained {
                gathered.count(&mut counts);
            }
            let tables: Vec<Table> = counts.iter().map(Table::of_counts).collect();
            let mut stored = Vec::new();
            tables.iter().for_each(|table| table.put(&mut stored));
            let mut wire = Wire::new(&stored);
            let tables: Vec<Table> = (0..3).map(|_| Table::get(&mut wire).unwrap()).collect();
            let (mut bytes, mut words) = (Vec::new(), Vec::new());
            gathered.encode(&tables, &mut words, &mut bytes);
            let mut rans = Rans::new(&bytes);
            for &(table, value) in &values {
                let (mut number, mut symbol, mut bits) = (0, 0, 0);
                let mut decoder = rans.over(&bytes, &tables);
                decoder.number(table, &mut number);
                decoder.symbol(table, &mut symbol);
                decoder.bits(37, &mut bits);
                prop_assert_eq!((number, symbol, bits), (value, value as u8, value & ((1 << 37) - 1)));
            }
            prop_assert!(!rans.is_short());
        }

        #[test]
        fn foreign_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            let tables = [Table::of_counts(&[1; 256])];
            let mut rans = Rans::new(&bytes);
            for _ in 0..1000 {
                rans.over(&bytes, &tables).number(0, &mut 0);
            }
            prop_assert!(rans.is_short());
            let _ = Table::get(&mut Wire::new(&bytes));
        }
    }

    #[test]
    fn a_frequent_symbol_costs_next_to_nothing() {
        let mut counts = [0; 256];
        (counts[7], counts[9]) = (10_000, 1);
        let tables = [Table::of_counts(&counts)];
        let mut gathered = Gathered::default();
        (0..10_000).for_each(|_| gathered.symbol(0, &mut 7));
        let mut bytes = Vec::new();
        gathered.encode(&tables, &mut Vec::new(), &mut bytes);
        assert!(bytes.len() < 30, "{}", bytes.len());
    }
}
