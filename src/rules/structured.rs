//! Paths into structured data: `Product.offers.price`.
//!
//! **Definition.** The first step is a type, without its vocabulary, several parted by `|`, or `*`: every object of
//! that type, at any depth. Each
//! further step is a property; arrays are looked through. A text where an object is wanted stands for its `name`, as schema.org
//! allows (`author: "Ann"` answers `Article.author.name`). The `properties` of microdata are no object of their own. Objects come out as JSON, in which child tags go on without a type.
//!
//! **Reference.** JSON-LD 1.1; HTML Living Standard, *Microdata*, the JSON form.

use serde_json::Value;

/// Objects inside of one another that are looked through.
const MAX_DEPTH: usize = 64;
/// Values that are looked at.
const MAX_VALUES: usize = 1_000_000;

/// A path of steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    steps: Vec<String>,
}

impl Path {
    /// Reads `Type.property.property`.
    ///
    /// # Errors
    /// That a step is empty.
    pub fn parse(source: &str) -> Result<Path, String> {
        let steps: Vec<String> = source.trim().split('.').map(|step| step.trim().to_owned()).collect();
        if steps.iter().any(String::is_empty) {
            return Err(format!("{source:?} is no path: Type.property.property is wanted"));
        }
        Ok(Path { steps })
    }

    /// The values of a page's items.
    pub fn in_items<'v>(&self, items: impl Iterator<Item = &'v Value>, max: usize) -> (Vec<String>, bool) {
        let mut found = FoundValues { out: Vec::new(), max, cut: false, left: MAX_VALUES };
        let Some((kind, properties)) = self.steps.split_first() else { return (Vec::new(), false) };
        for item in items {
            found.of_type(item, kind, properties);
        }
        (found.out, found.cut)
    }

    /// The values within an object that a parent tag found: all steps are properties.
    pub fn in_object(&self, object: &Value, max: usize) -> (Vec<String>, bool) {
        let mut found = FoundValues { out: Vec::new(), max, cut: false, left: MAX_VALUES };
        found.follow(object, &self.steps, 0);
        (found.out, found.cut)
    }
}

struct FoundValues {
    out: Vec<String>,
    max: usize,
    cut: bool,
    left: usize,
}

impl FoundValues {
    /// Every object of a type, outer before inner, without a stack of calls.
    fn of_type(&mut self, item: &Value, kind: &str, properties: &[String]) {
        let mut open = vec![item];
        while let Some(value) = open.pop() {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 {
                self.cut = true;
                return;
            }
            match value {
                Value::Array(values) => open.extend(values.iter().rev()),
                Value::Object(object) => {
                    if kind == "*" || is_of(value, kind) {
                        self.follow(value, properties, 0);
                    }
                    let values: Vec<&Value> = match microdata(value) {
                        Some(properties) => properties.values().collect(),
                        None => object.values().collect(),
                    };
                    open.extend(values.into_iter().rev());
                }
                _ => {}
            }
        }
    }

    fn follow(&mut self, value: &Value, steps: &[String], depth: usize) {
        self.left = self.left.saturating_sub(1);
        if self.out.len() >= self.max || self.left == 0 || depth > MAX_DEPTH {
            self.cut = true;
            return;
        }
        match (value, steps) {
            (Value::Array(values), _) => values.iter().for_each(|value| self.follow(value, steps, depth + 1)),
            (Value::Object(_), [step, rest @ ..]) => {
                if let Some(value) = property(value, step) {
                    self.follow(value, rest, depth + 1);
                }
            }
            (Value::Null, _) => {}
            (Value::String(text), []) => self.out.push(text.clone()),
            (Value::String(text), [step]) if step == "name" => self.out.push(text.clone()),
            (other, []) => self.out.push(other.to_string()),
            _ => {}
        }
    }
}

/// A property, of JSON-LD by its name, of the JSON form of microdata within `properties`.
fn property<'v>(object: &'v Value, name: &str) -> Option<&'v Value> {
    object.get(name).or_else(|| object.get("properties")?.get(name))
}

/// The properties of an item in the JSON form of microdata.
fn microdata(object: &Value) -> Option<&serde_json::Map<String, Value>> {
    object.get("properties")?.as_object().filter(|_| object.get("@type").is_none())
}

/// Whether an object is of a type, whatever vocabulary it is of.
fn is_of(object: &Value, kind: &str) -> bool {
    let bare = |text: &str| {
        text.rsplit(['/', '#', ':']).next().is_some_and(|name| kind.split('|').any(|kind| kind == name))
    };
    let is = |value: &Value| match value {
        Value::String(text) => bare(text),
        Value::Array(values) => values.iter().filter_map(Value::as_str).any(bare),
        _ => false,
    };
    object.get("@type").is_some_and(is)
        || (object.get("properties").is_some() && object.get("type").is_some_and(is))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, item: &str) -> Vec<String> {
        let item: Value = serde_json::from_str(item).unwrap();
        Path::parse(path).unwrap().in_items([item].iter(), 100).0
    }

    #[test]
    fn paths_look_through_arrays_graphs_and_vocabularies() {
        let product = r#"{"@context":"https://schema.org","@graph":[{"@type":["Product","Thing"],"name":"Kettle",
            "offers":[{"@type":"Offer","price":12.5},{"@type":"http://schema.org/Offer","price":"13"}],"brand":"K"}]}"#;
        assert_eq!(found("Product.offers.price", product), ["12.5", "13"]);
        assert_eq!(found("Offer.price", product), ["12.5", "13"]);
        assert_eq!(found("Product.brand.name", product), ["K"]);
        assert_eq!(found("Product.brand.url", product), [""; 0]);
        assert_eq!(found("*.name", product), ["Kettle"]);
        assert_eq!(found("Book|Product.name", product), ["Kettle"]);
        assert_eq!(found("Product.offers", product).len(), 2);
        let microdata = r#"{"type":["https://schema.org/Product"],"properties":{"name":["Kettle"]}}"#;
        assert_eq!(found("Product.name", microdata), ["Kettle"]);
        assert_eq!(found("*.name", microdata), ["Kettle"]);
        let nested =
            r#"{"properties":{"name":["a"],"seller":[{"type":["Person"],"properties":{"name":["b"]}}]}}"#;
        assert_eq!(found("*.name", nested), ["a", "b"]);
        let inner: Value = serde_json::from_str(&found("Product.offers", product)[0]).unwrap();
        assert_eq!(Path::parse("price").unwrap().in_object(&inner, 9).0, ["12.5"]);
    }

    #[test]
    fn depth_and_number_are_bounded() {
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(found("*.a", &format!(r#"{{"a":{deep}}}"#)), [""; 0]);
        let many = Value::Array(vec![serde_json::json!({"@type": "T", "a": 1}); 50]);
        assert!(Path::parse("T.a").unwrap().in_items([many].iter(), 10).1);
        assert!(Path::parse("A..b").is_err() && Path::parse("").is_err());
    }
}
