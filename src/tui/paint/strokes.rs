//! The characters of borders and rules.

#[derive(Clone, Copy, Debug)]
pub(crate) struct Strokes {
    /// To the left and to the right.
    pub(crate) vertical: &'static str,
    /// Above and below.
    pub(crate) horizontal: &'static str,
    /// The corners: top left, top right, bottom left, bottom right.
    pub(crate) corners: [&'static str; 4],
}

impl Strokes {
    pub(crate) const LIGHT: Strokes =
        Strokes { vertical: "│", horizontal: "─", corners: ["┌", "┐", "└", "┘"] };
    pub(crate) const HEAVY: Strokes =
        Strokes { vertical: "┃", horizontal: "━", corners: ["┏", "┓", "┗", "┛"] };
    pub(crate) const ASCII: Strokes = Strokes { vertical: "|", horizontal: "-", corners: ["+"; 4] };
}
