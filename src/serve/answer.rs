//! Answers: whole ones and refusals.

use axum::body::Body;
use axum::response::Response;
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};

use webmill_capture::Error;

/// Why there is no answer, for the client.
#[derive(Debug)]
pub struct Refusal {
    /// HTTP status of the refusal.
    pub status: StatusCode,
    /// Why, in words.
    pub message: String,
    /// The word of `[replay]` that tells people why a capture cannot be shown, where there is more to say than that it is not there.
    pub reason: Option<&'static str>,
}

/// Goes with the plain text of a refusal, for who makes a page of it.
#[derive(Debug, Clone)]
pub struct Refused(pub String);

impl Refusal {
    pub fn new(status: StatusCode, message: impl Into<String>) -> Refusal {
        Refusal { status, message: message.into(), reason: None }
    }

    pub fn bad(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    pub fn not_found(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }

    /// The refusal as an answer in plain text.
    pub fn into_text(self) -> Response {
        let mut response = text(self.status, format!("{}\n", self.message));
        retry(self.status, &mut response);
        response.extensions_mut().insert(Refused(self.message));
        response
    }

    /// As pywb's queries say it.
    pub fn into_json(self) -> Response {
        let body = serde_json::json!({ "message": self.message }).to_string();
        let mut response = whole(self.status, "application/json; charset=utf-8", body);
        retry(self.status, &mut response);
        response
    }
}

impl From<crate::index::query::BadRequest> for Refusal {
    fn from(error: crate::index::query::BadRequest) -> Self {
        Refusal::bad(error.0)
    }
}

/// A failure of ours. Paths of this machine stay here: the client learns the file's name.
impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let name = |path: &std::path::Path| {
            path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        match error {
            Error::Io { path, source } if source.kind() == std::io::ErrorKind::NotFound => {
                Refusal::not_found(format!("the archive file {} is not there", name(&path)))
            }
            Error::Io { path, source } => Refusal::new(
                StatusCode::SERVICE_UNAVAILABLE,
                format!("{} cannot be read: {}", name(&path), source.kind()),
            ),
            Error::Corrupt { path, offset, reason, .. } => {
                Refusal::not_found(format!("{} at byte {offset}: {reason}", name(&path)))
            }
            Error::Limit(why) => Refusal::new(StatusCode::SERVICE_UNAVAILABLE, why),
            Error::Config(why) | Error::Refused(why) => Refusal::bad(why),
            error => Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        }
    }
}

fn retry(status: StatusCode, response: &mut Response) {
    if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
    }
}

/// A whole answer.
pub fn whole(status: StatusCode, media_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Plain text.
pub fn text(status: StatusCode, body: String) -> Response {
    whole(status, "text/plain; charset=utf-8", body)
}

/// Sets a header to what may come from an archive; a value that cannot be one is left out.
pub fn set(response: &mut Response, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
}
