//! How a site is logged in to: the form, what is filled in, how success shows.

use std::collections::BTreeMap;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;
use webmill_capture::CanonicalUrl;
use webmill_capture::error::{Error, Result};

/// A login by a form, table `[[crawl.logins]]` of a recipe.
///
/// ```toml
/// [[crawl.logins]]
/// url = "https://a.example/login"
/// fields = { user = "me", password = { env = "A_PASSWORD" } }
/// success = { text = "Log out" }
/// logged_out = "Please log in"
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoginOptions {
    /// The page with the form. What the form has besides `fields` (tokens against forgery, values that stand in it) is
    /// taken from there.
    pub url: String,
    /// Where the form is sent; default: where the form says.
    pub action: Option<String>,
    /// Names and values that are filled in; values may be named instead of written: `{ env = "NAME" }`, `{ file = "PATH" }`.
    pub fields: BTreeMap<String, Secret>,
    /// How it shows that the login worked. Default: the page it leads to is there (2xx) and has no field for a password.
    pub success: LoginCheck,
    /// Regular expression: a page of the site that it matches shows that one is logged out. A redirect to `url` shows it
    /// always. Default none.
    pub logged_out: Option<String>,
    /// Regular expression: URLs of the site that it matches are not fetched, because they log out. Default: `logout`, `log-out`,
    /// `signoff` and the like.
    pub avoid: Option<String>,
    /// Shortest time between two logins, in minutes; default 10.
    pub every_minutes: u32,
}

/// How it shows that a login worked: all that is given must hold of the page that the login leads to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoginCheck {
    /// This page is fetched and looked at instead.
    pub url: Option<String>,
    /// Its status.
    pub status: Option<u16>,
    /// Text that stands in it.
    pub text: Option<String>,
    /// Regular expression that it matches.
    pub pattern: Option<String>,
    /// Name of a cookie that was set.
    pub cookie: Option<String>,
}

/// What URLs that log out look like.
const AVOID: &str = r"(?i)\b(?:log|sign)[-_]?(?:out|off)\b";

impl Default for LoginOptions {
    fn default() -> Self {
        LoginOptions {
            url: String::new(),
            action: None,
            fields: BTreeMap::new(),
            success: LoginCheck::default(),
            logged_out: None,
            avoid: None,
            every_minutes: 10,
        }
    }
}

impl LoginOptions {
    /// Holds the values against what they must be.
    ///
    /// # Errors
    /// [`Error::Config`] names the login and the setting.
    pub fn check(&self) -> Result<()> {
        let bad = |why: String| Error::Config(format!("logins, {:?}: {why}", self.url));
        let urls = [Some(&self.url), self.action.as_ref(), self.success.url.as_ref()];
        for url in urls.into_iter().flatten() {
            if web_url(url).is_none() {
                return Err(bad(format!("{url:?} is no URL that begins with http:// or https://")));
            }
        }
        if self.fields.is_empty() {
            return Err(bad("fields: at least one is needed".into()));
        }
        for (name, value) in &self.fields {
            value.check(&format!("logins, {:?}: field {name}", self.url))?;
        }
        for (name, pattern) in [
            ("logged_out", &self.logged_out),
            ("avoid", &self.avoid),
            ("success.pattern", &self.success.pattern),
        ] {
            if let Some(pattern) = pattern {
                Regex::new(pattern).map_err(|e| bad(format!("{name}: {e}")))?;
            }
        }
        Ok(())
    }

    /// The page with the form.
    pub(super) fn page(&self) -> Option<CanonicalUrl> {
        web_url(&self.url)
    }

    /// A regular expression for the URLs of the site that log out.
    pub fn avoided(&self) -> Option<String> {
        let url = self.page()?;
        let site = regex::escape(url.registrable_domain());
        let pattern = self.avoid.as_deref().unwrap_or(AVOID);
        (!pattern.is_empty())
            .then(|| format!(r"^https?://(?:[^/?#]*\.)?{site}\.?(?::[0-9]+)?/.*(?:{pattern})"))
    }
}

pub(super) fn web_url(text: &str) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(text).filter(CanonicalUrl::is_web)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_settings_are_named() {
        let good = LoginOptions {
            url: "https://a.example/login".into(),
            fields: [("user".into(), "me".into())].into(),
            ..LoginOptions::default()
        };
        good.check().unwrap();
        let bad = |change: &dyn Fn(&mut LoginOptions)| {
            let mut login = good.clone();
            change(&mut login);
            login.check().unwrap_err().to_string()
        };
        assert!(bad(&|l| l.url = "login".into()).contains("no URL"));
        assert!(bad(&|l| l.action = Some("ftp://a/".into())).contains("no URL"));
        assert!(bad(&|l| l.fields.clear()).contains("fields"));
        assert!(bad(&|l| l.logged_out = Some("(".into())).contains("logged_out"));
        assert!(bad(&|l| l.success.pattern = Some("(".into())).contains("success.pattern"));
        let text = "url = 'http://a.example/in'\nfields = { a = 'x', b = { env = 'B' } }\nsuccess = { status = 200 }";
        let read: LoginOptions = toml::from_str(text).unwrap();
        assert_eq!((read.every_minutes, read.success.status, read.fields.len()), (10, Some(200), 2));
        assert!(toml::from_str::<LoginOptions>("sucess = {}").is_err());
    }

    #[test]
    fn urls_that_log_out_are_those_of_the_site() {
        let login = LoginOptions { url: "https://www.a.example/login".into(), ..LoginOptions::default() };
        let avoided = Regex::new(&login.avoided().unwrap()).unwrap();
        for (url, is) in [
            ("http://a.example/logout", true),
            ("https://x.a.example/user/sign-out?next=/", true),
            ("https://a.example/?action=LogOff", true),
            ("https://a.example/login", false),
            ("https://a.example/logouts-of-note", false),
            ("https://b.example/logout", false),
            ("https://xa.example/logout", false),
        ] {
            assert_eq!(avoided.is_match(url), is, "{url}");
        }
        let none = LoginOptions { avoid: Some(String::new()), ..login };
        assert_eq!(none.avoided(), None);
    }
}
