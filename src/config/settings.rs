//! Every setting there is: its name, its form, its bounds, whether a project may tighten it, and what it is for.
//!
//! One table drives the checks of all layers, what a project file may say, the JSON schema, and the test that the
//! example file is complete. The values that hold without any file stand in `schema` (`Default`), and nowhere else.

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingForm {
    /// A text that is not empty.
    Text,
    /// One of these words.
    Words(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A whole number within these bounds.
    Whole(i64, i64),
    /// An amount of US dollars, up to this many.
    Dollars(i64),
    /// A list of paths: absolute, or below `~/`.
    Paths,
    /// A size within these bounds: a number of bytes, or a text like `64 KiB`.
    Bytes(i64, i64),
    /// A list of texts.
    Texts,
    /// A text, or a list of texts.
    TextOrTexts,
    /// A path: absolute, or below `~/`.
    Folder,
    /// A program: a name that is looked up, or a path.
    Program,
    /// An address that begins with `http://` or `https://`.
    Address,
    /// An executor: `local`, `container`, `container:IMAGE`, `jupyter`, `jupyter:KERNEL`.
    Executor,
}

/// What a project's file may do with a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tighten {
    Never,
    Lower,
    Higher,
    /// Set it to this word.
    Word(&'static str),
    Off,
    /// Add to the list.
    Add,
}

/// One setting. A `*` in its name stands for a name that the person chooses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Its name, with dots: `review.arm_ms`.
    pub name: &'static str,
    /// The form of its value.
    pub form: SettingForm,
    /// What a project may do with it.
    pub tighten: Tighten,
    /// What it is for, one line.
    pub help: &'static str,
}

const fn setting(name: &'static str, form: SettingForm, tighten: Tighten, help: &'static str) -> Setting {
    Setting { name, form, tighten, help }
}

use super::providers::{Effort, ProviderKind};
use SettingForm::{
    Address, Bytes, Dollars, Executor, Flag, Folder, Paths, Program, Text, TextOrTexts, Texts, Whole, Words,
};
use Tighten::{Add, Higher, Lower, Never, Off, Word};
use strum::VariantNames as _;

const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;
const TIB: i64 = 1 << 40;
const TOKENS: i64 = 100_000_000;

/// All settings, in the order of the example file.
pub(crate) const SETTINGS: &[Setting] = &[
    setting("model", Text, Never, "who answers: PROVIDER/MODEL, as ollama/qwen3-coder:30b"),
    setting("base_url", Address, Never, "an address for the model's provider, in place of its own"),
    setting(
        "dialect",
        Words(&["auto", "fences", "execute-tags", "tools"]),
        Never,
        "how the model is told to hand over code",
    ),
    setting("step_limit", Whole(1, 1000), Lower, "requests to the model in one turn before it asks"),
    setting(
        "repeat_limit",
        Whole(2, 100),
        Lower,
        "times that the same code is proposed in a turn before it asks",
    ),
    setting("review.arm_ms", Whole(500, 5000), Higher, "milliseconds without a key before a decision counts"),
    setting(
        "review.seen_ms",
        Whole(100, 5000),
        Higher,
        "milliseconds that a line is on screen before it counts as seen",
    ),
    setting("review.burst_ms", Whole(10, 200), Higher, "milliseconds within which two keys are a paste"),
    setting(
        "review.hold_ms",
        Whole(400, 5000),
        Higher,
        "milliseconds that a letter which acts stays alone before it counts; another within them makes a word of both",
    ),
    setting(
        "review.profile",
        Words(&["open", "strict"]),
        Word("strict"),
        "a list of forbidden things that ships: none, or all but work on data alone",
    ),
    setting(
        "review.forbid",
        Texts,
        Add,
        "modules, calls, programs and rules that no block may have: [\"urllib\", \"os.system\", \"curl\"]",
    ),
    setting(
        "review.off",
        Texts,
        Never,
        "rules by their ids that say nothing: [\"py.delete-file\"]; what is forbidden stays so",
    ),
    setting("review.lower", Texts, Never, "rules that are milder here: [\"sh.delete-tree=medium\"]"),
    setting(
        "review.judge",
        Words(&["off", "medium", "high"]),
        Never,
        "from which severity on a second opinion is asked for by itself",
    ),
    setting(
        "review.judge_model",
        Text,
        Never,
        "the model that is asked for second opinions, in place of the one in use",
    ),
    setting(
        "context.tokens",
        Whole(1024, TOKENS),
        Lower,
        "tokens of a conversation, reply included, whatever is known of the model",
    ),
    setting("context.images", Flag, Off, "whether models that can see images are sent those of results"),
    setting("instructions.text", Text, Never, "your words before every conversation"),
    setting("instructions.files", Paths, Never, "files with your words before every conversation"),
    setting("instructions.project", Flag, Off, "whether the model is told the project's AGENTS.md"),
    setting("budget.session", Dollars(10_000), Lower, "US dollars that a session may cost before it asks"),
    setting("prices.*.input", Dollars(100_000), Never, "dollars for a million tokens of requests"),
    setting("prices.*.output", Dollars(100_000), Never, "dollars for a million tokens of replies"),
    setting(
        "prices.*.cached",
        Dollars(100_000),
        Never,
        "dollars for a million tokens that came from a cache",
    ),
    setting(
        "prices.*.cache_written",
        Dollars(100_000),
        Never,
        "dollars for a million tokens that were written to a cache",
    ),
    setting(
        "prices.*.long.above",
        Whole(1, TOKENS),
        Never,
        "tokens of a request above which the prices of `long` hold for all of it",
    ),
    setting("prices.*.long.input", Dollars(100_000), Never, "as input, for long requests"),
    setting("prices.*.long.output", Dollars(100_000), Never, "as output, for long requests"),
    setting("prices.*.long.cached", Dollars(100_000), Never, "as cached, for long requests"),
    setting("prices.*.long.cache_written", Dollars(100_000), Never, "as cache_written, for long requests"),
    setting("limits.wall", Whole(1, 86_400), Lower, "seconds that a run may take"),
    setting(
        "limits.output",
        Bytes(4 * KIB, 64 * MIB),
        Lower,
        "bytes of each stream kept in memory and in the session",
    ),
    setting(
        "limits.output_file",
        Bytes(0, TIB),
        Lower,
        "bytes of all output kept in a file beside the session",
    ),
    setting("limits.to_model", Bytes(KIB, MIB), Lower, "bytes of a run's output that the model is told"),
    setting(
        "limits.memory",
        Bytes(0, TIB),
        Lower,
        "bytes of memory of all processes of a run together; 0: not limited",
    ),
    setting(
        "limits.processes",
        Whole(0, 1 << 20),
        Lower,
        "processes and threads of a run at the same time; 0: not limited",
    ),
    setting("limits.file", Bytes(0, TIB), Lower, "bytes of each file that a run writes; 0: not limited"),
    setting(
        "limits.open_files",
        Whole(0, 1 << 20),
        Lower,
        "files that each process of a run has open; 0: not limited",
    ),
    setting(
        "sandbox.level",
        Words(&["read-only", "workspace", "off"]),
        Word("read-only"),
        "how runs are confined: the working folder read, or also written, or not at all",
    ),
    setting("sandbox.read", Paths, Never, "more folders that runs may read"),
    setting("sandbox.write", Paths, Never, "more folders that runs may write"),
    setting("sandbox.network", Flag, Off, "whether the network is open to runs"),
    setting(
        "run.environment",
        Texts,
        Never,
        "names of environment variables that runs are given beside the usual ones",
    ),
    setting("run.python", Program, Never, "the Python of the kernel, in place of the one that is found"),
    setting(
        "functions.files",
        Texts,
        Never,
        "Python files whose functions are loaded into the kernel, after you have looked at them; functions.py beside this file where none is named",
    ),
    setting(
        "executor",
        Executor,
        Never,
        "what carries out runs: local, container, container:IMAGE, jupyter, jupyter:KERNEL",
    ),
    setting(
        "executors.container.host",
        Text,
        Never,
        "the address of the container engine, in place of DOCKER_HOST and the usual sockets",
    ),
    setting("executors.container.images.*", Text, Never, "the image of a language"),
    setting(
        "executors.container.folder",
        Words(&["writable", "read-only", "none"]),
        Word("none"),
        "what a container may do with the working folder",
    ),
    setting("executors.container.memory", Bytes(16 * MIB, TIB), Lower, "bytes of memory of a container"),
    setting("executors.container.tmp", Bytes(MIB, TIB), Lower, "bytes of its /tmp, which count as memory"),
    setting("executors.container.processes", Whole(8, 100_000), Lower, "processes in a container"),
    setting("executors.container.processors", Whole(1, 1024), Lower, "processors that a container may use"),
    setting(
        "executors.container.user",
        Text,
        Never,
        "the user in a container, UID:GID; else the account's own",
    ),
    setting(
        "executors.jupyter.url",
        Address,
        Never,
        "the address of a Jupyter server; else kernels of this machine are started",
    ),
    setting(
        "executors.jupyter.token_env",
        Text,
        Never,
        "the environment variable that holds the server's token",
    ),
    setting("executors.jupyter.token_command", Text, Never, "a command that prints the server's token"),
    setting("executors.jupyter.start", Whole(1, 3600), Never, "seconds that a kernel may take to start"),
    setting(
        "executors.jupyter.reconnect",
        Whole(0, 86_400),
        Never,
        "seconds for which a lost connection is made again",
    ),
    setting("languages.*.command", Program, Never, "the program that runs the language"),
    setting("languages.*.aliases", Texts, Never, "other words for it behind the fence"),
    setting("languages.*.extensions", Texts, Never, "extensions of its files, without the dot"),
    setting(
        "languages.*.arguments",
        Texts,
        Never,
        "what the program is given: {file} is the descriptor with the text, {source} a private copy, {folder} the folder",
    ),
    setting(
        "languages.*.compile",
        Texts,
        Never,
        "what the program is given to build {program} from {source}",
    ),
    setting("languages.*.enabled", Flag, Off, "whether its blocks can be run"),
    setting(
        "languages.*.pty",
        Flag,
        Off,
        "whether its blocks have a terminal of their own from the start, as with T in the review",
    ),
    setting("ui.theme", Text, Never, "a theme by name; or a pair: theme = { dark = \"…\", light = \"…\" }"),
    setting("ui.theme.dark", Text, Never, "the theme on a dark background"),
    setting("ui.theme.light", Text, Never, "the theme on a light background"),
    setting(
        "ui.mouse",
        Flag,
        Never,
        "whether clicks, drags and the wheel are taken; the terminal has them else",
    ),
    setting("ui.motion", Flag, Never, "whether anything moves by itself, as the spinner does"),
    setting(
        "ui.images",
        Words(&["auto", "kitty", "iterm2", "sixel", "half", "off"]),
        Never,
        "how images are drawn",
    ),
    setting("ui.fps", Whole(1, 60), Never, "frames a second at the most, while text streams in"),
    setting(
        "ui.notify",
        Flag,
        Never,
        "whether the terminal calls you when something waits, and is told what goes on",
    ),
    setting("editor.vim", Flag, Never, "whether Message and the editor of blocks take the keys of vim"),
    setting("editor.command", Text, Never, "the editor for Ctrl-G, in place of VISUAL and EDITOR"),
    setting(
        "undo.total",
        Bytes(0, TIB),
        Never,
        "bytes of all copies that are made before runs, to take back what they change; 0: none are made",
    ),
    setting("undo.file", Bytes(0, TIB), Never, "bytes of a file of which such a copy is made"),
    setting(
        "undo.files",
        Whole(1, 1_000_000),
        Never,
        "files and folders beyond which nothing of a folder is remembered before a run",
    ),
    setting("sessions.folder", Folder, Never, "where sessions are kept"),
    setting("providers.*.kind", Words(ProviderKind::VARIANTS), Never, "how the provider is spoken to"),
    setting("providers.*.base_url", Address, Never, "its address"),
    setting(
        "providers.*.key_env",
        TextOrTexts,
        Never,
        "the environment variable that holds its key; of a list the first that is set",
    ),
    setting(
        "providers.*.key_command",
        TextOrTexts,
        Never,
        "a program that writes the key: a list is run as it is, a line by the shell",
    ),
    setting("providers.*.keyring", Flag, Never, "whether the key is in the system's keyring"),
    setting("providers.*.model", Text, Never, "the model that is asked where none is named"),
    setting("providers.*.headers.*", Text, Never, "a header that is sent with every request"),
    setting("providers.*.query.*", Text, Never, "what stands behind the ? of every request, as api-version"),
    setting(
        "providers.*.context",
        Whole(1024, TOKENS),
        Never,
        "tokens of a conversation, reply included, where nothing else is known of a model",
    ),
    setting("providers.*.max_output", Whole(16, TOKENS), Never, "tokens that a reply may have at the most"),
    setting(
        "providers.*.effort",
        Words(Effort::VARIANTS),
        Never,
        "how much its models are to think before they answer; without it as the server has it",
    ),
    setting("providers.*.timeouts.connect", Whole(1, 3600), Never, "seconds for the connection"),
    setting("providers.*.timeouts.first_token", Whole(1, 3600), Never, "seconds until the reply begins"),
    setting("providers.*.timeouts.silence", Whole(1, 3600), Never, "seconds between two pieces of a reply"),
    setting("providers.*.models.*.context", Whole(1024, TOKENS), Never, "tokens of a conversation with it"),
    setting("providers.*.models.*.max_output", Whole(16, TOKENS), Never, "tokens that its reply may have"),
    setting("providers.*.models.*.effort", Words(Effort::VARIANTS), Never, "how much it is to think"),
    setting("providers.*.models.*.images", Flag, Never, "whether it can see images"),
];

/// The setting with this name.
pub(crate) fn find(name: &[String]) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| {
        let mut wanted = setting.name.split('.');
        name.iter().all(|part| wanted.next().is_some_and(|want| fits(want, part))) && wanted.next().is_none()
    })
}

/// What may stand below this name: the next parts of the names of all settings that begin with it.
pub(crate) fn below(name: &[String]) -> Vec<&'static str> {
    let mut parts: Vec<&'static str> = Vec::new();
    for setting in SETTINGS {
        let mut wanted = setting.name.split('.');
        if name.iter().all(|part| wanted.next().is_some_and(|want| fits(want, part)))
            && let Some(next) = wanted.next()
            && !parts.contains(&next)
        {
            parts.push(next);
        }
    }
    parts
}

/// Whether this is the name of a table that a person chose: `providers.lab`, `languages.ruby`.
pub(crate) fn is_chosen(name: &[String]) -> bool {
    SETTINGS.iter().any(|setting| {
        let wanted: Vec<&str> = setting.name.split('.').collect();
        wanted.len() > name.len()
            && name.iter().zip(&wanted).all(|(part, want)| fits(want, part))
            && name.len().checked_sub(1).and_then(|last| wanted.get(last)) == Some(&"*")
    })
}

fn fits(want: &str, part: &str) -> bool {
    want == part || (want == "*" && !part.is_empty())
}
