//! Addresses with blocks: many entries in a line.

use std::fmt::Write;
use webmill_capture::cut::Cut;

/// Addresses that one entry may stand for.
pub const MAX_ENTRIES: u64 = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    start: u64,
    end: u64,
    step: u64,
    width: usize,
}

impl Block {
    fn count(&self) -> u64 {
        (self.end - self.start) / self.step + 1
    }
}

/// An entry: texts with blocks between them.
///
/// # Examples
/// ```
/// use webmill_rules::Entry;
/// let entry = Entry::parse("/<8,10,2,false>-<0,1,1,false>").unwrap();
/// assert_eq!(entry.each().collect::<Vec<_>>(), ["/8-0", "/8-1", "/10-0", "/10-1"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    texts: Vec<String>,
    blocks: Vec<Block>,
    count: u64,
}

impl Entry {
    /// Reads `source`, in which `<start,end,step,pad>` is a block: numbers from `start` to `end`, both of at least 0, by `step`
    /// of at least 1; `pad` says whether zeros make them as wide as the wider of the two. Other angle brackets stand for themselves.
    ///
    /// # Errors
    /// Defects of a block, or that the entry stands for more than [`MAX_ENTRIES`] addresses.
    pub fn parse(source: &str) -> Result<Entry, String> {
        let (mut texts, mut blocks) = (vec![String::new()], Vec::new());
        let mut rest = source;
        while let Some(open) = rest.find('<') {
            let close = rest.cut(open..).find('>').map(|close| open + close);
            let inside = close.map(|close| rest.cut(open + 1..close));
            let (text, after) = match (inside.filter(|inside| inside.contains(',')), close) {
                (Some(inside), Some(close)) => {
                    blocks.push(block(inside)?);
                    (rest.cut(..open), rest.cut(close + 1..))
                }
                _ => (rest.cut(..=open), rest.cut(open + 1..)),
            };
            let before = blocks.len() + 1;
            if let Some(last) = texts.last_mut() {
                last.push_str(text);
            }
            texts.resize(before, String::new());
            rest = after;
        }
        if let Some(last) = texts.last_mut() {
            last.push_str(rest);
        }
        let counted = blocks.iter().try_fold(1u64, |count, block| count.checked_mul(block.count()));
        match counted.filter(|count| *count <= MAX_ENTRIES) {
            Some(count) => Ok(Entry { texts, blocks, count }),
            None => Err(format!("stands for more than {MAX_ENTRIES} addresses")),
        }
    }

    /// How many addresses it stands for.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The addresses; the last block varies fastest.
    pub fn each(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.count).map(|mut number| {
            let mut values = vec![0; self.blocks.len()];
            for (value, block) in values.iter_mut().zip(&self.blocks).rev() {
                *value = block.start + number % block.count() * block.step;
                number /= block.count();
            }
            let mut address = self.texts[0].clone();
            for ((value, block), text) in values.iter().zip(&self.blocks).zip(&self.texts[1..]) {
                _ = write!(address, "{value:0width$}", width = block.width);
                address.push_str(text);
            }
            address
        })
    }
}

fn block(inside: &str) -> Result<Block, String> {
    let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
    let [start, end, step, pad] = parts[..] else {
        return Err(format!("block <{inside}>: start,end,step,pad are wanted"));
    };
    let number = |text: &str| {
        text.parse::<u64>().map_err(|_| format!("block <{inside}>: {text:?} is no number of at least 0"))
    };
    let (first, last, by) = (number(start)?, number(end)?, number(step)?);
    if by == 0 {
        return Err(format!("block <{inside}>: a step of 0"));
    }
    if first > last {
        return Err(format!("block <{inside}>: its start is behind its end"));
    }
    let width = match pad {
        "true" => start.len().max(end.len()),
        "false" => 0,
        _ => return Err(format!("block <{inside}>: pad is true or false")),
    };
    Ok(Block { start: first, end: last, step: by, width })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_give_all_combinations() {
        let all = |source: &str| Entry::parse(source).unwrap().each().collect::<Vec<_>>();
        let padded = all("/p<1,100,1,true>");
        assert_eq!((padded.len(), &*padded[0], &*padded[99]), (100, "/p001", "/p100"));
        assert_eq!(all("/<8,10,2,false>-<0,1,1,false>"), ["/8-0", "/8-1", "/10-0", "/10-1"]);
        assert_eq!(all("http://a.example/?q=<b>&c=<"), ["http://a.example/?q=<b>&c=<"]);
        assert_eq!(all("<3,3,9,false>"), ["3"]);
        assert_eq!(all(""), [""]);
    }

    #[test]
    fn what_no_block_can_be_is_told() {
        for (source, reason) in [
            ("/<2,1,1,false>", "block <2,1,1,false>: its start is behind its end"),
            ("/<1,2,0,false>", "block <1,2,0,false>: a step of 0"),
            ("/<-1,2,1,false>", "block <-1,2,1,false>: \"-1\" is no number of at least 0"),
            ("/<1,2>", "block <1,2>: start,end,step,pad are wanted"),
            ("/<1,2,1,yes>", "block <1,2,1,yes>: pad is true or false"),
            ("/<1,1000,1,true><1,1001,1,true>", "stands for more than 1000000 addresses"),
            ("/<0,18446744073709551614,1,true><1,1001,1,true>", "stands for more than 1000000 addresses"),
        ] {
            assert_eq!(Entry::parse(source).unwrap_err(), reason, "{source}");
        }
    }
}
