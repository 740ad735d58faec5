//! Tokens: how an answer knows that a replayed page of the same collection asks for it.
//!
//! See the module above for what they are for. A token is the collection's name under a keyed pseudo-random function
//! (SipHash, 128 bits of key from the operating system), 128 bits of it in hexadecimal. Keys are made once a process
//! and never written down, so addresses with a token are of no use to whoever keeps them; without one a page is answered all the same.

use std::hash::{BuildHasher, RandomState};

/// The tokens of a server's collections.
#[derive(Debug, Default)]
pub struct Tokens {
    keys: [RandomState; 2],
}

impl Tokens {
    /// Tokens under new keys.
    pub fn new() -> Tokens {
        Tokens::default()
    }

    /// The token of a collection: 32 hexadecimal digits.
    ///
    /// # Examples
    /// ```
    /// use webmill_serve::replay::Tokens;
    /// let tokens = Tokens::new();
    /// assert_eq!(tokens.of("news"), tokens.of("news"));
    /// assert_ne!(tokens.of("news"), tokens.of("mail"));
    /// ```
    pub fn of(&self, collection: &str) -> String {
        let halves = self.keys.each_ref().map(|key| key.hash_one(collection));
        format!("{:016x}{:016x}", halves[0], halves[1])
    }

    /// The token of a collection, if `given` is it.
    pub fn check(&self, collection: &str, given: Option<&str>) -> Option<String> {
        let token = self.of(collection);
        let given = given?.as_bytes();
        let differing = token.bytes().zip(given).fold(token.len() ^ given.len(), |all, (a, b)| {
            // Every byte is looked at, wherever the first difference is.
            all | usize::from(a ^ b)
        });
        (differing == 0).then_some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use webmill_capture::cut::Cut;

    #[test]
    fn only_the_token_of_the_collection_is_taken() {
        let tokens = Tokens::new();
        let token = tokens.of("a");
        assert_eq!(token.len(), 32);
        assert_eq!(tokens.check("a", Some(&token)), Some(token.clone()));
        assert_eq!(tokens.check("b", Some(&token)), None);
        assert_eq!(tokens.check("a", Some(token.cut(1..))), None);
        assert_eq!(tokens.check("a", Some("")), None);
        assert_eq!(tokens.check("a", None), None);
        assert_ne!(Tokens::new().of("a"), token);
    }
}
