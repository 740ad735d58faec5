//! Values of tables as bytes in the order of the values.

use webmill_table::Value;

/// The value of a column in bytes whose order is that of the values; no value's bytes begin another's. Rows without a value come last, whichever order
/// is asked for.
pub fn key(value: &Value, descending: bool) -> Vec<u8> {
    let mut key = vec![u8::from(*value == Value::Null)];
    write_key(value, &mut key);
    if descending {
        key[1..].iter_mut().for_each(|byte| *byte = !*byte);
    }
    key
}

fn write_key(value: &Value, key: &mut Vec<u8>) {
    match value {
        Value::Null => {}
        Value::Bool(yes) => key.push(u8::from(*yes)),
        Value::Int(n) | Value::Millis(n) => key.extend_from_slice(&signed(*n)),
        Value::Float(x) => key.extend_from_slice(&float(*x)),
        Value::Text(text) => escaped(text.as_bytes(), key),
        Value::Bytes(bytes) => escaped(bytes, key),
        Value::Texts(list) => each(list, key, |text, key| escaped(text.as_bytes(), key)),
        Value::Floats(list) => each(list, key, |x, key| key.extend_from_slice(&float(f64::from(*x)))),
        Value::Ints(list) => each(list, key, |n, key| key.extend_from_slice(&signed(*n))),
    }
}

/// A list: 1 before each item, 0 at the end.
fn each<T>(list: &[T], key: &mut Vec<u8>, item: impl Fn(&T, &mut Vec<u8>)) {
    for one in list {
        key.push(1);
        item(one, key);
    }
    key.push(0);
}

fn escaped(bytes: &[u8], key: &mut Vec<u8>) {
    for byte in bytes {
        key.push(*byte);
        if *byte == 0 {
            key.push(255);
        }
    }
    key.extend_from_slice(&[0, 0]);
}

fn signed(n: i64) -> [u8; 8] {
    ((n as u64) ^ (1 << 63)).to_be_bytes()
}

/// By size; both zeros alike, all that is no number behind.
fn float(x: f64) -> [u8; 8] {
    let x = if x == 0.0 {
        0.0
    } else if x.is_nan() {
        f64::NAN.abs()
    } else {
        x
    };
    let bits = x.to_bits();
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    ordered.to_be_bytes()
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use proptest::prelude::*;

    fn check(a: &Value, b: &Value, want: Ordering) -> Result<(), TestCaseError> {
        let (one, two) = (key(a, false), key(b, false));
        prop_assert_eq!(one.cmp(&two), want, "{:?} {:?}", a, b);
        prop_assert_eq!(key(a, true).cmp(&key(b, true)), want.reverse());
        // No key begins another, so that the number of the row behind it decides nothing but ties.
        prop_assert!(want == Ordering::Equal || !one.starts_with(&two) && !two.starts_with(&one));
        for descending in [false, true] {
            prop_assert!(key(&Value::Null, descending) > key(a, descending), "nulls are last");
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn keys_have_the_order_of_values(
            a: i64, b: i64, x in prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::INFINITE, y: f64,
            s in "[\0a\u{1}]{0,4}", t in "[\0a\u{1}]{0,4}",
            l in prop::collection::vec("[\0a]{0,2}", 0..3), m in prop::collection::vec("[\0a]{0,2}", 0..3),
            n in prop::collection::vec(any::<i64>(), 0..3), o in prop::collection::vec(any::<i64>(), 0..3),
        ) {
            check(&Value::Int(a), &Value::Int(b), a.cmp(&b))?;
            check(&Value::Millis(a), &Value::Millis(b), a.cmp(&b))?;
            if !y.is_nan() {
                check(&Value::Float(x), &Value::Float(y), x.partial_cmp(&y).unwrap())?;
            }
            check(&Value::Text(s.clone()), &Value::Text(t.clone()), s.cmp(&t))?;
            let (s, t) = (s.into_bytes(), t.into_bytes());
            check(&Value::Bytes(s.clone()), &Value::Bytes(t.clone()), s.cmp(&t))?;
            check(&Value::Texts(l.clone()), &Value::Texts(m.clone()), l.cmp(&m))?;
            check(&Value::Ints(n.clone()), &Value::Ints(o.clone()), n.cmp(&o))?;
        }
    }

    #[test]
    fn what_is_no_number_comes_behind_all_numbers() {
        let of = |x| key(&Value::Float(x), false);
        assert!(of(f64::NAN) > of(f64::INFINITY) && of(-f64::NAN) == of(f64::NAN) && of(-0.0) == of(0.0));
        let list = |x| key(&Value::Floats(vec![x]), false);
        assert!(list(-1.5) < list(0.25));
        assert!(key(&Value::Bool(false), false) < key(&Value::Bool(true), false));
    }
}
