# Writes a block's source to a file and builds it, or runs a program with the file. The source is copied from descriptor
# 90 to a private folder, which is removed before the built program starts, or when the program ends. Progress is
# written to descriptor 91: `build`, then `run`. $1: the folder, which must not exist yet; $2: the name of the file;
# $3: how many of the following words are the command that builds.
umask 077
echo build >/dev/fd/91
d=$1 name=$2 count=$3 folder=$PWD
shift 3
mkdir "$d" || { echo 'no folder for temporary files can be written' >&2; exit 126; }
trap 'rm -rf "$d"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cat /dev/fd/90 >"$d/$name" || exit 126
case $name in
*ts)
    # Modules search for packages beside their file and ignore NODE_PATH. If both folders have a name, the first counts.
    if [ -n "$NODE_PATH" ] && mkdir "$d/node_modules"; then
        for packages in "${NODE_PATH%%:*}" "${NODE_PATH#*:}"; do
            [ -d "$packages" ] || continue
            ln -s "$packages"/[!@]* "$d/node_modules/" 2>/dev/null
            # Both may contain packages of the same scope.
            for scope in "$packages"/@*; do
                [ -d "$scope" ] || continue
                mkdir -p "$d/node_modules/${scope##*/}"
                ln -s "$scope"/* "$d/node_modules/${scope##*/}/" 2>/dev/null
            done
        done
    fi
    ;;
esac
source=$name at=0 all=$#
[ "$count" -eq 0 ] && source=$d/$name
while [ "$at" -lt "$all" ]; do
    word=$1
    shift
    case $word in
        '{source}') word=$source ;;
        '{program}') word=$d/program ;;
        '{folder}') word=$folder ;;
    esac
    set -- "$@" "$word"
    at=$((at + 1))
done
first() {
    keep=$1 at=0 all=$(($# - 1))
    shift
    while [ "$at" -lt "$all" ]; do
        word=$1
        shift
        [ "$at" -lt "$keep" ] && set -- "$@" "$word"
        at=$((at + 1))
    done
    # In this folder the compiler shows the file by its name alone.
    cd "$d" && "$@"
}
if [ "$count" -gt 0 ]; then
    GOCACHE=${GOCACHE:-$d/cache}
    [ -n "$HOME" ] && [ -w "$HOME" ] || export GOCACHE
    (first "$count" "$@") || exit
    shift "$count"
    echo run >/dev/fd/91
    if [ -e /proc/self/fd/0 ]; then
        exec 9<"$d/program" && rm -rf "$d" && trap - EXIT INT TERM && exec /proc/self/fd/9 "$@"
        exit 126
    fi
    "$d/program" "$@"
else
    echo run >/dev/fd/91
    "$@"
fi
