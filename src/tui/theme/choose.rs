//! Chooses the theme by the person's preference and what is known of the terminal's background. Pure.

use super::Rgb;

/// The person's preference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Preference {
    /// This theme (`--theme`, `SAYSO_THEME`, or one name in the configuration).
    Named(String),
    /// One for dark and one for light backgrounds.
    ByBackground {
        /// For dark backgrounds.
        dark: String,
        /// For light ones.
        light: String,
    },
}

impl Default for Preference {
    fn default() -> Self {
        Preference::ByBackground { dark: "ink".into(), light: "paper".into() }
    }
}

impl Preference {
    /// Whether the choice has to wait for the terminal's answer about its background.
    pub(crate) fn needs_background(&self) -> bool {
        matches!(self, Preference::ByBackground { .. })
    }
}

/// Returns the name of the theme. `background` is the terminal's answer (OSC 11), `colorfgbg` the variable `COLORFGBG`;
/// where neither helps, it is `terminal`, which is readable on both.
pub fn choose(preference: &Preference, background: Option<Rgb>, colorfgbg: Option<&str>) -> String {
    match preference {
        Preference::Named(name) => name.clone(),
        Preference::ByBackground { dark, light } => {
            match background.map(Rgb::is_light).or_else(|| colorfgbg.and_then(light_by_colorfgbg)) {
                Some(true) => light.clone(),
                Some(false) => dark.clone(),
                None => "terminal".into(),
            }
        }
    }
}

/// Reads `COLORFGBG` (`15;0`, `0;default;15`): whether the background is light.
pub(crate) fn light_by_colorfgbg(value: &str) -> Option<bool> {
    let index: u8 = value.rsplit(';').next()?.trim().parse().ok()?;
    match index {
        0..=6 | 8 => Some(false),
        7 | 9..=15 => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_goes_first_then_the_answer_then_the_variable() {
        let auto = Preference::default();
        assert_eq!(choose(&Preference::Named("mono".into()), Some(Rgb(0, 0, 0)), None), "mono");
        assert_eq!(choose(&auto, Some(Rgb(0x1e, 0x1e, 0x1e)), Some("0;15")), "ink");
        assert_eq!(choose(&auto, Some(Rgb(0xfd, 0xf6, 0xe3)), None), "paper");
        assert_eq!(choose(&auto, None, Some("0;default;15")), "paper");
        assert_eq!(choose(&auto, None, Some("15;0")), "ink");
        assert_eq!(choose(&auto, None, Some("nonsense")), "terminal");
        assert_eq!(choose(&auto, None, None), "terminal");
    }
}
