//! stub
/// stub
pub fn url_key(url: &str) -> String {
    crate::CanonicalUrl::parse(url).map_or_else(String::new, |u| u.surt())
}
