//! Tests the configuration with real files in a temporary home.

use super::schema::Config;
use super::*;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) struct Home {
    pub(super) folder: tempfile::TempDir,
    env: Vec<(&'static str, String)>,
    pub(super) flags: Flags,
}

impl Home {
    pub(super) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), env: Vec::new(), flags: Flags::default() }
    }

    pub(super) fn with(self, file: &str, text: &str) -> Self {
        crate::test_folder::write(&self.folder.path().join(file), text);
        self
    }

    pub(super) fn env(mut self, name: &'static str, value: &str) -> Self {
        self.env.push((name, value.to_owned()));
        self
    }

    pub(super) fn try_load(&self) -> Result<LoadedConfig, ConfigError> {
        let cwd = self.folder.path().join("work/project/deep");
        let env = |name: &str| match name {
            "HOME" => Some("/home/ada".to_owned()),
            _ => self.env.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone()),
        };
        load(&Paths::under(&self.folder.path().join("home")), &cwd, &env, &self.flags)
    }

    pub(super) fn load(&self) -> LoadedConfig {
        self.try_load().unwrap_or_else(|error| panic!("{error}"))
    }
}

pub(super) const USER: &str = "home/config.toml";
pub(super) const PROJECT: &str = "work/project/.sayso.toml";

fn fixtures(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/config").join(kind);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(files.len() > 2);
    files
}

#[test]
fn without_any_file_the_defaults_hold() {
    let loaded = Home::new().load();
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.notices, []);
    assert_eq!(*loaded.origins.of("step_limit"), Origin::Default);
    assert_eq!(loaded.config.languages(), crate::domain::Languages::default());
    assert_eq!(loaded.config.limits(), crate::domain::Limits::default());
    assert_eq!(loaded.config.chosen(), Ok(None));
}

#[test]
fn the_example_file_equals_the_defaults_and_is_complete() {
    let loaded = Home::new().with(USER, init()).load();
    assert_eq!(loaded.config, Config::default());
    assert!(loaded.notices.is_empty(), "{:?}", loaded.notices);
    // It matters whether these were chosen: the file chooses neither.
    assert!(!loaded.is_chosen("sandbox.level") && !loaded.is_chosen("limits.memory"));

    // With all commented settings switched on, the file is still valid and complete.
    let all: Vec<String> = init()
        .lines()
        .filter(|line| !line.starts_with("# theme = {"))
        .map(|line| line.strip_prefix("# ").filter(|rest| is_setting(rest)).unwrap_or(line).to_owned())
        .collect();
    let loaded = Home::new().with(USER, &all.join("\n")).load();
    for setting in settings::table::SETTINGS.iter().filter(|s| !s.name.starts_with("ui.theme.")) {
        let name = setting
            .name
            .replace("providers.*", "providers.openai")
            .replace("languages.*", "languages.python");
        let name = name.replace(".headers.*", ".headers.X-Team").replace(".query.*", ".query.api-version");
        let name = name.replace("prices.*", "prices.\"openai/gpt-5\"");
        let name = name.replace("container.images.*", "container.images.python");
        let name = name.replace(".models.*", ".models.\"gpt-4.1\"");
        assert!(matches!(loaded.origins.of(&name), Origin::File(..)), "{name} is not in the example");
    }
    assert!(init().contains("theme = { dark ="));
}

fn is_setting(line: &str) -> bool {
    line.split_once(" = ").is_some_and(|(key, _)| {
        key.starts_with('"') || key.chars().all(|c| c.is_ascii_lowercase() || c == '_')
    })
}

#[test]
fn every_default_is_within_its_bounds_and_every_field_is_a_setting() {
    fn walk(table: &toml::Table, name: &mut Vec<String>, seen: &mut usize) {
        for (key, value) in table {
            name.push(key.clone());
            match value {
                toml::Value::Table(inner) => walk(inner, name, seen),
                value => {
                    let setting = settings::find(name).unwrap_or_else(|| panic!("{name:?} is no setting"));
                    setting_values::check(setting, value.clone()).unwrap();
                    *seen += 1;
                }
            }
            name.pop();
        }
    }
    let mut seen = 0;
    walk(&toml::Table::try_from(Config::default()).unwrap(), &mut Vec::new(), &mut seen);
    assert!(seen > 40);
}

#[test]
fn valid_files_load() {
    for path in fixtures("valid") {
        Home::new().with(USER, &std::fs::read_to_string(path).unwrap()).load();
    }
    let text = std::fs::read_to_string(fixtures("valid").remove(0)).unwrap();
    let loaded = Home::new().with(USER, &text).load();
    let config = &loaded.config;
    assert_eq!((config.step_limit, config.limits.output, config.limits.output_file), (16, 65_536, 0));
    assert_eq!(config.run.python.as_deref(), Some(Path::new("/home/ada/py/bin/python")));
    assert_eq!(loaded.sessions(), Path::new("/home/ada/talks"));
    let names: Vec<String> = config.languages().0.iter().map(|l| l.name.0.clone()).collect();
    assert!(!names.contains(&"bash".to_owned()) && names.contains(&"lua".to_owned()), "{names:?}");
    let place = |name: &str| names.iter().position(|known| known == name).unwrap();
    assert!(place("python") < place("javascript") && place("javascript") < place("ruby"));
    let chosen = config.chosen().unwrap().unwrap();
    assert_eq!((chosen.name.provider.as_str(), chosen.name.model.as_str()), ("mine", "some/model"));
    assert_eq!(chosen.provider.timeouts, Timeouts { silence: Duration::from_secs(5), ..Timeouts::default() });
    let theme = config.ui.theme.as_ref().unwrap();
    assert_eq!((theme.for_background(true), theme.for_background(false)), (Some("ink"), Some("paper")));
}

#[test]
fn invalid_files_say_what_where_and_what_would_be_right() {
    for path in fixtures("invalid") {
        let home = Home::new().with(USER, &std::fs::read_to_string(&path).unwrap());
        let error = match home.try_load() {
            Ok(_) => panic!("{} was taken", path.display()),
            Err(error) => error.to_string(),
        };
        let folder = home.folder.path().join("home/");
        let told = error.replace(&*folder.to_string_lossy(), "") + "\n";
        let wanted = path.with_extension("txt");
        if std::env::var_os("WRITE_FIXTURES").is_some() {
            std::fs::write(&wanted, &told).unwrap();
        }
        assert_eq!(told, std::fs::read_to_string(&wanted).unwrap_or_default(), "{}", path.display());
    }
}

#[test]
fn later_layers_win_and_every_value_knows_its_origin() {
    let mut home = Home::new()
        .with(USER, "model = \"ollama/a\"\nstep_limit = 9\n[ui]\ntheme = \"ink\"\nfps = 10\n")
        .with(PROJECT, "step_limit = 4\n")
        .env("SAYSO_MODEL", "ollama/b")
        .env("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        .env("SAYSO_THEME", "  ");
    home.flags.model = Some("openai/c".into());
    let loaded = home.load();
    let config = &loaded.config;
    assert_eq!((config.model.as_deref(), config.step_limit, config.ui.fps), (Some("openai/c"), 4, 10));
    let openai = &config.providers["openai"];
    assert_eq!(openai.address(), Some("http://127.0.0.1:9/v1"));
    assert_eq!(openai.own_address(), Some("https://api.openai.com/v1"));
    assert_eq!(openai.key_env, Some(OneOrMore::One("OPENAI_API_KEY".into())), "the rest stays");
    let origin = |name| loaded.origins.of(name).to_string();
    assert_eq!(origin("model"), "--model");
    assert!(origin("step_limit").ends_with("work/project/.sayso.toml:1"), "{}", origin("step_limit"));
    assert!(origin("ui.theme").ends_with("home/config.toml:4"));
    assert_eq!(origin("providers.openai.base_url"), "environment OPENAI_BASE_URL");
    assert_eq!(origin("ui.mouse"), "default");

    let shown = show(&loaded);
    assert!(shown.contains("model = \"openai/c\"") && shown.contains("# --model\n"), "{shown}");
}

#[test]
fn no_colour_wins_over_every_theme_but_the_option() {
    let mut home =
        Home::new().with(USER, "ui.theme = { dark = \"ink\" }").env("NO_COLOR", "1").env("SAYSO_THEME", "x");
    assert_eq!(home.load().config.ui.theme, Some(ThemeChoice::One("mono".into())));
    home.flags.theme = Some("paper".into());
    assert_eq!(home.load().config.ui.theme, Some(ThemeChoice::One("paper".into())));
    let home = Home::new().env("NO_COLOR", "");
    assert_eq!(home.load().config.ui.theme, None);
}

#[test]
fn wrong_values_from_outside_of_files_name_their_origin() {
    let error = Home::new().env("OPENAI_BASE_URL", "localhost:80").try_load().unwrap_err().to_string();
    assert!(error.starts_with("OPENAI_BASE_URL: is \"localhost:80\", but has to be an address"), "{error}");
    assert!(error.ends_with("; write http://localhost:80"), "{error}");
    for (address, told) in [
        ("api.example.com/v1", "write https://api.example.com/v1"),
        ("ftp://x", "has to be an address that begins with http:// or https://"),
        ("", "is empty"),
    ] {
        let mut home = Home::new();
        home.flags.base_url = Some(address.into());
        let error = home.try_load().unwrap_err().to_string();
        assert!(error.starts_with("--base-url: ") && error.contains(told), "{error}");
    }
    let error = Home::new().env("OPENAI_BASE_URL", "me:hunter22@h/v1").try_load().unwrap_err().to_string();
    assert!(!error.contains("hunter22"), "{error}");
    let mut home = Home::new();
    home.flags.timeout = Some(0);
    assert!(
        home.try_load().unwrap_err().to_string().starts_with("--timeout: is 0, but has to be a whole number")
    );
}

#[test]
fn words_of_languages_are_found_however_they_are_written_and_a_taken_one_is_told() {
    let text = "[languages.Foo]\ncommand = \"foo\"\naliases = [\"FooLang\", \"PY\"]\nextensions = [\".FOO\", \"rb\"]\n\
                [languages.Python]\ncommand = \"python3.9\"\npty = true\n[languages.python]\naliases = [\"py\", \"lua\", \"r\"]\n\
                [languages.node]\ncommand = \"node18\"\n[languages.ruby]\ncommand = \"ruby\"\n\
                [languages.BAR]\ncommand = \"bar1\"\npty = true\n[languages.Bar]\ncommand = \"bar2\"\n";
    let loaded = Home::new().with(USER, text).load();
    let languages = loaded.config.languages();
    for word in ["foo", "Foo", "foolang"] {
        assert_eq!(languages.find(word).map(|entry| entry.command.as_str()), Some("foo"), "{word}");
    }
    assert_eq!(languages.by_extension("foo").map(|entry| entry.name.0.as_str()), Some("foo"));
    assert_eq!(languages.find("python").map(|entry| entry.command.as_str()), Some("python3"));
    assert_eq!(languages.find("bar").map(|entry| entry.command.as_str()), Some("bar2"));
    assert_eq!(loaded.config.terminals(), [], "what is not used gives no language a terminal");
    let told: Vec<&str> =
        loaded.notices.iter().filter_map(|n| n.text.split_once("config.toml:")).map(|(_, t)| t).collect();
    assert_eq!(
        told,
        [
            "15: languages.BAR: \"bar\" is a word of bar already: it is not used.",
            "3: languages.Foo.aliases: \"py\" is a word of python already: it is not used.",
            "4: languages.Foo.extensions: \"rb\" is a word of ruby already: it is not used.",
            "6: languages.Python: \"python\" is a word of python already: it is not used.",
            "11: languages.node: \"node\" is a word of javascript already: it is not used.",
        ]
    );
    // What ships is no mistake, written out or not; what differs from it is told.
    for (written, count) in [("command = \"sh\"\n", 0), ("command = \"sh\"\npty = true\n", 1)] {
        let loaded = Home::new().with(USER, &format!("[languages.sh]\n{written}")).load();
        let told =
            loaded.notices.iter().filter(|n| n.text.contains("languages.sh: \"sh\" is a word of bash"));
        assert_eq!(told.count(), count, "{written}: {:?}", loaded.notices);
    }
}

#[test]
fn a_project_only_tightens() {
    let home = Home::new().with(
        PROJECT,
        "base_url = \"http://evil\"\nstep_limit = 500\nrepeat_limit = 2\nnonsense = 1\n[review]\narm_ms = 900\nseen_ms = 200\nhold_ms = 500\nburst_ms = 20\n\
         [limits]\nwall = 10\noutput = \"2 MiB\"\n[run]\npython = \"./evil\"\n[providers.openai]\nbase_url = \"http://evil\"\n\
         [languages.bash]\nenabled = false\ncommand = \"./evil\"\n[languages.python]\nenabled = true\n[languages.new]\nenabled = false\n\
         [languages.sh]\npty = true\n",
    );
    let loaded = home.load();
    let config = &loaded.config;
    let default = Config::default();
    assert_eq!((config.review.arm_ms, config.review.seen_ms), (900, 300));
    assert_eq!((config.review.hold_ms, config.review.burst_ms), (500, 30));
    assert_eq!((config.limits.wall, config.limits.output), (10, default.limits.output));
    assert_eq!((config.step_limit, config.repeat_limit), (12, 2));
    assert_eq!((&config.base_url, &config.run, &config.providers), (&None, &default.run, &default.providers));
    assert!(!config.languages["bash"].enabled && config.languages["bash"].command == "bash");
    assert!(!config.languages.contains_key("new"));
    assert_eq!(config.terminals(), []);

    let told: Vec<&str> = loaded.notices.iter().map(|n| n.text.as_str()).collect();
    let about = |line: &str, name: &str| {
        told.iter().any(|t| t.contains(&format!(".sayso.toml:{line}: {name} was ignored")))
    };
    for (line, name) in [
        ("1", "base_url"),
        ("2", "step_limit"),
        ("4", "nonsense"),
        ("7", "review.seen_ms"),
        ("9", "review.burst_ms"),
        ("12", "limits.output"),
        ("14", "run.python"),
        ("16", "providers.openai.base_url"),
        ("19", "languages.bash.command"),
        ("21", "languages.python.enabled"),
        ("23", "languages.new.enabled"),
        ("25", "languages.sh.pty"),
    ] {
        assert!(about(line, name), "{name} in line {line}: {told:#?}");
    }
    assert_eq!(told.len(), 12, "{told:#?}");
    assert!(told[0].ends_with("a project can't set this."));
}

#[test]
fn a_project_cant_take_a_limit_away_and_can_set_one_where_there_is_none() {
    let names = ["memory", "processes", "file", "open_files"];
    let zeros = format!("[limits]\n{}", names.map(|name| format!("{name} = 0\n")).concat());
    let loaded = Home::new().with(PROJECT, &zeros).load();
    assert_eq!((loaded.config.limits(), loaded.notices.len()), (Config::default().limits(), 4));
    let lower = "[limits]\nmemory = \"1 MiB\"\nprocesses = 8\nfile = \"1 KiB\"\nopen_files = 64\n";
    let home = Home::new().with(USER, &zeros).with(PROJECT, lower);
    let limits = home.load().config.limits();
    assert_eq!((limits.memory_bytes, limits.processes), (1 << 20, 8));
    assert_eq!((limits.file_bytes, limits.open_files), (1 << 10, 64));
    assert!(
        !home.load().is_chosen("limits.memory")
            && Home::new().with(USER, lower).load().is_chosen("limits.memory")
    );

    let one = Some(context::Dollars(1_000_000_000));
    let unset = "budget.session = 1\ncontext.tokens = 4096\n";
    let loaded = Home::new().with(PROJECT, unset).load();
    assert_eq!((loaded.config.budget.session, loaded.config.context.tokens), (one, Some(4096)));
    let loaded = Home::new().with(USER, unset).with(PROJECT, "budget.session = 2\n").load();
    assert_eq!((loaded.config.budget.session, loaded.notices.len()), (one, 1));
}

#[test]
fn a_limit_of_a_project_that_cant_be_read_is_no_licence() {
    for broken in [
        "limits.wall = \"10\"",
        "limits.wall = 0",
        "limits.open_files = 15",
        "[limits\nwall = 1",
        "limits = 3\nlimits.wall = 1",
    ] {
        assert!(Home::new().with(PROJECT, broken).try_load().is_err(), "{broken}");
    }
}

#[test]
fn all_project_files_count_and_strange_files_do_not_hold_us() {
    let outer = "step_limit = 2\nrepeat_limit = 3\nreview.forbid = [\"net\"]\nlimits.wall = 5\n";
    let home = Home::new().with("work/.sayso.toml", outer).with("work/project/deep/.sayso.toml", "");
    assert_eq!(home.load().config.limits.wall, 5, "an empty file takes nothing away");
    let inner = "step_limit = 5\nrepeat_limit = 2\nreview.forbid = [\"delete\"]\n";
    let home = Home::new().with("work/.sayso.toml", outer).with("work/project/deep/.sayso.toml", inner);
    let loaded = home.load();
    let config = &loaded.config;
    assert_eq!((config.step_limit, config.repeat_limit, config.limits.wall), (2, 2, 5));
    assert_eq!(config.review.forbid.len(), 2, "{:?}", config.review.forbid);
    let origin = |name: &str| loaded.origins.of(name).to_string();
    assert!(origin("step_limit").ends_with("work/.sayso.toml:1"), "{}", origin("step_limit"));
    assert!(origin("repeat_limit").ends_with("deep/.sayso.toml:2"), "{}", origin("repeat_limit"));
    let told: Vec<&str> = loaded.notices.iter().map(|notice| notice.text.as_str()).collect();
    let [looser] = *told else { panic!("{told:?}") };
    assert!(looser.contains("deep/.sayso.toml:1: step_limit was ignored"), "{looser}");
    let home = Home::new().with("work/.sayso.toml", "step_limit = 2").with("work/project/.sayso.toml/x", "");
    assert_eq!(home.load().config.step_limit, 2, "a folder of that name is passed over");
    let home = Home::new().with("home/config.toml/x", "");
    assert!(home.try_load().unwrap_err().to_string().contains("can't be read"));
    let home = Home::new().with(USER, &"#".repeat(2 << 20));
    assert!(home.try_load().unwrap_err().to_string().contains("larger than 1 MiB"));
}

#[test]
fn what_others_put_above_a_project_or_link_into_it_is_not_believed() {
    let open = |home: &Home, mode| {
        let folder = home.folder.path().join("work");
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let home = Home::new().with("work/.sayso.toml", "step_limit = 2");
    let file = home.folder.path().join("work/.sayso.toml");
    open(&home, 0o1777);
    assert_eq!(home.load().config.step_limit, 2, "nobody else can have made a file of this account");
    // Only root can give files away.
    let other = rustix::process::geteuid().as_raw() + 1;
    if std::os::unix::fs::chown(&file, Some(other), None).is_ok() {
        let loaded = home.load();
        assert_ne!(loaded.config.step_limit, 2, "somebody else made it");
        assert!(loaded.notices.iter().any(|notice| notice.text.contains("work/.sayso.toml was ignored")));
        open(&home, 0o755);
        assert_eq!(home.load().config.step_limit, 2);
    }
    let home = Home::new().with("secret", "key = \"sk-secret\"").with("work/project/a.py", "");
    symlink(home.folder.path().join("secret"), home.folder.path().join(PROJECT)).unwrap();
    let told = home.try_load().unwrap_err().to_string();
    assert!(told.contains("is a link") && !told.contains("sk-secret"), "{told}");
}

#[test]
fn shown_values_hold_no_keys() {
    let loaded = Home::new()
        .with(USER, "[providers.mine]\nbase_url = \"https://ada:pw@x/v1\"\nheaders = { Authorization = \"Bearer k\" }\n")
        .load();
    let shown = show(&loaded);
    assert!(!shown.contains("Bearer") && !shown.contains("pw@"), "{shown}");
    assert!(shown.contains("providers.mine.headers.Authorization = (hidden)"));
    let query =
        "[providers.mine]\nbase_url = \"https://x/v1?key=sk-query\"\nquery = { key = \"sk-query\" }\n";
    let shown = show(&Home::new().with(USER, query).load());
    assert!(!shown.contains("sk-query"), "{shown}");
}

#[test]
fn a_language_has_terminals_where_its_programs_run_here_and_a_project_takes_them_away() {
    let text = "[languages.bash]\npty = true\n[languages.r]\npty = true\n";
    let home = Home::new().with(USER, text);
    let names =
        |home: &Home| home.load().config.terminals().into_iter().map(|name| name.0).collect::<Vec<_>>();
    assert_eq!(names(&home), ["bash", "r"]);
    let home = home.with(PROJECT, "[languages.bash]\npty = false\n");
    assert_eq!(names(&home), ["r"]);
    let home = home.with(USER, &format!("executor = \"container\"\n{text}"));
    assert_eq!(names(&home), [] as [&str; 0]);
}

#[test]
fn the_schema_tells_every_setting() {
    let schema: serde_json::Value = serde_json::from_str(&schema_json()).unwrap();
    let leaf =
        |pointer: &str| schema.pointer(pointer).unwrap_or_else(|| panic!("{pointer}\n{schema:#}")).clone();
    assert_eq!(leaf("/properties/review/properties/arm_ms/minimum"), 500);
    assert_eq!(leaf("/properties/review/properties/arm_ms/default"), 700);
    assert_eq!(leaf("/properties/ui/properties/theme/oneOf/1/properties/dark/type"), "string");
    assert_eq!(leaf("/properties/languages/additionalProperties/properties/enabled/type"), "boolean");
    let headers = "/properties/providers/additionalProperties/properties/headers/additionalProperties/type";
    assert_eq!(leaf(headers), "string");
    assert_eq!(leaf("/additionalProperties"), false);
    assert!(!schema_json().contains("null"), "a setting that is not set has no default");
    assert!(!schema_json().contains("\"description\": \"\""), "each setting has a help");
}

#[test]
fn places_of_files() {
    let home = |name: &str| (name == "SAYSO_HOME").then(|| "/x".to_owned());
    let paths = Paths::find(&home).unwrap();
    assert_eq!(
        (paths.file(), paths.sessions()),
        (PathBuf::from("/x/config.toml"), PathBuf::from("/x/sessions"))
    );
    assert!(Paths::find(&|_| Some("relative".into())).is_err());
}
