//! Enums whose variants have names in files of the person: keymaps, themes and the borders between panes. The names do
//! not follow from the variants, so a derive would need an attribute for each of them.

/// Defines such an enum, the list of its variants, their names, and the search by name.
macro_rules! enum_with_names {
    (
        $(#[$about:meta])* $kind:ident, $all:literal, $named:literal;
        $($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum $kind {
            $($(#[$doc])* $variant),+
        }

        impl $kind {
            #[doc = $all]
            pub const ALL: &'static [$kind] = &[$($kind::$variant),+];

            #[doc = $named]
            pub fn name(self) -> &'static str {
                match self {
                    $($kind::$variant => $name),+
                }
            }

            /// Returns the one with this name.
            pub(crate) fn parse(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

pub(crate) use enum_with_names;
