//! Tokens of language models, for job `signals`: the tokenizers that the makers of models publish as `tokenizer.json`.

use std::path::Path;

use tokenizers::Tokenizer;
use webmill::capture::cut::Cut;
use webmill::capture::{Error, Result};
use webmill::jobs::signals::CountTokens;

/// Bytes of a text that are cut into tokens at once, to the end of a line where there is one: an encoding takes some hundred bytes a token.
const AT_ONCE: usize = 256 << 10;

struct ModelTokens(Tokenizer);

/// Reads the file of a tokenizer.
///
/// # Errors
/// [`Error::Config`] where it is none.
pub fn load(path: &Path) -> Result<Box<dyn CountTokens>> {
    let mut tokenizer = Tokenizer::from_file(path)
        .map_err(|e| Error::Config(format!("{}: no tokenizer: {e}", path.display())))?;
    // Counts are of whole texts, whatever window the model has.
    tokenizer.with_truncation(None).map_err(|e| Error::Internal(e.to_string()))?;
    tokenizer.with_padding(None);
    Ok(Box::new(ModelTokens(tokenizer)))
}

impl CountTokens for ModelTokens {
    fn count(&self, text: &str) -> Option<u32> {
        let mut rest = text;
        let mut tokens = 0;
        while !rest.is_empty() {
            let most = rest.floor_char_boundary(AT_ONCE);
            let end = if most == rest.len() {
                most
            } else {
                rest.cut(..most).rfind('\n').map_or(most, |at| at + 1)
            };
            let (piece, behind) = rest.split_at(end);
            tokens += self.0.encode_fast(piece, false).ok()?.len() as u32;
            rest = behind;
        }
        Some(tokens)
    }
}
