use super::colour::approximate;
use super::*;
use ratatui::style::Color;

const DEPTHS: [Depth; 4] = [Depth::Mono, Depth::Ansi16, Depth::Ansi256, Depth::True];

fn shipped(name: &str, depth: Depth) -> Theme {
    let loaded = Theme::load(name, depth, |_| None).unwrap();
    assert_eq!(loaded.warnings, [], "{name}");
    loaded.theme
}

fn user(text: &'static str) -> Result<LoadedTheme, ThemeError> {
    Theme::load("mine", Depth::True, |name| (name == "mine").then(|| Ok(text.to_string())))
}

/// The text colour and the background of a style: reverse swaps them; the terminal's own background is the one that the
/// theme is made for.
fn shown(theme: &Theme, style: Style) -> (Rgb, Rgb) {
    let made_for = theme.background();
    // A terminal of 16 colours has a plain black or white background.
    let background = match (theme.depth(), made_for.is_light()) {
        (Depth::Ansi16, false) => Rgb(0, 0, 0),
        (Depth::Ansi16, true) => Rgb(255, 255, 255),
        _ => made_for,
    };
    let text = if background.is_light() { Rgb(0, 0, 0) } else { Rgb(0xe5, 0xe5, 0xe5) };
    let fg = style.fg.and_then(approximate).unwrap_or(text);
    let bg = style.bg.and_then(approximate).unwrap_or(background);
    if style.add_modifier.contains(Modifier::REVERSED) { (bg, fg) } else { (fg, bg) }
}

/// The shipped themes at every depth.
fn shipped_themes() -> impl Iterator<Item = Theme> {
    SHIPPED.iter().flat_map(|(name, _)| DEPTHS.map(|depth| shipped(name, depth)))
}

/// Checks that text in this style can be read; `what` names it.
fn assert_contrast(theme: &Theme, style: Style, least: f64, what: &str) {
    let (fg, bg) = shown(theme, style);
    let ratio = fg.contrast(bg);
    assert!(ratio >= least, "{} {:?} {what}: {ratio:.2} {fg:?} on {bg:?}", theme.name(), theme.depth());
}

#[test]
fn text_and_borders_can_be_read() {
    for theme in shipped_themes() {
        for slot in Slot::ALL {
            // Lines need less contrast than text.
            let least = if matches!(slot, Slot::UiBorder | Slot::UiFocus) { 3.0 } else { 4.5 };
            assert_contrast(&theme, theme.style(*slot), least, slot.name());
        }
        for class in Syntax::ALL {
            let style = theme.style(Slot::UiText).patch(theme.syntax(*class));
            assert_contrast(&theme, style, 4.5, class.name());
        }
    }
}

/// Code on a tinted line reads as well as on an ordinary one; where the colours are the terminal's own, no line is
/// tinted.
#[test]
fn code_on_a_tint_can_be_read() {
    let slots = [Slot::FindingHigh, Slot::FindingMedium, Slot::DiffAdd, Slot::DiffDel];
    for theme in shipped_themes() {
        let text = theme.style(Slot::UiText);
        for slot in slots {
            let tint = theme.tint(slot);
            if let Depth::Mono | Depth::Ansi16 = theme.depth() {
                assert_eq!(tint, Style::new(), "{} {:?}", theme.name(), theme.depth());
                continue;
            }
            for class in Syntax::ALL {
                let style = text.patch(theme.syntax(*class)).patch(tint);
                assert_contrast(&theme, style, 4.5, &format!("{} on {}", class.name(), slot.name()));
            }
        }
        for slot in [Slot::DiffAdd, Slot::DiffDel] {
            assert_contrast(&theme, text.patch(theme.tint_more(slot)), 4.5, slot.name());
        }
    }
    assert_eq!(shipped("terminal", Depth::True).tint(Slot::FindingHigh), Style::new());
    assert_ne!(shipped("ink", Depth::True).tint(Slot::FindingHigh), Style::new());
}

/// What an eye sees that lacks one kind of cones: long, middle or short (Machado, Oliveira and Fernandes 2009, severity
/// 1).
const EYES: [(&str, [[f64; 3]; 3]); 3] = [
    (
        "protanopia",
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ),
];

fn seen(eye: &[[f64; 3]; 3], Rgb(r, g, b): Rgb) -> [f64; 3] {
    let [r, g, b] = [r, g, b].map(|v| (f64::from(v) / 255.0).powf(2.2));
    eye.map(|[x, y, z]| x * r + y * g + z * b)
}

/// Slots that appear beside each other with different meanings.
const MEANINGS: [&[Slot]; 8] = [
    &[Slot::BlockPending, Slot::BlockApproved, Slot::BlockRejected],
    &[Slot::BlockPending, Slot::BlockRunning, Slot::BlockFailed],
    &[Slot::BlockDone, Slot::BlockFailed, Slot::BlockRejected],
    &[Slot::FindingHigh, Slot::FindingMedium, Slot::FindingInfo],
    &[Slot::StatusInfo, Slot::StatusWarn, Slot::StatusError],
    &[Slot::SandboxOn, Slot::SandboxOff],
    &[Slot::DiffAdd, Slot::DiffDel],
    &[Slot::UiText, Slot::OutputStderr],
];

/// Each pair of them differs for every eye, by its colour or by its weight; without colours only words tell them apart.
#[test]
fn what_means_something_else_looks_otherwise_to_every_eye() {
    let mut alike = Vec::new();
    for (name, _) in SHIPPED {
        for depth in [Depth::Ansi16, Depth::Ansi256, Depth::True] {
            let theme = shipped(name, depth);
            let pairs = MEANINGS.iter().flat_map(|slots| {
                slots.iter().enumerate().flat_map(|(i, a)| slots[i + 1..].iter().map(move |b| (*a, *b)))
            });
            for (a, b) in pairs {
                let (x, y) = (theme.style(a), theme.style(b));
                // On terminals with colours, approved and not approved differ by more than their weight.
                let decided = [a, b].iter().all(|slot| MEANINGS[0].contains(slot));
                let rejected = decided && [a, b].contains(&Slot::BlockRejected);
                let weight = x.add_modifier != y.add_modifier;
                if if name == "mono" { weight || !rejected } else { weight && !decided } {
                    continue;
                }
                for (eye, matrix) in &EYES {
                    let [(x, under_x), (y, under_y)] = [x, y].map(|style| shown(&theme, style));
                    let apart = |x, y| {
                        let [p, q] = [x, y].map(|rgb| seen(matrix, rgb));
                        p.iter().zip(q).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt()
                    };
                    let distance = apart(x, y).max(apart(under_x, under_y));
                    if distance <= 0.12 {
                        alike.push(format!(
                            "{name} {depth:?} {eye}: {} and {} ({distance:.3})",
                            a.name(),
                            b.name()
                        ));
                    }
                }
            }
        }
    }
    assert!(alike.is_empty(), "look alike:\n{}", alike.join("\n"));
}

#[test]
fn without_colours_there_are_none() {
    for (name, _) in SHIPPED {
        let theme = shipped(name, Depth::Mono);
        let allowed = Modifier::BOLD | Modifier::UNDERLINED | Modifier::REVERSED;
        for style in
            Slot::ALL.iter().map(|s| theme.style(*s)).chain(Syntax::ALL.iter().map(|c| theme.syntax(*c)))
        {
            assert_eq!((style.fg, style.bg), (None, None));
            assert!(allowed.contains(style.add_modifier));
        }
        assert!(!theme.style(Slot::FindingHigh).add_modifier.is_empty());
        assert!(theme.style(Slot::UiSelection).add_modifier.contains(Modifier::REVERSED));
        // What a program prints as an error is distinguishable all the same.
        assert_ne!(theme.style(Slot::OutputStderr), theme.style(Slot::UiText), "{name}");
    }
}

#[test]
fn sixteen_colours_are_those_of_the_user() {
    for (name, _) in SHIPPED {
        let theme = shipped(name, Depth::Ansi16);
        for slot in Slot::ALL {
            let style = theme.style(*slot);
            for color in [style.fg, style.bg].into_iter().flatten() {
                assert!(!matches!(color, Color::Rgb(..) | Color::Indexed(_)), "{name} {}", slot.name());
            }
        }
    }
}

#[test]
fn the_terminal_theme_sets_no_background() {
    let theme = shipped("terminal", Depth::True);
    assert_eq!(theme.style(Slot::UiText), Style::new());
    assert_eq!(theme.style(Slot::UiOverlay).bg, None);
}

#[test]
fn a_theme_changes_what_it_names_and_inherits_the_rest() {
    let loaded = user(
        "inherits = \"ink\"\n[palette]\nwarn = { rgb = \"#d7a100\", c256 = 178, c16 = \"yellow\" }\n[slots]\n\"block.pending\" = { fg = \"warn\", bold = true }\n",
    )
    .unwrap();
    assert!(loaded.warnings.is_empty());
    let ink = shipped("ink", Depth::True);
    assert_eq!(loaded.theme.style(Slot::BlockPending).fg, Some(Color::Rgb(0xd7, 0xa1, 0)));
    assert_eq!(loaded.theme.style(Slot::BlockDone), ink.style(Slot::BlockDone));
    assert_eq!(loaded.theme.syntax(Syntax::Keyword), ink.syntax(Syntax::Keyword));
}

#[test]
fn slots_fall_back_to_their_parents() {
    let loaded = user("[slots]\n\"status.warn\" = { fg = \"#112233\" }\n").unwrap();
    let warn = Some(Color::Rgb(0x11, 0x22, 0x33));
    assert_eq!(loaded.theme.style(Slot::FindingHigh).fg, warn, "finding.high < status.error < status.warn");
    assert_eq!(loaded.theme.style(Slot::ChatUser), Style::new());
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let loaded = user(
        "colour = 1\n[palette]\nbad = \"reddish\"\n[slots]\n\"ui.nope\" = {}\n\"ui.text\" = { fg = \"nowhere\", blink = true }\n",
    )
    .unwrap();
    let told: Vec<(usize, &str)> = loaded.warnings.iter().map(|w| (w.line, w.text.as_str())).collect();
    for (line, word) in [(1, "colour"), (3, "bad"), (5, "ui.nope"), (6, "nowhere"), (6, "blink")] {
        assert!(told.iter().any(|(l, t)| *l == line && t.contains(word)), "{line} {word}: {told:?}");
    }
    assert_eq!(loaded.warnings.len(), 5);
    let error = user("[slots]\n\"ui.text\" = {\n").unwrap_err();
    assert!(matches!(&error, ThemeError::Syntax(warning) if matches!(warning.line, 2 | 3)), "{error}");
}

#[test]
fn circles_and_unknown_names_are_refused() {
    let both = |name: &str| match name {
        "a" => Some(Ok("inherits = \"b\"".to_string())),
        "b" => Some(Ok("inherits = \"a\"".to_string())),
        "self" => Some(Ok("inherits = \"self\"".to_string())),
        "ink" => Some(Ok("inherits = \"ink\"".to_string())),
        "paper" => Some(Err("no text".to_string())),
        _ => None,
    };
    assert!(matches!(Theme::load("a", Depth::True, both), Err(ThemeError::Circle(_))));
    assert!(matches!(Theme::load("self", Depth::True, both), Err(ThemeError::Circle(_))));
    assert!(
        Theme::load("ink", Depth::True, both).is_ok(),
        "a user theme may change the shipped one of its name"
    );
    assert!(matches!(Theme::load("zzz", Depth::True, both), Err(ThemeError::Unknown(_))));
    let told = Theme::load("paper", Depth::True, both).err().map(|error| error.to_string());
    assert_eq!(told.as_deref(), Some("theme paper can't be used: no text"), "not the shipped one instead");
}
