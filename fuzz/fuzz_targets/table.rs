//! A Parquet file of anyone's: read in words, it ends with rows or with an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use webmill::table::TableInWords;

fuzz_target!(init: {
    // Panics of the library that decodes are caught and become errors; those that are not caught end the process all the same.
    std::panic::set_hook(Box::new(|_| {}));
}, |data: &[u8]| {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), data).expect("written");
    let _ = TableInWords::read(file.path());
});
