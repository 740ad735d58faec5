//! The values in a JSON document, by the name nearest to each.

use std::collections::HashMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::MAX_QUERY;
use super::body::push_quoted;

/// `name=value` of each value with a name; `None` where the text is neither JSON nor a document of JSON on every line.
pub(super) fn query(body: &[u8]) -> Option<String> {
    let documents = match serde_json::from_slice::<Json>(body) {
        Ok(document) => vec![document],
        Err(_) => {
            let body = body.strip_suffix(b"\n").unwrap_or(body);
            body.split(|b| *b == b'\n').map(serde_json::from_slice).collect::<Result<Vec<Json>, _>>().ok()?
        }
    };
    let mut seen = HashMap::new();
    let mut out = String::new();
    for document in &documents {
        push("", document, &mut seen, &mut out);
    }
    Some(out)
}

/// A document, whose depth the parser bounds.
enum Json {
    /// As the reference writes it.
    Value(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

fn push<'j>(name: &'j str, json: &'j Json, seen: &mut HashMap<&'j str, u64>, out: &mut String) {
    if out.len() > MAX_QUERY {
        return;
    }
    match json {
        Json::List(list) => list.iter().for_each(|item| push(name, item, seen, out)),
        Json::Object(fields) => fields.iter().for_each(|(name, value)| push(name, value, seen, out)),
        Json::Value(_) if name.is_empty() => {}
        Json::Value(value) => {
            if !out.is_empty() {
                out.push('&');
            }
            push_quoted(name.as_bytes(), out);
            let nth = seen.entry(name).or_insert(0);
            *nth += 1;
            if *nth > 1 {
                out.push_str(&format!(".{nth}_"));
            }
            out.push('=');
            push_quoted(value.as_bytes(), out);
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Value(if value { "True" } else { "False" }.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Value("None".to_owned()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Value(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Value(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Value(float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Value(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut fields: Vec<(String, Json)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        while let Some((name, value)) = map.next_entry::<String, Json>()? {
            match places.get(&name) {
                // The last one of a name counts, at the place of the first.
                Some(place) => fields[*place].1 = value,
                None => {
                    places.insert(name.clone(), fields.len());
                    fields.push((name, value));
                }
            }
        }
        Ok(Json::Object(fields))
    }
}

/// The shortest digits that give the number again; an exponent from 1e16 and below 1e-4.
fn float(value: f64) -> String {
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{value}");
    if plain.contains('.') { plain } else { format!("{plain}.0") }
}
