//! Settings: what a user may choose, each written once.
//!
//! **Who calls this.** Whoever has settings declares them by `settings!`; recipes read them, `webmill_jobs::recipe` checks them, and
//! `docs/settings.md` is made of [`settings_of`].
//!
//! **What.** A line of the macro has documentation, name, type, default and range of a setting. The struct, its default, its reading and
//! writing by serde (an unknown name is an error) and the check of ranges follow.

use std::fmt::{Debug, Display};
use std::marker::PhantomData;
use std::ops::RangeBounds;

use serde::de::{Deserialize, Deserializer, Visitor};

use crate::{Error, Result};

/// A group of settings, as `settings!` makes it.
pub trait SettingGroup {
    /// Appends its settings, in the order of their declaration, with `prefix` before their names.
    fn describe(prefix: &str, into: &mut Vec<Setting>);

    /// Refuses values outside of their declared ranges.
    ///
    /// # Errors
    /// [`Error::Config`] that names setting, value and range.
    fn check_ranges(&self, prefix: &str) -> Result<()>;
}

/// One setting, for its documentation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Name within its table of a recipe: `limits.max_depth`; `sites[].match` for a field of each entry of a list.
    pub path: String,
    /// The sentences of its declaration.
    pub about: String,
    /// The words that it takes, where it takes one of a few.
    pub words: &'static [&'static str],
    /// Its range, as `0 to 1`; empty where any value of its type will do.
    pub range: String,
}

/// All settings of a group.
pub fn settings_of<G: SettingGroup>() -> Vec<Setting> {
    let mut settings = Vec::new();
    G::describe("", &mut settings);
    settings
}

/// Refuses a number outside of a range that is written as `0..=1`.
///
/// # Errors
/// [`Error::Config`] that names setting, value and range.
pub fn within<T: PartialOrd + Display + Debug>(
    name: &str,
    value: T,
    range: impl RangeBounds<T> + Debug,
) -> Result<()> {
    if range.contains(&value) {
        Ok(())
    } else {
        Err(Error::Config(format!("{name} = {value} is not within {range:?}")))
    }
}

/// Declares a group of settings: a struct whose fields have documentation, a default and perhaps a range. With `part` before it, a group
/// that stands flattened in another one, which refuses unknown names itself.
///
/// # Examples
/// ```
/// use webmill_capture::settings::{SettingGroup, settings_of};
///
/// webmill_capture::settings! {
///     /// How tea is made.
///     #[derive(PartialEq)]
///     pub struct Tea {
///         /// Minutes in hot water.
///         pub minutes: f64 = 3.0, within 0.5..=10.0;
///         /// With milk.
///         pub milk: bool = false;
///     }
/// }
///
/// assert_eq!(Tea::default(), Tea { minutes: 3.0, milk: false });
/// assert_eq!(settings_of::<Tea>()[0].range, "0.5 to 10.0");
/// let error = Tea { minutes: 11.0, milk: true }.check_ranges("").unwrap_err();
/// assert_eq!(error.to_string(), "minutes = 11 is not within 0.5..=10.0");
/// ```
#[macro_export]
macro_rules! settings {
    (part $($rest:tt)*) => {
        $crate::settings!(@with [default] $($rest)*);
    };
    (@with [$($reading:tt)*] $(#[$outer:meta])* pub struct $name:ident {
        $($(#[doc = $doc:literal])+ $(#[serde($($how:tt)+)])? $seen:vis $field:ident: $kind:ty = $default:expr $(, within $range:expr)?;)*
    }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, ::serde::Serialize, ::serde::Deserialize)]
        #[serde($($reading)*)]
        pub struct $name {
            $($(#[doc = $doc])+ $(#[serde($($how)+)])? $seen $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($field: $default,)* }
            }
        }

        impl $crate::settings::SettingGroup for $name {
            #[allow(unused_variables)]
            fn describe(prefix: &str, into: &mut Vec<$crate::settings::Setting>) {
                #[allow(unused_imports)]
                use $crate::settings::of_kind::{DescribeGroup as _, DescribeGroups as _, DescribeNothing as _, DescribeValue as _};
                $({
                    let serde: &str = concat!("", $(stringify!($($how)+))?);
                    if !$crate::settings::of_kind::is_hidden(serde) {
                        let setting = $crate::settings::Setting {
                            path: format!("{prefix}{}", $crate::settings::of_kind::name(stringify!($field), serde)),
                            about: concat!($($doc),+).trim().to_owned(),
                            words: &[],
                            range: String::new() $(+ &$crate::settings::of_kind::in_words(&$name::default().$field, $range))?,
                        };
                        (&&&&$crate::settings::of_kind::Kind::<$kind>::default()).describe(setting, into);
                    }
                })*
            }

            #[allow(unused_variables)]
            fn check_ranges(&self, prefix: &str) -> $crate::Result<()> {
                #[allow(unused_imports)]
                use $crate::settings::of_kind::{DescribeGroup as _, DescribeGroups as _, DescribeNothing as _, DescribeValue as _};
                $(
                    (&&&&$crate::settings::of_kind::Kind::<$kind>::default())
                        .check(&self.$field, &format!("{prefix}{}.", stringify!($field)))?;
                    $($crate::settings::within(&format!("{prefix}{}", stringify!($field)), self.$field, $range)?;)?
                )*
                Ok(())
            }
        }
    };
    ($($rest:tt)*) => {
        $crate::settings!(@with [default, deny_unknown_fields] $($rest)*);
    };
}

/// What `settings!` needs of the type of a setting: a group within the group, a list of groups, or a value. The compiler chooses the
/// first trait that fits by the number of references that it takes off.
#[doc(hidden)]
pub mod of_kind {
    use std::ops::Bound;

    use super::{Debug, Deserialize, PhantomData, RangeBounds, Result, Setting, SettingGroup, words_of};

    /// The type of a setting.
    pub struct Kind<T>(PhantomData<T>);

    impl<T> Default for Kind<T> {
        fn default() -> Self {
            Kind(PhantomData)
        }
    }

    /// Describes a group of settings.
    pub trait DescribeGroup<T> {
        fn describe(&self, setting: Setting, into: &mut Vec<Setting>);
        fn check(&self, value: &T, prefix: &str) -> Result<()>;
    }

    impl<T: SettingGroup> DescribeGroup<T> for &&&Kind<T> {
        fn describe(&self, setting: Setting, into: &mut Vec<Setting>) {
            // A flattened group has the prefix of the group around it.
            let flat = setting.path.is_empty() || setting.path.ends_with('.');
            T::describe(&if flat { setting.path } else { setting.path + "." }, into);
        }

        fn check(&self, value: &T, prefix: &str) -> Result<()> {
            value.check_ranges(prefix)
        }
    }

    /// A list of groups.
    pub trait DescribeGroups<T> {
        fn describe(&self, setting: Setting, into: &mut Vec<Setting>);
        fn check(&self, value: &[T], prefix: &str) -> Result<()>;
    }

    impl<T: SettingGroup> DescribeGroups<T> for &&Kind<Vec<T>> {
        fn describe(&self, setting: Setting, into: &mut Vec<Setting>) {
            let prefix = format!("{}[].", setting.path);
            into.push(setting);
            T::describe(&prefix, into);
        }

        fn check(&self, value: &[T], prefix: &str) -> Result<()> {
            value.iter().try_for_each(|group| group.check_ranges(prefix))
        }
    }

    /// Describes the value of a setting.
    pub trait DescribeValue<T> {
        fn describe(&self, setting: Setting, into: &mut Vec<Setting>);
        fn check(&self, _: &T, _: &str) -> Result<()> {
            Ok(())
        }
    }

    impl<T: for<'de> Deserialize<'de>> DescribeValue<T> for &Kind<T> {
        fn describe(&self, setting: Setting, into: &mut Vec<Setting>) {
            // What takes all other names is no setting.
            if !setting.path.is_empty() {
                into.push(Setting { words: words_of::<T>(), ..setting });
            }
        }
    }

    /// What no recipe can hold: a field that only code sets.
    pub trait DescribeNothing<T> {
        fn describe(&self, _: Setting, _: &mut Vec<Setting>) {}
        fn check(&self, _: &T, _: &str) -> Result<()> {
            Ok(())
        }
    }

    impl<T> DescribeNothing<T> for Kind<T> {}

    /// The name of a field in recipes; none of a flattened one.
    pub fn name<'a>(field: &'a str, serde: &'a str) -> &'a str {
        if serde.starts_with("flatten") {
            return "";
        }
        serde.split("rename = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or(field)
    }

    /// A range, whose type is that of the setting.
    pub fn in_words<T: Debug>(_: &T, range: impl RangeBounds<T>) -> String {
        let end = |bound: Bound<&T>| match bound {
            Bound::Included(value) => format!("{value:?}"),
            Bound::Excluded(value) => format!("below {value:?}"),
            Bound::Unbounded => "any".to_owned(),
        };
        format!("{} to {}", end(range.start_bound()), end(range.end_bound()))
    }

    /// Whether recipes cannot set a field.
    pub fn is_hidden(serde: &str) -> bool {
        serde == "skip" || serde.contains("skip_deserializing")
    }
}

/// The words that a type takes: the variants of an enum, nothing for others.
fn words_of<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    let mut words: &'static [&'static str] = &[];
    // Fails with every type, and has been told the variants by then.
    let _ = T::deserialize(KeyRecorder(&mut words));
    words
}

/// A value that is no value: it only hears what it is asked for.
struct KeyRecorder<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for KeyRecorder<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> std::result::Result<V::Value, Self::Error> {
        Err(serde::de::Error::custom("no value"))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> std::result::Result<V::Value, Self::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> std::result::Result<V::Value, Self::Error> {
        *self.0 = variants;
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Leaf {
        Black,
        GreenTea,
    }

    settings! {
        /// A cup of a list.
        pub struct Cup {
            /// Its size, ml.
            pub size: u32 = 200, within 50..=1000;
        }
    }

    settings! {
        /// How tea is made.
        pub struct Tea {
            /// What leaves.
            /// Two lines.
            leaf: Option<Leaf> = None;
            /// One cup for whoever comes late.
            spare: Cup = Cup::default();
            /// Cups on the table.
            cups: Vec<Cup> = Vec::new();
            /// Written otherwise in recipes.
            #[serde(rename = "type")]
            kind: String = "tea".into();
            /// Read from elsewhere.
            #[serde(skip)]
            seen: bool = false;
        }
    }

    #[test]
    fn settings_are_declared_once() {
        let of = |path: &str, about: &str, words: &'static [&'static str], range: &str| Setting {
            path: path.into(),
            about: about.into(),
            words,
            range: range.into(),
        };
        assert_eq!(
            settings_of::<Tea>(),
            [
                of("leaf", "What leaves. Two lines.", &["black", "green-tea"], ""),
                of("spare.size", "Its size, ml.", &[], "50 to 1000"),
                of("cups", "Cups on the table.", &[], ""),
                of("cups[].size", "Its size, ml.", &[], "50 to 1000"),
                of("type", "Written otherwise in recipes.", &[], ""),
            ]
        );
        let read: Tea =
            serde_json::from_str(r#"{"leaf": "green-tea", "cups": [{"size": 10}], "type": "x"}"#).unwrap();
        assert_eq!((read.leaf, read.kind.as_str(), read.seen), (Some(Leaf::GreenTea), "x", false));
        let error = read.check_ranges("").unwrap_err().to_string();
        assert_eq!(error, "cups.size = 10 is not within 50..=1000");
        assert!(serde_json::from_str::<Tea>(r#"{"sugar": 1}"#).unwrap_err().to_string().contains("sugar"));
        assert!(Tea { cups: vec![Cup::default()], ..Tea::default() }.check_ranges("").is_ok());
    }
}
