//! The table of all settings, in the order of the example file.

use super::SettingForm::{
    Address, Bytes, Dollars, Executor, Flag, Folder, Limit, Paths, Program, Text, TextOrTexts, Texts, Whole,
    Words,
};
use super::Tighten::{Add, Higher, Lower, LowerLimit, Never, Off, Word};
use super::{Setting, SettingForm, Tighten};
use crate::config::providers::{Effort, FormatKind};
use strum::VariantNames as _;

const KIB: i64 = 1 << 10;
const MIB: i64 = 1 << 20;
const TIB: i64 = 1 << 40;
/// With fewer open files neither the self-test of the sandbox nor an interpreter starts.
const MIN_OPEN_FILES: i64 = 16;
const MAX_TOKENS: i64 = 100_000_000;

const fn setting(name: &'static str, form: SettingForm, tighten: Tighten) -> Setting {
    Setting { name, form, tighten, help: "" }
}

/// A setting that a project can't change.
const fn own(name: &'static str, form: SettingForm) -> Setting {
    setting(name, form, Never)
}

impl Setting {
    const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}

/// All settings, in the order of the example file.
pub(crate) const SETTINGS: &[Setting] = &[
    own("model", Text).help("who answers: PROVIDER/MODEL, as ollama/qwen3-coder:30b"),
    own("base_url", Address).help("an address for the model's provider, in place of its own"),
    own("dialect", Words(&["auto", "fences", "execute-tags", "tools"]))
        .help("how the model is told to hand over code"),
    setting("step_limit", Whole(1, 1000), Lower).help("requests to the model in one turn before it asks"),
    setting("repeat_limit", Whole(2, 100), Lower)
        .help("times that the same code is proposed in a turn before it asks"),
    setting("review.arm_ms", Whole(500, 5000), Higher)
        .help("milliseconds without a key before a decision counts"),
    setting("review.seen_ms", Whole(100, 5000), Higher)
        .help("milliseconds that a line is on screen before it counts as seen"),
    setting("review.burst_ms", Whole(10, 200), Higher).help("milliseconds within which two keys are a paste"),
    setting("review.hold_ms", Whole(400, 5000), Higher)
        .help("milliseconds that a letter which acts stays alone before it counts; another within them makes a word of both"),
    setting("review.profile", Words(&["open", "strict"]), Word("strict"))
        .help("a list of forbidden things that ships: none, or all but work on data alone"),
    setting("review.forbid", Texts, Add)
        .help("modules, calls, programs and rules that no block may have: [\"urllib\", \"os.system\", \"curl\"]"),
    own("review.off", Texts)
        .help("rules by their ids that say nothing: [\"py.delete-file\"]; what is forbidden stays so"),
    own("review.lower", Texts).help("rules that are milder here: [\"sh.delete-tree=medium\"]"),
    own("review.judge", Words(&["off", "medium", "high"]))
        .help("from which severity on a second opinion is asked for by itself"),
    own("review.judge_model", Text)
        .help("the model that is asked for second opinions, in place of the one in use"),
    setting("context.tokens", Whole(1024, MAX_TOKENS), Lower)
        .help("tokens of a conversation, reply included, whatever is known of the model"),
    setting("context.images", Flag, Off).help("whether models that can see images are sent those of results"),
    own("instructions.text", Text).help("your words before every conversation"),
    own("instructions.files", Paths).help("files with your words before every conversation"),
    setting("instructions.project", Flag, Off).help("whether the model is told the project's AGENTS.md"),
    setting("budget.session", Dollars(10_000), Lower)
        .help("US dollars that a session may cost before it asks"),
    own("prices.*.input", Dollars(100_000)).help("dollars for a million tokens of requests"),
    own("prices.*.output", Dollars(100_000)).help("dollars for a million tokens of replies"),
    own("prices.*.cached", Dollars(100_000)).help("dollars for a million tokens that came from a cache"),
    own("prices.*.cache_written", Dollars(100_000))
        .help("dollars for a million tokens that were written to a cache"),
    own("prices.*.long.above", Whole(1, MAX_TOKENS))
        .help("tokens of a request above which the prices of `long` hold for all of it"),
    own("prices.*.long.input", Dollars(100_000)).help("as input, for long requests"),
    own("prices.*.long.output", Dollars(100_000)).help("as output, for long requests"),
    own("prices.*.long.cached", Dollars(100_000)).help("as cached, for long requests"),
    own("prices.*.long.cache_written", Dollars(100_000)).help("as cache_written, for long requests"),
    setting("limits.wall", Whole(1, 86_400), Lower).help("seconds that a run may take"),
    setting("limits.output", Bytes(4 * KIB, 64 * MIB), Lower)
        .help("bytes of each stream kept in memory and in the session"),
    setting("limits.output_file", Bytes(0, TIB), Lower)
        .help("bytes of all output kept in a file beside the session"),
    setting("limits.to_model", Bytes(KIB, MIB), Lower).help("bytes of a run's output that the model is told"),
    setting("limits.memory", Bytes(0, TIB), LowerLimit)
        .help("bytes of memory of all processes of a run together; 0: not limited"),
    setting("limits.processes", Whole(0, 1 << 20), LowerLimit)
        .help("processes and threads of a run at the same time; 0: not limited"),
    setting("limits.file", Bytes(0, TIB), LowerLimit)
        .help("bytes of each file that a run writes; 0: not limited"),
    setting("limits.open_files", Limit(MIN_OPEN_FILES, 1 << 20), LowerLimit)
        .help("files that each process of a run has open; 0: not limited"),
    setting("sandbox.level", Words(&["read-only", "workspace", "off"]), Word("read-only"))
        .help("how runs are confined: the working folder read, or also written, or not at all"),
    own("sandbox.read", Paths).help("more folders that runs may read"),
    own("sandbox.write", Paths).help("more folders that runs may write"),
    setting("sandbox.network", Flag, Off).help("whether the network is open to runs"),
    own("run.environment", Texts)
        .help("names of environment variables that runs are given beside the usual ones"),
    own("run.python", Program).help("the Python of the kernel, in place of the one that is found"),
    own("functions.files", Texts)
        .help("Python files whose functions are loaded into the kernel, after you have looked at them; functions.py beside this file where none is named"),
    own("executor", Executor)
        .help("what carries out runs: local, container, container:IMAGE, jupyter, jupyter:KERNEL"),
    own("executors.container.host", Text)
        .help("the address of the container engine, in place of DOCKER_HOST and the usual sockets"),
    own("executors.container.images.*", Text).help("the image of a language"),
    setting("executors.container.folder", Words(&["writable", "read-only", "none"]), Word("none"))
        .help("what a container may do with the working folder"),
    setting("executors.container.memory", Bytes(16 * MIB, TIB), Lower).help("bytes of memory of a container"),
    setting("executors.container.tmp", Bytes(MIB, TIB), Lower)
        .help("bytes of its /tmp, which count as memory"),
    setting("executors.container.processes", Whole(8, 100_000), Lower).help("processes in a container"),
    setting("executors.container.processors", Whole(1, 1024), Lower)
        .help("processors that a container may use"),
    own("executors.container.user", Text).help("the user in a container, UID:GID; else the account's own"),
    own("executors.jupyter.url", Address)
        .help("the address of a Jupyter server; else kernels of this machine are started"),
    own("executors.jupyter.token_env", Text).help("the environment variable that holds the server's token"),
    own("executors.jupyter.token_command", Text).help("a command that prints the server's token"),
    own("executors.jupyter.start", Whole(1, 3600)).help("seconds that a kernel may take to start"),
    own("executors.jupyter.reconnect", Whole(0, 86_400))
        .help("seconds for which a lost connection is made again"),
    own("languages.*.command", Program).help("the program that runs the language"),
    own("languages.*.aliases", Texts).help("other words for it behind the fence"),
    own("languages.*.extensions", Texts).help("extensions of its files, without the dot"),
    own("languages.*.arguments", Texts)
        .help("what the program is given: {file} is the descriptor with the text, {source} a private copy, {folder} the folder"),
    own("languages.*.compile", Texts).help("what the program is given to build {program} from {source}"),
    setting("languages.*.enabled", Flag, Off).help("whether its blocks can be run"),
    setting("languages.*.pty", Flag, Off)
        .help("whether its blocks have a terminal of their own from the start, as with T in the review"),
    own("ui.theme", Text).help("a theme by name; or a pair: theme = { dark = \"…\", light = \"…\" }"),
    own("ui.theme.dark", Text).help("the theme on a dark background"),
    own("ui.theme.light", Text).help("the theme on a light background"),
    own("ui.mouse", Flag).help("whether clicks, drags and the wheel are taken; the terminal has them else"),
    own("ui.motion", Flag).help("whether anything moves by itself, as the spinner does"),
    own("ui.images", Words(&["auto", "kitty", "iterm2", "sixel", "half", "off"]))
        .help("how images are drawn"),
    own("ui.fps", Whole(1, 60)).help("frames a second at the most, while text streams in"),
    own("ui.notify", Flag)
        .help("whether the terminal calls you when something waits, and is told what goes on"),
    own("editor.vim", Flag).help("whether Message and the editor of blocks take the keys of vim"),
    own("editor.command", Text).help("your editor (Ctrl-G, E), in place of VISUAL and EDITOR"),
    own("undo.total", Bytes(0, TIB))
        .help("bytes of all copies that are made before runs, to take back what they change; 0: none are made"),
    own("undo.file", Bytes(0, TIB)).help("bytes of a file of which such a copy is made"),
    own("undo.files", Whole(1, 1_000_000))
        .help("files and folders beyond which nothing of a folder is remembered before a run"),
    own("sessions.folder", Folder).help("where sessions are kept"),
    own("providers.*.kind", Words(FormatKind::VARIANTS)).help("how the provider is spoken to"),
    own("providers.*.base_url", Address).help("its address"),
    own("providers.*.key_env", TextOrTexts)
        .help("the environment variable that holds its key; of a list the first that is set"),
    own("providers.*.key_command", TextOrTexts)
        .help("a program that writes the key: a list is run as it is, a line by the shell"),
    own("providers.*.keyring", Flag).help("whether the key is in the system's keyring"),
    own("providers.*.model", Text).help("the model that is asked where none is named"),
    own("providers.*.headers.*", Text).help("a header that is sent with every request"),
    own("providers.*.query.*", Text).help("what stands behind the ? of every request, as api-version"),
    own("providers.*.context", Whole(1024, MAX_TOKENS))
        .help("tokens of a conversation, reply included, where nothing else is known of a model"),
    own("providers.*.max_output", Whole(16, MAX_TOKENS)).help("tokens that a reply may have at the most"),
    own("providers.*.effort", Words(Effort::VARIANTS))
        .help("how much its models are to think before they answer; without it as the server has it"),
    own("providers.*.timeouts.connect", Whole(1, 3600)).help("seconds for the connection"),
    own("providers.*.timeouts.first_token", Whole(1, 3600)).help("seconds until the reply begins"),
    own("providers.*.timeouts.silence", Whole(1, 3600)).help("seconds between two pieces of a reply"),
    own("providers.*.models.*.context", Whole(1024, MAX_TOKENS)).help("tokens of a conversation with it"),
    own("providers.*.models.*.max_output", Whole(16, MAX_TOKENS)).help("tokens that its reply may have"),
    own("providers.*.models.*.effort", Words(Effort::VARIANTS)).help("how much it is to think"),
    own("providers.*.models.*.images", Flag).help("whether it can see images"),
];
