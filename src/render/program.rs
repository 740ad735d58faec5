//! Where the browser is: found on the machine, never fetched.

use std::path::PathBuf;

use webmill_capture::error::{Error, Result};

/// Names under which Chromium is looked for in `PATH`, in this order.
pub const NAMES: [&str; 7] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome-headless-shell",
    "headless_shell",
    "chrome",
];

/// The browser's program: `given`, else what the environment variable `WEBMILL_CHROMIUM` names, else the first of [`NAMES`]
/// in `PATH`.
///
/// # Errors
/// [`Error::Config`] says what to install, or that the program that was named is not there.
pub fn find(given: Option<&std::path::Path>) -> Result<PathBuf> {
    let named = given.map(PathBuf::from).or_else(|| std::env::var_os("WEBMILL_CHROMIUM").map(PathBuf::from));
    if let Some(program) = named {
        if program.is_file() {
            return Ok(program);
        }
        return Err(Error::Config(format!(
            "{}: no such program; WEBMILL_CHROMIUM must name Chromium",
            program.display()
        )));
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .flat_map(|folder| NAMES.map(|name| folder.join(name)))
        .find(|path| path.is_file())
        .ok_or_else(|| {
            Error::Config(
                "pages are to be rendered, and there is no Chromium: install it (Debian: apt-get install chromium), or name \
                 a Chrome in WEBMILL_CHROMIUM"
                    .into(),
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_named_must_be_there() {
        let missing = std::path::Path::new("/no/such/chromium");
        assert!(find(Some(missing)).unwrap_err().to_string().contains("/no/such/chromium"));
        let here = std::env::current_exe().unwrap();
        assert_eq!(find(Some(&here)).unwrap(), here);
    }
}
