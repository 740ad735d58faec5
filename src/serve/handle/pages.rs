//! Pages for people.

use axum::response::Response;
use http::StatusCode;

use super::{Shared, html};
use crate::answer::Refusal;

/// The list of collections.
pub fn root(shared: &Shared) -> Response {
    let mut body = String::from("<!DOCTYPE html>\n<title>Collections</title>\n<ul>\n");
    for collection in shared.archive.collections() {
        // Names are letters, digits, '-', '_' and '.'.
        body.push_str(&format!("<li><a href=\"/{0}/\">{0}</a>\n", collection.name));
    }
    body.push_str("</ul>\n");
    html(StatusCode::OK, body)
}

/// A page of a collection: `rest` is what follows `/{collection}/`, both as sent.
pub fn site_page(
    shared: &Shared,
    collection: &str,
    rest: &str,
    _query: Option<&str>,
) -> Result<Response, Refusal> {
    let collection = shared.collection(collection)?;
    if !rest.is_empty() {
        return Err(Refusal::not_found("nothing is here"));
    }
    let name = &collection.name;
    Ok(html(
        StatusCode::OK,
        format!(
            "<!DOCTYPE html>\n<title>{name}</title>\n<h1>{name}</h1>\n<form action=\"/{name}/cdx\">\
             <input name=\"url\"><input type=\"hidden\" name=\"output\" value=\"json\"><button>Captures</button></form>\n"
        ),
    ))
}
