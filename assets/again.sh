
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
    local _sayso_item _sayso_state
    cat >"$_sayso_files/block"
    bash --noprofile --norc -c "$_sayso_shell" block \
        90<"$_sayso_files/block" 91>"$_sayso_files/state" </dev/null || exit
    mapfile -d '' -t _sayso_state <"$_sayso_files/state"
    # It became another program: what was known before stays.
    [[ ${_sayso_state[0]-} == cwd && ${_sayso_state[-1]} == end ]] || return 0
    cd -- "${_sayso_state[1]%$'\n'}" || exit
    for _sayso_item in $(compgen -e); do
        _sayso_own "$_sayso_item" || unset -v "$_sayso_item"
    done
    for _sayso_item in "${_sayso_state[@]:2:${#_sayso_state[@]}-3}"; do
        _sayso_own "${_sayso_item%%=*}" || export "$_sayso_item"
    done
}
