//! What confines runs, and what that means for a block.

/// Why an effect of a block will not come about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// The place is closed to it.
    Place,
    /// Something empty stands in its place.
    Empty,
    /// The network is closed to it.
    Network,
}

/// `reads ~/.ssh/id_rsa: the sandbox will refuse`.
pub fn refusal(verb: &str, target: &str, hindrance: Hindrance) -> String {
    let why = match hindrance {
        Hindrance::Place => "the sandbox will refuse",
        Hindrance::Empty => "the sandbox shows it empty",
        Hindrance::Network => "the sandbox will refuse, its network is closed",
    };
    format!("{verb} {target}: {why}")
}
