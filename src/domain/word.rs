//! The words by which enums without further data are stored, printed and shown.

/// Gives enums the method for the words that `strum::IntoStaticStr` derives from the names of their variants.
macro_rules! words {
    ($($name:ty),+) => {
        $(impl $name {
            /// The word in files, in JSON and on the screen.
            pub(crate) fn as_str(self) -> &'static str {
                self.into()
            }
        })+
    };
}
pub(crate) use words;
