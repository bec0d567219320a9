
_sayso_files=$(mktemp -d) || exit
trap 'rm -rf -- "$_sayso_files"' EXIT

# Whether each shell sets a variable by itself, or obeys it before it begins.
_sayso_own() {
    case $1 in
    _ | PWD | SHLVL) ;;
    NODE_OPTIONS | BASH_ENV | ENV | SHELLOPTS | BASHOPTS | PROMPT_COMMAND | PERL5OPT | RUBYOPT) ;;
    PYTHON* | LD_* | DYLD_* | BASH_FUNC_* | GIT_*) ;;
    *) return 1 ;;
    esac
}

# Runs a block in a bash of its own, as the session did: its folder and exported variables go on to the next one.
_sayso_run() {
    local item state
    cat >"$_sayso_files/block"
    bash --noprofile --norc -c "$_sayso_shell" block \
        90<"$_sayso_files/block" 91>"$_sayso_files/state" </dev/null || exit
    mapfile -d '' -t state <"$_sayso_files/state"
    # It became another program: what was known before stays.
    [[ ${state[0]-} == cwd && ${state[-1]} == end ]] || return 0
    cd -- "${state[1]%$'\n'}" || exit
    for item in $(compgen -e); do
        _sayso_own "$item" || unset -v "$item"
    done
    for item in "${state[@]:2:${#state[@]}-3}"; do
        _sayso_own "${item%%=*}" || export "$item"
    done
}
