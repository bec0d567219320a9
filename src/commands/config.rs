//! `sayso config`: shows where the files are, checks them, shows which values hold and why, and creates a first file.

use super::Console;
use crate::cli::{ConfigCommand, ModelArgs};
use crate::config::{self, Origin, Paths};
use crate::domain::visible::Visible;
use crate::report::{self, Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::session::setup;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

pub(super) async fn run(
    command: ConfigCommand,
    outer: &ModelArgs,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    match command {
        ConfigCommand::Path => path(outer, console),
        ConfigCommand::Check => check(outer, console).await,
        ConfigCommand::Show => show(outer, console),
        ConfigCommand::Schema => Ok(console.out.write_all(config::schema_json().as_bytes())?),
        ConfigCommand::Init { force } => init(force, console),
    }
}

/// Finds the folders without reading the files in them: this has to work with a broken configuration.
fn paths() -> Result<Paths, Failure> {
    let env = |name: &str| std::env::var(name).ok();
    Paths::find(&env).map_err(|error| setup::broken(&error))
}

fn path(outer: &ModelArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let paths = paths()?;
    // The configuration may name another folder for sessions; if it can't be read, that is not known.
    let configured = setup::factory(outer, &setup::SessionOptions::default());
    let (sessions, unsure) = match configured {
        Ok(factory) => (factory.loaded.sessions(), ""),
        Err(_) => (paths.sessions(), "  (unless the configuration names another: sayso config check)"),
    };
    for (what, path) in [
        ("configuration", paths.file()),
        ("keys", paths.credentials()),
        ("key bindings", paths.keymap()),
        ("themes", paths.themes()),
        ("sessions", sessions),
        ("demos", paths.demo()),
        ("log", paths.log()),
        ("undo copies", paths.undo()),
        ("state", paths.state.clone()),
    ] {
        let missing = if path.exists() { "" } else { "  (not there)" };
        let unsure = if what == "sessions" { unsure } else { "" };
        writeln!(console.out, "{what:<14} {}{missing}{unsure}", Visible(&path.to_string_lossy()))?;
    }
    Ok(())
}

async fn check(outer: &ModelArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let factory = super::factory(outer, console)?;
    let paths = &factory.loaded.paths;
    config::keys::read(&paths.credentials()).map_err(|error| setup::broken(&error))?;
    // The terminal interface does not start with a broken keymap or theme.
    let of_themes = crate::session::terminal_options::check(&factory)?;
    report::print_notices(&of_themes, console.err)?;
    check_model(&factory)?;
    check_rights(&factory).await?;
    let told = match factory.loaded.notices.len() + of_themes.len() {
        0 => "the configuration is right".to_owned(),
        1 => "the configuration can be used; 1 warning above".to_owned(),
        n => format!("the configuration can be used; {n} warnings above"),
    };
    writeln!(console.out, "{told}")?;
    Ok(())
}

/// Checks what a session needs: the provider of its model has to be known, and no request may fail for what is said of
/// a provider.
fn check_model(factory: &SessionFactory) -> Result<(), Failure> {
    let config = &factory.loaded.config;
    for (setting, name) in [("model", &config.model), ("review.judge_model", &config.review.opinion_model)] {
        if let Some(Err(error)) = name.as_deref().map(|name| config.resolve(name)) {
            return Err(start_failure(factory, setting, &error.to_string()).hint(error.hint()));
        }
    }
    // Nothing is found under a key that was pasted in place of the variable's name; it is not repeated.
    let masker = factory.masker();
    let is_name = |variable: &String| {
        variable.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && masker.find(variable).is_empty()
    };
    for (name, provider) in &config.providers {
        if provider.key_env.as_ref().is_some_and(|variables| !variables.all().iter().all(is_name)) {
            let setting = format!("providers.{name}.key_env");
            return Err(start_failure(factory, &setting, "is no name of an environment variable")
                .hint("Name the variable that holds the key; a key itself belongs into credentials.toml."));
        }
    }
    factory.unusable_provider().map_or(Ok(()), |(name, error)| {
        Err(Failure::new(FailureClass::Config, format!("providers.{name}: {}", error.what)).hint(error.hint))
    })
}

/// Checks what a run needs: the configured folders have to exist, and the configured sandbox has to work.
async fn check_rights(factory: &SessionFactory) -> Result<(), Failure> {
    let config = &factory.loaded.config;
    let executor = factory.local_executor();
    let found = executor.sandbox().await;
    executor.close().await;
    let Err(why) = found else { return Ok(()) };
    let folders = [("sandbox.read", &config.sandbox.read), ("sandbox.write", &config.sandbox.write)];
    let gone = folders.iter().find(|(_, folders)| folders.iter().any(|folder| !folder.exists()));
    let setting = gone.map_or("sandbox", |(setting, _)| setting);
    let hint = match gone {
        Some(_) => {
            "Name a folder that is there, as in read = [\"/data\"]; sayso doctor tells what is missing."
        }
        None => "Correct the setting; sayso doctor tells what is missing.",
    };
    Err(start_failure(factory, setting, &why.to_string()).hint(hint))
}

/// The failure that a start would give, with the place where the setting was made.
fn start_failure(factory: &SessionFactory, setting: &str, why: &str) -> Failure {
    let place = match factory.loaded.origins.of(setting) {
        Origin::Default => String::new(),
        origin => format!("{origin}: "),
    };
    Failure::new(FailureClass::Config, format!("{place}{setting}: {why}"))
}

fn show(outer: &ModelArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let factory = super::factory(outer, console)?;
    // A key can be in a value that is none, such as a command; what is shown is often sent to others.
    let shown = factory.masker().text(&config::show(&factory.loaded));
    write!(console.out, "{}", Visible(&shown))?;
    Ok(())
}

fn init(force: bool, console: &mut Console<'_>) -> Result<(), Failure> {
    let file = paths()?.file();
    let made = create_file(&file, force).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            Failure::new(FailureClass::Config, format!("{} is there already", file.display()))
                .hint("sayso config init --force replaces it; its old text is lost.")
        }
        _ => {
            let what = format!("{} can't be written: {}", file.display(), report::reason(&error));
            Failure::new(FailureClass::Config, what)
                .hint("SAYSO_HOME names another folder for all files of sayso.")
        }
    });
    made?;
    writeln!(console.out, "made {}", Visible(&file.to_string_lossy()))?;
    Ok(())
}

/// Writes the first configuration completely or not at all: with `force` it replaces a file of the person's.
fn create_file(file: &Path, force: bool) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // What a link leads to is replaced, not the link.
    let led_to = fs::canonicalize(file).or_else(|_| fs::read_link(file).map(|to| folder.join(to)));
    let target = led_to.ok().filter(|_| force).unwrap_or_else(|| file.to_owned());
    if fs::symlink_metadata(&target).is_ok_and(|there| force && !there.is_file()) {
        return Err(io::Error::other("it is not a plain file"));
    }
    // A temporary file is created readable only by its owner.
    let mut made = tempfile::NamedTempFile::new_in(target.parent().unwrap_or(folder))?;
    made.write_all(config::init().as_bytes()).and_then(|()| made.as_file().sync_all())?;
    let kept = if force { made.persist(&target) } else { made.persist_noclobber(&target) };
    kept.map(drop).map_err(|error| error.error)
}
