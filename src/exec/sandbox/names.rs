//! The names that policies are made of: what belongs to the system, what is protected, what is secret. Data.

/// Folders of the system: programs and libraries, readable by everybody anyway.
pub(super) const SYSTEM: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// What programs look up in `/etc`. Not all of it: some of it is secret.
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

/// Facts of the machine that programs ask for, and caches that save them work.
pub(super) const MACHINE: &[&str] = &["/sys/devices/system/cpu", "/var/cache/fontconfig", "/var/lib/texmf"];

/// What the system tells of all processes, where there is no outer layer to give a run its own: programs fail when they
/// are refused what they ask for of their limits. Of control groups it tells their names and use, no more than `/proc`.
pub(super) const KERNEL_TOLD: &[&str] = &["/proc", "/sys/fs/cgroup"];

/// What is kept from being read where the home folder itself is the working folder.
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

/// Devices that every program may use; shared memory is what processes of one program talk through.
pub(super) const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm"];

/// Terminals. Only where they are the run's own: without the outer layer they would be the person's.
pub(super) const TERMINALS: &[&str] = &["/dev/tty", "/dev/ptmx", "/dev/pts"];
