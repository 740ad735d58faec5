//! Who we are to a host: basic authentication or a bearer token.
//!
//! Reference: RFC 7617 (basic), RFC 6750 (bearer).

use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::secret::Secret;
use webmill_capture::error::{Error, Result};

/// An account of a host: `user` with `password`, or `token`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Account {
    /// Name of the user; may be empty, may not hold a colon.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Password of the user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
    /// Token sent as `Authorization: Bearer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
}

impl Account {
    /// The account of `user:password`.
    pub(crate) fn basic(text: &str) -> Account {
        let (user, password) = text.split_once(':').unwrap_or((text, ""));
        Account { user: Some(user.to_owned()), password: Some(password.into()), token: None }
    }

    /// Whether it can work, as far as that shows without its secrets.
    ///
    /// # Errors
    /// [`Error::Config`].
    pub(crate) fn check(&self, host: &str) -> Result<()> {
        match (&self.user, &self.password, &self.token) {
            (Some(user), Some(password), None) if !user.contains(':') => {
                password.check(&format!("password of {host}"))
            }
            (None, None, Some(token)) => token.check(&format!("token of {host}")),
            _ => Err(Error::Config(format!(
                "{host} needs user (without a colon) and password, or token alone"
            ))),
        }
    }

    /// The value of the Authorization header.
    pub(super) fn authorization(&self, host: &str) -> Result<String> {
        self.check(host)?;
        let value = match (&self.user, &self.password, &self.token) {
            (_, _, Some(token)) => {
                format!("Bearer {}", token.reveal(&format!("token of {host}"))?)
            }
            (user, Some(password), _) => {
                let password = password.reveal(&format!("password of {host}"))?;
                basic(format!("{}:{password}", user.as_deref().unwrap_or_default()).as_bytes())
            }
            _ => return Err(Error::Internal("an account was not checked".into())),
        };
        if value.bytes().any(|b| b < b' ' || b == 0x7f) {
            return Err(Error::Config(format!("the secret of {host} holds control characters")));
        }
        Ok(value)
    }
}

/// `user:password` as the value of an Authorization header.
pub(super) fn basic(account: &[u8]) -> String {
    format!("Basic {}", BASE64.encode(account))
}
