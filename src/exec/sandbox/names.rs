//! The paths that policies are made of: what belongs to the system, what is protected, what is secret. Data only.

/// Folders of the system with programs and libraries that everybody may read anyway.
pub(super) const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// The files in `/etc` that programs need. Not all of `/etc`, because some of it is secret.
pub(super) const SETTINGS: &[&str] = &[
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/java",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/java-25-openjdk",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/php",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/certs",
    "/etc/profile",
    "/etc/protocols",
    "/etc/R",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// Facts about the machine that programs read, and caches that save them work.
pub(super) const MACHINE: &[&str] = &["/sys/devices/system/cpu", "/var/cache/fontconfig", "/var/lib/texmf"];

/// What the kernel shows of all processes; readable if no outer layer gives a run its own view, because programs fail
/// when they can't read their limits. Of control groups this shows names and use, no more than `/proc` does.
pub(super) const KERNEL_TOLD: &[&str] = &["/proc", "/sys/fs/cgroup"];

/// Folders with nothing in them but what the kernel shows of itself, of devices and of all programs.
pub(super) const KERNEL_FOLDERS: &[&str] = &["/proc", "/sys", "/dev"];

/// The folder among these in which everybody can make files: they are in memory.
pub(super) const MEMORY_FILES: &str = "/dev/shm";

/// What is not readable if the home folder itself is the working folder.
pub(super) const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".password-store",
    ".vault-token",
    ".s3cfg",
    ".boto",
    ".mozilla",
    ".thunderbird",
    ".electrum",
    ".bitcoin",
    ".bash_history",
    ".zsh_history",
    ".python_history",
    ".node_repl_history",
    ".psql_history",
    ".claude",
    ".claude.json",
    ".codex",
    ".gem/credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".terraform.d/credentials.tfrc.json",
    ".config/gcloud",
    ".config/gh",
    ".config/hub",
    ".config/op",
    ".config/rclone",
    ".config/git/credentials",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".config/sayso",
    ".local/share/keyrings",
    ".local/share/sayso",
    ".local/share/uv/credentials",
    ".local/state/sayso",
    "Library/Keychains",
];

/// Devices that every program may use. Processes of one program communicate through shared memory.
pub(super) const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm"];

/// Terminals. Allowed only if they are the run's own; without the outer layer they would be the person's.
pub(super) const TERMINALS: &[&str] = &["/dev/tty", "/dev/ptmx", "/dev/pts"];
