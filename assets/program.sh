fail() { echo "$1"; exit 99; }
while read -r name value; do case $name in CapEff:|CapPrm:) case $value in *[!0]*) fail "its processes have capabilities";; esac;; NoNewPrivs:) [ "$value" = 1 ] || fail "its processes can gain privileges";; esac; done </proc/self/status
rows=0; while read -r row; do rows=$((rows + 1)); done 2>/dev/null </proc/net/route; [ "$3" = open ] || [ "$rows" -le 1 ] || fail "it has a network"
if (: >/.sayso) 2>/dev/null; then fail "its root can be written"; fi
size=$1; label=$2; mark=$4; shift 4
mkdir -p "$HOME" /tmp/.sayso || fail "its /tmp can't be written"
echo ready
head -c "$size" >"/tmp/.sayso/$label" || exit 98
exec 3<&0 </dev/null
{ cat <&3 >/dev/null; kill -KILL -1; } >/dev/null 2>&1 &
exec 3<&-
"$@" "/tmp/.sayso/$label"
status=$?
[ -z "$mark" ] || [ ! -s /tmp/.sayso/.state ] || { printf %s "$mark"; cat /tmp/.sayso/.state; } 2>/dev/null
exit $status
