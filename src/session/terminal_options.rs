//! Gathers the options of the terminal front end from the configuration, the command line and the environment.

use super::factory::SessionFactory;
use super::{borders, zone};
use crate::config::{self, Images, OneOrMore, ThemeChoice};
use crate::domain::Notice;
use crate::provider::Provider;
use crate::report::{Failure, FailureClass, reason};
use crate::tui::Hyperlinks;
use crate::tui::attention::TerminalSupport;
use crate::tui::clipboard::ClipboardEnv;
use crate::tui::guard::Times;
use crate::tui::overlays::welcome::USUAL_SERVER;
use crate::tui::setup::{Cloud, Opening, Setup, UsualServer};
use crate::tui::theme::{self, Depth, OwnThemes, Preference};
use crate::tui::widgets::words;
use crate::tui::{self, GraphicsProtocol, ImageMode, Options};
use crate::workspace::own_files;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// The introduction in an empty conversation.
const OPENING_TEXT: &str = "Ask for something in your own words. What has to be run comes to wait for you first, with all that it \
    may do: **Ctrl-Y** shows it, **Ctrl-Y** again runs it once. There, `e` edits it, `r` rejects it with a reason, `s` \
    skips it.";

/// Prompts that fit any folder.
const PROMPTS: [&str; 4] = [
    "what is in this folder?",
    "read the CSV files here and tell what they hold",
    "run the tests and explain the first failure",
    "how much room do the largest files take?",
];

/// Larger keymaps and themes are refused.
const MAX_BYTES: u64 = 1 << 20;

/// The options of the terminal for this factory.
pub(crate) fn options(factory: &SessionFactory, welcome: bool) -> Result<Options, Failure> {
    let config = &factory.loaded.config;
    let env = factory.place.env();
    let set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let over_ssh = set("SSH_CONNECTION") || set("SSH_TTY");
    let is_slow = over_ssh || set("TMUX");
    Ok(Options {
        setup: setup(factory, welcome),
        keymap: keymap(&factory.loaded.paths.keymap())?,
        theme: preference(config.ui.theme.as_ref()),
        depth: Depth::of(&env),
        colorfgbg: env("COLORFGBG"),
        ascii: !speaks_unicode(&env),
        motion: config.ui.motion,
        frames: if is_slow { config.ui.fps.min(12) } else { config.ui.fps },
        images: image_mode(config.ui.images, &env),
        links: Hyperlinks::of(&env),
        attention: config.ui.notify.then(|| TerminalSupport::of(&env)),
        esc_delay: Duration::from_millis(if set("SSH_CONNECTION") { 50 } else { 25 }),
        clipboard_env: ClipboardEnv {
            ssh: over_ssh,
            tmux: set("TMUX"),
            wayland: set("WAYLAND_DISPLAY"),
            x11: set("DISPLAY"),
            mac: cfg!(target_os = "macos"),
        },
        launcher: factory.launcher(),
        editor: first_command([config.editor.command.clone(), env("VISUAL"), env("EDITOR")], "vi"),
        pager: first_command([env("PAGER"), None, None], "less"),
        locale: words::Locale {
            zone: Arc::new(LazyLock::new(zone::local)),
            home: factory.place.home.clone(),
        },
        first_prompt: None,
        first_file: None,
        first_recipe: None,
        notices: factory.loaded.notices.clone(),
    })
}

fn image_mode(images: Images, env: &dyn Fn(&str) -> Option<String>) -> ImageMode {
    match images {
        Images::Auto => ImageMode::best(env),
        Images::Kitty => ImageMode::By(GraphicsProtocol::Kitty),
        Images::Iterm2 => ImageMode::By(GraphicsProtocol::Iterm2),
        Images::Sixel => ImageMode::By(GraphicsProtocol::Sixel),
        Images::Half => ImageMode::HalfBlocks,
        Images::Off => ImageMode::Off,
    }
}

/// The text and the example prompts of an empty conversation: the story's own, else the general ones. Empty without a
/// provider, and for a story without a text, because the prompts of such a story may be made for tests.
pub(crate) fn opening(provider: Option<&Provider>) -> Opening {
    let scripted = provider.is_some_and(Provider::is_story);
    match provider.and_then(Provider::opening) {
        Some((text, prompts)) => Opening { text: text.to_owned(), prompts },
        None if scripted || provider.is_none() => Opening::default(),
        None => Opening {
            text: OPENING_TEXT.to_owned(),
            prompts: PROMPTS.iter().map(ToString::to_string).collect(),
        },
    }
}

/// Checks that the terminal could open with the person's keymap and theme. Returns notices about what is wrong with
/// their own themes.
///
/// # Errors
/// The message that the terminal would show, with the file and the line.
pub(crate) fn check(factory: &SessionFactory) -> Result<Vec<Notice>, Failure> {
    let options = options(factory, false)?;
    options.check().map_err(failure)?;
    Ok(options.wrong_in_own_themes().into_iter().map(Notice::warn).collect())
}

/// What the theme in use sets without effect, in one line.
pub(crate) fn theme_warning(options: &Options) -> Option<Notice> {
    // A theme that can't be read is reported when the terminal opens.
    theme::warnings_line(&options.check().ok()?).map(Notice::warn)
}

fn setup(factory: &SessionFactory, welcome: bool) -> Setup {
    let config = &factory.loaded.config;
    Setup {
        cwd: factory.place.cwd.clone(),
        times: Times {
            quiet: Duration::from_millis(config.review.arm_ms),
            seen: Duration::from_millis(config.review.seen_ms),
            burst: Duration::from_millis(config.review.burst_ms),
            hold: Duration::from_millis(config.review.hold_ms),
            ..Times::default()
        },
        borders: borders::load(&factory.loaded.paths.borders()),
        mouse: config.ui.mouse,
        vim: config.editor.vim,
        languages: factory.languages.all.clone(),
        clouds: clouds(factory),
        providers: config.providers.keys().cloned().collect(),
        usual: usual_server(factory),
        themes: themes(&factory.loaded.paths.themes()),
        ignored: factory.loaded.notices.iter().map(|notice| notice.text.clone()).collect(),
        welcome,
        log: Some(factory.loaded.paths.log()),
        ..Setup::default()
    }
}

/// The cloud providers that are offered by name, with where their keys are kept. Runs no program.
fn clouds(factory: &SessionFactory) -> Vec<Cloud> {
    let known = [("openai", "OpenAI"), ("anthropic", "Anthropic"), ("gemini", "Gemini")];
    let providers = &factory.loaded.config.providers;
    let cloud = |(name, title): (&str, &str)| {
        let provider = providers.get(name)?;
        let variables = provider.key_env.as_ref().map(OneOrMore::all);
        Some(Cloud {
            provider: name.to_owned(),
            title: title.to_owned(),
            key_name: variables.and_then(|names| names.first()).cloned().unwrap_or_default(),
            key_location: factory.key_location(name, provider),
        })
    };
    known.into_iter().filter_map(cloud).collect()
}

/// The model server that is expected on this computer.
fn usual_server(factory: &SessionFactory) -> UsualServer {
    let provider = factory.loaded.config.providers.get(USUAL_SERVER);
    let Some(address) = provider.and_then(config::Provider::address) else { return UsualServer::default() };
    UsualServer { address: config::without_secrets(address), elsewhere: !config::is_loopback(address) }
}

/// The first command that is not blank.
fn first_command(commands: [Option<String>; 3], otherwise: &str) -> String {
    commands.into_iter().flatten().find(|c| !c.trim().is_empty()).unwrap_or_else(|| otherwise.into())
}

/// Whether the locale can show more than ASCII: the first of the variables that is set decides.
fn speaks_unicode(env: &dyn Fn(&str) -> Option<String>) -> bool {
    if env("TERM").is_some_and(|term| term.starts_with("vt")) {
        return false;
    }
    let locale =
        ["LC_ALL", "LC_CTYPE", "LANG"].iter().filter_map(|name| env(name)).find(|value| !value.is_empty());
    locale.is_none_or(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

fn preference(choice: Option<&ThemeChoice>) -> Preference {
    match choice {
        None => Preference::default(),
        Some(ThemeChoice::One(name)) => Preference::Named(name.clone()),
        Some(pair @ ThemeChoice::Pair { .. }) => {
            let on = |dark| pair.for_background(dark).unwrap_or("terminal").to_owned();
            Preference::ByBackground { dark: on(true), light: on(false) }
        }
    }
}

/// The person's own keymap: the path and the text of its file; `None` if there is no file.
fn keymap(path: &Path) -> Result<Option<(String, String)>, Failure> {
    let absent = |kind: ErrorKind| matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory);
    if std::fs::metadata(path).is_err_and(|error| absent(error.kind())) {
        return Ok(None);
    }
    let text = own_files::text(path, MAX_BYTES).map_err(|error| {
        Failure::new(FailureClass::Config, error.to_string()).hint("Correct the file, or move it away.")
    })?;
    Ok(Some((path.display().to_string(), text)))
}

/// The person's own themes, sorted by name. The folder is read anew for each lookup.
fn themes(folder: &Path) -> OwnThemes {
    let folder = folder.to_owned();
    OwnThemes::new(move || {
        let mut found = themes_in(&folder);
        found.sort();
        found
    })
}

/// The themes in a folder: name, and text or why it can't be read.
fn themes_in(folder: &Path) -> Vec<(String, Result<String, String>)> {
    let theme = |path: &Path| {
        let name = path.file_stem()?.to_string_lossy().into_owned();
        Some((name, own_files::text(path, MAX_BYTES).map_err(|error| error.to_string())))
    };
    own_files::toml_files(folder).iter().filter_map(|path| theme(path)).collect()
}

/// Reports a front end that can't open, with a hint.
pub(crate) fn failure(error: tui::TuiError) -> Failure {
    use tui::{LineModeError, TuiError};
    let (kind, hint) = match &error {
        TuiError::LineMode(LineModeError::Output(error)) => {
            return Failure::new(FailureClass::Work, format!("nothing can be printed: {}", reason(error)));
        }
        TuiError::Terminal(_) | TuiError::Input(_) | TuiError::LineMode(_) => {
            (FailureClass::Usage, "sayso run does one turn without a terminal.")
        }
        TuiError::Keymap(_) => (FailureClass::Config, "Correct the keymap, or move it away."),
        TuiError::Theme(_) => (
            FailureClass::Config,
            "Themes: terminal, ink, paper, contrast, blue-orange, mono, or a file of yours.",
        ),
    };
    Failure::new(kind, error.to_string()).hint(hint)
}
