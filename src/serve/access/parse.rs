//! Reads files of access rules. A rule that cannot be read refuses the file: a rule that is lost lets somebody in.

use serde_json::{Map, Value};
use webmill_capture::cut::Cut;

use crate::index::Timestamp;
use crate::index::query::{KeyOf, MatchType, key_range};
use webmill_capture::date::{format_14, parse_any};
use webmill_capture::{Error, Result};

use super::{Access, AccessRules, Period, Rule};

impl AccessRules {
    /// Reads rules in pywb's form, a line each.
    ///
    /// # Errors
    /// [`Error::Config`] with the number of the line that cannot be read.
    pub fn parse_aclj(text: &str) -> Result<AccessRules> {
        let mut rules = AccessRules::default();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            let bad = |why: &str| Error::Config(format!("line {} of the access rules: {why}", number + 1));
            let json = line.find('{').ok_or_else(|| bad("no JSON object"))?;
            let mut words = line.cut(..json).split_ascii_whitespace();
            let key = words.next().ok_or_else(|| bad("no key"))?;
            let object: Map<String, Value> =
                serde_json::from_str(line.cut(json..)).map_err(|error| bad(&error.to_string()))?;
            let rule = aclj_rule(&object).map_err(|why| bad(&why))?;
            match key.strip_suffix("###") {
                Some(key) => rules.insert(key, true, rule),
                None if key == "*," || key == "*" => rules.insert("", false, rule),
                None => rules.insert(key, false, rule),
            }
        }
        Ok(rules)
    }

    /// Reads rules as OutbackCDX has them: an array of rules, or an object with `rules` and `policies`.
    ///
    /// # Errors
    /// [`Error::Config`] with the number of the rule that cannot be read.
    pub fn parse_json(text: &str, key: KeyOf) -> Result<AccessRules> {
        let bad = |why: String| Error::Config(format!("access rules: {why}"));
        let document: Value = serde_json::from_str(text).map_err(|error| bad(error.to_string()))?;
        let none = Vec::new();
        let list = |name: &str| document.get(name).and_then(Value::as_array).unwrap_or(&none);
        let (all, policies) = match &document {
            Value::Array(all) => (all, &none),
            _ => (list("rules"), list("policies")),
        };
        let mut rules = AccessRules::default();
        for (number, rule) in all.iter().enumerate() {
            let bad = |why: String| bad(format!("rule {}: {why}", number + 1));
            let object = rule.as_object().ok_or_else(|| bad("no object".to_owned()))?;
            if object.get("enabled") == Some(&Value::Bool(false)) {
                continue;
            }
            let read = json_rule(object, policies).map_err(bad)?;
            let mut patterns = 0;
            for name in ["urlPatterns", "surts"] {
                for pattern in object.get(name).and_then(Value::as_array).unwrap_or(&none) {
                    let pattern = pattern.as_str().ok_or_else(|| bad(format!("{pattern} is no pattern")))?;
                    insert_pattern(&mut rules, pattern, &read, key).map_err(bad)?;
                    patterns += 1;
                }
            }
            if patterns == 0 {
                return Err(bad("no urlPatterns".to_owned()));
            }
        }
        Ok(rules)
    }
}

type Read<T> = std::result::Result<T, String>;

fn access(word: &str) -> Read<Access> {
    [Access::Allow, Access::AllowIgnoreEmbargo, Access::Block, Access::Exclude]
        .into_iter()
        .find(|access| access.name() == word)
        .ok_or_else(|| format!("{word:?} is not one of allow, allow_ignore_embargo, block, exclude"))
}

fn aclj_rule(object: &Map<String, Value>) -> Read<Rule> {
    let text = |name: &str| object.get(name).and_then(Value::as_str);
    let bound = |name: &str, fill: char| -> Read<Option<Timestamp>> {
        let Some(value) = object.get(name) else { return Ok(None) };
        let digits = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        padded(&digits, fill).map(Some).ok_or_else(|| format!("{name}: {value} is no timestamp"))
    };
    Ok(Rule {
        access: access(text("access").ok_or("no access")?)?,
        user: text("user").map(str::to_owned),
        captured: (bound("after", '0')?, bound("before", '9')?),
        older: object.get("older").map(period).transpose()?,
        newer: object.get("newer").map(period).transpose()?,
        message: text("message").map(str::to_owned),
        ..Rule::default()
    })
}

fn json_rule(object: &Map<String, Value>, policies: &[Value]) -> Read<Rule> {
    let mut rule = Rule {
        access: Access::Exclude,
        captured: range(object.get("captured"))?,
        accessed: range(object.get("accessed"))?,
        newer: object.get("period").filter(|period| !period.is_null()).map(period).transpose()?,
        message: object.get("publicMessage").and_then(Value::as_str).map(str::to_owned),
        ..Rule::default()
    };
    if let Some(word) = object.get("access").and_then(Value::as_str) {
        rule.access = access(word)?;
        return Ok(rule);
    }
    let id = object.get("policyId").ok_or("neither access nor policyId")?;
    let id = id.to_string();
    // Numbers, and numbers as text.
    let same = |policy: &&Value| {
        policy.get("id").is_some_and(|of| of.to_string().trim_matches('"') == id.trim_matches('"'))
    };
    let policy = policies.iter().find(same).ok_or_else(|| format!("no policy has the id {id}"))?;
    let points = policy.get("accessPoints").and_then(Value::as_array);
    let points = points.into_iter().flatten().filter_map(Value::as_str);
    // The policy says who is let in: for everybody else there is nothing.
    rule.not_points = points.map(str::to_owned).collect();
    Ok(rule)
}

fn insert_pattern(rules: &mut AccessRules, pattern: &str, rule: &Rule, key: KeyOf) -> Read<()> {
    let (url, match_type) = match (pattern.strip_prefix("*."), pattern.strip_suffix('*')) {
        (Some(domain), _) => (domain.trim_end_matches('*'), MatchType::Domain),
        (None, Some("")) => {
            rules.insert("", false, rule.clone());
            return Ok(());
        }
        (None, Some(url)) => (url, MatchType::Prefix),
        // A key without a URL in it is a prefix of keys.
        (None, None) if !pattern.contains("://") && pattern.contains([',', ')']) => {
            rules.insert(pattern.trim_start_matches('('), false, rule.clone());
            return Ok(());
        }
        (None, None) => (pattern, MatchType::Exact),
    };
    let range = key_range(url, match_type, key).ok_or_else(|| format!("{pattern:?} has no host"))?;
    match match_type {
        MatchType::Domain => {
            let domain = range.from.trim_end_matches('/').trim_end_matches(')');
            rules.insert(&format!("{domain},"), false, rule.clone());
        }
        MatchType::Prefix => rules.insert(&range.from, false, rule.clone()),
        _ => rules.insert(&range.from, true, rule.clone()),
    }
    Ok(())
}

fn padded(digits: &str, fill: char) -> Option<Timestamp> {
    if digits.is_empty() || digits.len() > 14 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut digits = digits.to_owned();
    while digits.len() < 14 {
        digits.push(fill);
    }
    digits.parse().ok().map(Timestamp)
}

fn period(value: &Value) -> Read<Period> {
    let object = value.as_object().ok_or_else(|| format!("{value} is no period"))?;
    let part = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(0),
        Some(part) => part.as_u64().ok_or_else(|| format!("{name}: {part} is no number")),
    };
    Ok(Period { years: part("years")?, months: part("months")?, days: part("days")? })
}

/// `{"start": …, "end": …}` with dates as ISO 8601 writes them, or fourteen digits.
fn range(value: Option<&Value>) -> Read<(Option<Timestamp>, Option<Timestamp>)> {
    let part = |name: &str| -> Read<Option<Timestamp>> {
        match value.and_then(|value| value.get(name)) {
            None | Some(Value::Null) => Ok(None),
            Some(date) => {
                let ms =
                    date.as_str().and_then(parse_any).ok_or_else(|| format!("{name}: {date} is no date"))?;
                Ok(format_14(ms).parse().ok().map(Timestamp))
            }
        }
    };
    Ok((part("start")?, part("end")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Client;

    fn see(rules: &AccessRules, key: &str, time: u64, user: &str) -> &'static str {
        let who = Client { user: user.to_owned(), point: String::new(), now: Timestamp(20200601000000) };
        rules.of(key, Timestamp(time), &who).access.name()
    }

    #[test]
    fn the_longest_prefix_whose_conditions_hold_decides() {
        let rules = AccessRules::parse_aclj(
            "org,iana)/exact### - {\"access\": \"block\"}\n\
             org,iana)/about - {\"access\": \"block\"}\n\
             org,iana)/about - {\"access\": \"allow\", \"user\": \"staff\"}\n\
             \n\
             org,iana)/early - {\"access\": \"exclude\", \"before\": \"2014\"}\n\
             org,iana)/young - {\"access\": \"exclude\", \"newer\": {\"years\": 1, \"months\": 6}}\n\
             com,example, - {\"access\": \"exclude\"}\n\
             *, - {\"access\": \"allow_ignore_embargo\"}\n",
        )
        .unwrap();
        for (key, time, user, want) in [
            ("org,iana)/exact", 2014, "", "block"),
            ("org,iana)/exact/not", 2014, "", "allow_ignore_embargo"),
            ("org,iana)/about", 2014, "", "block"),
            ("org,iana)/about/us", 2014, "guest", "block"),
            ("org,iana)/about", 2014, "staff", "allow"),
            ("org,iana)/early", 20141231235959, "", "exclude"),
            ("org,iana)/early", 20150101000000, "", "allow_ignore_embargo"),
            ("org,iana)/young", 20181201000000, "", "exclude"),
            ("org,iana)/young", 20181130235959, "", "allow_ignore_embargo"),
            ("com,example)/", 2014, "", "exclude"),
            ("com,example,www2)/x", 2014, "", "exclude"),
            ("com,examples)/", 2014, "", "allow_ignore_embargo"),
            ("é", 2014, "", "allow_ignore_embargo"),
        ] {
            assert_eq!(see(&rules, key, time, user), want, "{key} {time} {user}");
        }
    }

    #[test]
    fn rules_of_outbackcdx_let_in_whom_their_policy_names() {
        let key: KeyOf = |url| {
            let (host, path) = url.trim_start_matches("http://").split_once('/').unwrap_or((url, ""));
            let labels: Vec<&str> = host.split('.').rev().collect();
            format!("{})/{path}", labels.join(","))
        };
        let rules = AccessRules::parse_json(
            r#"{"policies": [{"id": 4, "name": "Staff only", "accessPoints": ["staff"]}],
                "rules": [
                  {"policyId": 4, "urlPatterns": ["*.example.org", "http://a.org/foo/*"], "publicMessage": "not yet",
                   "captured": {"start": "2015-08-01T01:00:00+1000", "end": null},
                   "accessed": {"end": "2021-01-01T00:00:00Z"}},
                  {"access": "block", "surts": ["org,b)/x"], "period": {"months": 1}},
                  {"access": "block", "urlPatterns": ["http://c.org/only"], "enabled": false}]}"#,
            key,
        )
        .unwrap();
        let see = |key: &str, time, point: &str, now| {
            let who = Client { user: String::new(), point: point.to_owned(), now: Timestamp(now) };
            let verdict = rules.of(key, Timestamp(time), &who);
            (verdict.access.name(), verdict.message.map(str::to_owned))
        };
        let hidden = ("exclude", Some("not yet".to_owned()));
        assert_eq!(see("org,example,www)/", 20160101000000, "public", 20200601000000), hidden);
        assert_eq!(see("org,example)/", 20160101000000, "", 20200601000000), hidden);
        assert_eq!(see("org,a)/foo/x", 20160101000000, "", 20200601000000), hidden);
        assert_eq!(see("org,a)/food", 20160101000000, "", 20200601000000).0, "allow");
        assert_eq!(see("org,example)/", 20160101000000, "staff", 20200601000000).0, "allow");
        assert_eq!(see("org,example)/", 20150731000000, "", 20200601000000).0, "allow");
        assert_eq!(see("org,example)/", 20160101000000, "", 20210601000000).0, "allow");
        assert_eq!(see("org,b)/xy", 20200515000000, "", 20200601000000).0, "block");
        assert_eq!(see("org,b)/xy", 20200415000000, "", 20200601000000).0, "allow");
        assert_eq!(see("org,c)/only", 20200415000000, "", 20200601000000).0, "allow");
    }

    #[test]
    fn a_rule_that_cannot_be_read_refuses_its_file() {
        for text in [
            "org,a)/ -",
            "org,a)/ - {\"access\": \"perhaps\"}",
            "org,a)/ - {\"user\": \"x\"}",
            "org,a)/ - {\"access\": \"allow\", \"before\": \"yesterday\"}",
            "org,a)/ - {\"access\": \"allow\", \"older\": 3}",
        ] {
            let error =
                AccessRules::parse_aclj(&format!("*, - {{\"access\": \"allow\"}}\n{text}")).unwrap_err();
            assert!(error.to_string().contains("line 2"), "{error}");
        }
        let key: KeyOf = str::to_owned;
        for text in [
            "{",
            "[3]",
            "[{\"access\": \"block\"}]",
            "[{\"policyId\": 9, \"urlPatterns\": [\"*\"]}]",
            "[{\"urlPatterns\": [\"*\"]}]",
            "[{\"access\": \"block\", \"urlPatterns\": [\"*\"], \"captured\": {\"start\": \"never\"}}]",
        ] {
            assert!(AccessRules::parse_json(text, key).is_err(), "{text}");
        }
    }

    #[test]
    fn rules_of_pywb_are_read() {
        let Some(archives) = webmill_evaluation::archive("archives") else { return };
        let mut files = 0;
        let folder = ["pywb/access", "archives/pywb/access"].map(|path| archives.path().join(path));
        for entry in folder.iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten()) {
            let path = entry.unwrap().path();
            AccessRules::parse_aclj(&std::fs::read_to_string(&path).unwrap()).unwrap();
            files += 1;
        }
        assert!(files >= 11, "{files}");
    }
}
