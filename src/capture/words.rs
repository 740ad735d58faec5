//! Closed sets of words.

/// Declares an enum whose variants have a word each, as tables, files and flags say it: with `ALL`, its variants in order,
/// and `name`, the word of one.
///
/// # Examples
/// ```
/// webmill_capture::words! {
///     /// A tea.
///     #[derive(Debug, Clone, Copy, PartialEq)]
///     pub enum Tea {
///         /// Steamed or roasted.
///         Green = "green",
///         /// Oxidised.
///         Black = "black",
///     }
/// }
/// assert_eq!(Tea::ALL.iter().map(|tea| tea.name()).collect::<Vec<_>>(), ["green", "black"]);
/// ```
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident = $word:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$variant_meta])* $variant),+
        }

        impl $name {
            /// All of them, in order.
            $vis const ALL: &'static [$name] = &[$($name::$variant),+];

            /// The word for it.
            $vis const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word),+
                }
            }
        }
    };
}
