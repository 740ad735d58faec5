//! Text columns of a closed set of words: enums in Rust, UTF-8 text in the file.

use polars_arrow::array::{Array, Utf8ViewArray};

use crate::cell::{ArrayBox, Cell, optional_text_array, text_array, typed};
use crate::column_type::ColumnType;

/// An enum that tables hold as text. Declare one with [`text_enum!`](crate::text_enum).
pub trait TextEnum: Copy + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// Every variant.
    const VARIANTS: &'static [Self];
    /// The word of each variant, in the same order.
    const WORDS: &'static [&'static str];

    /// The word that stands in the file.
    fn as_str(self) -> &'static str;

    /// The variant of a word.
    fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().position(|w| *w == word).map(|i| Self::VARIANTS[i])
    }
}

/// Words are short and repeat: the last one is tried first.
fn variant<E: TextEnum>(word: &str, last: &mut Option<(E, &'static str)>) -> Result<E, String> {
    if let Some((variant, _)) = last.filter(|(_, known)| *known == word) {
        return Ok(variant);
    }
    let Some(variant) = E::from_word(word) else {
        let shown: String = word.chars().take(60).collect();
        return Err(format!("value {shown:?} is none of {}", E::WORDS.join(", ")));
    };
    *last = Some((variant, variant.as_str()));
    Ok(variant)
}

impl<E: TextEnum> Cell for E {
    const TYPE: ColumnType = ColumnType::String;
    const VALUES: &'static [&'static str] = E::WORDS;
    type Column = Vec<E>;
    type Ref<'a> = E;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        text_array(values.map(|v| v.as_str()))
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        let column: Utf8ViewArray = typed(array, false)?;
        let mut last = None;
        column.values_iter().map(|word| variant(word, &mut last)).collect()
    }
    fn get(column: &Self::Column, row: usize) -> E {
        column[row]
    }
    fn own(cell: E) -> Result<Self, String> {
        Ok(cell)
    }
}

impl<E: TextEnum> Cell for Option<E> {
    const TYPE: ColumnType = ColumnType::String;
    const NULLABLE: bool = true;
    const VALUES: &'static [&'static str] = E::WORDS;
    type Column = Vec<Option<E>>;
    type Ref<'a> = Option<E>;
    fn array<'a>(values: impl Iterator<Item = &'a Self>) -> ArrayBox {
        optional_text_array(values.map(|v| v.map(TextEnum::as_str)))
    }
    fn decode(array: &dyn Array) -> Result<Self::Column, String> {
        let column: Utf8ViewArray = typed(array, true)?;
        let mut last = None;
        column.iter().map(|word| word.map(|word| variant(word, &mut last)).transpose()).collect()
    }
    fn get(column: &Self::Column, row: usize) -> Option<E> {
        column[row]
    }
    fn own(cell: Option<E>) -> Result<Self, String> {
        Ok(cell)
    }
}

/// Declares an enum whose variants stand in text columns by their words, and implements [`TextEnum`] for it.
///
/// The first variant is the default. With `from OTHER` each variant is also converted from the variant of the same
/// name of another enum, which the compiler checks to be complete: for enums of crates that know no tables.
///
/// ```
/// webmill_table::text_enum! {
///     /// Level of the web graph.
///     pub enum Level {
///         /// One URL.
///         Page = "page",
///         /// All pages of a host name.
///         Host = "host",
///     }
/// }
/// assert_eq!(Level::Host.to_string(), "host");
/// assert_eq!("page".parse(), Ok(Level::Page));
/// assert!("Page".parse::<Level>().is_err());
/// ```
#[macro_export]
macro_rules! text_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident $(from $other:path)? {
            $(#[$first_meta:meta])* $first:ident = $first_word:literal
            $(, $(#[$variant_meta:meta])* $variant:ident = $word:literal)* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        $vis enum $name {
            #[default]
            $(#[$first_meta])* $first,
            $($(#[$variant_meta])* $variant,)*
        }

        impl $name {
            /// The word that stands in tables.
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $name::$first => $first_word,
                    $($name::$variant => $word,)*
                }
            }
        }

        impl $crate::TextEnum for $name {
            const VARIANTS: &'static [Self] = &[$name::$first $(, $name::$variant)*];
            const WORDS: &'static [&'static str] = &[$first_word $(, $word)*];
            fn as_str(self) -> &'static str {
                $name::as_str(self)
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = String;
            fn from_str(word: &str) -> ::std::result::Result<Self, String> {
                <Self as $crate::TextEnum>::from_word(word).ok_or_else(|| {
                    format!("{word:?} is none of {}", <Self as $crate::TextEnum>::WORDS.join(", "))
                })
            }
        }

        $crate::text_enum! { @from $name [$($other)?] $first $($variant)* }
    };
    (@from $name:ident [] $($variant:ident)+) => {};
    (@from $name:ident [$other:path] $($variant:ident)+) => {
        impl ::std::convert::From<$other> for $name {
            fn from(other: $other) -> Self {
                type Other = $other;
                match other {
                    $(Other::$variant => $name::$variant,)+
                }
            }
        }
    };
}
