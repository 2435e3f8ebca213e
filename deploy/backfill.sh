#!/usr/bin/env bash
# Puts the history of a run into a new folder, recording rules included, and starts Prometheus on it:
#   deploy/backfill.sh FOLDER --log server.log --outputs raw_responses.jsonl
# The flags are those of `sglang-exporter backfill`; without any, Prometheus is started on a folder made before.
set -euo pipefail
bin=${BIN:-$(dirname "$0")/../.venv/bin}
rules=$(dirname "$0")/../prometheus/rules/recording.yml
port=${PORT:-9090}
url=http://127.0.0.1:$port
passes=4     # rules that build on rules are reckoned one level a pass
longest=744h # a block may hold a month: nothing is added to it, so nothing has to be compacted

die() { echo "$1" >&2; exit 1; }

# A folder that is not finished is of no use.
filling=
clean_up() {
  kill $(jobs -p) 2>/dev/null || true
  [[ -z $filling ]] || rm -rf "$folder"
}
trap clean_up EXIT

[[ $# -gt 0 && $1 != -* ]] || die "usage: $0 FOLDER [flags of sglang-exporter backfill]"
folder=$1 && shift
for program in prometheus promtool; do
  command -v "$program" >/dev/null || die "$program is not installed: apt-get install prometheus"
done
"$bin/python" -c "import socket, sys; socket.create_server(('127.0.0.1', int(sys.argv[1])))" "$port" 2>/dev/null ||
  die "port $port is taken; PORT=9091 takes another"

# start BLOCKS: Prometheus on these blocks. A sample is shown for one step and no longer, so that a gap is a gap.
start() {
  exec prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$1" --storage.tsdb.retention.time=100y \
    --query.lookback-delta="$(<"$folder/step")" --web.listen-address="127.0.0.1:$port" --log.level=error
}

# reckon BLOCKS: the recording rules over these blocks, into $folder/rules.
reckon() {
  start "$1" &
  until "$bin/python" -c "import sys, urllib.request as u; u.urlopen(sys.argv[1] + '/-/ready')" "$url" 2>/dev/null; do
    kill -0 $! 2>/dev/null || die "Prometheus ended"
    sleep 0.1
  done
  promtool tsdb create-blocks-from --max-block-duration=$longest rules --url="$url" --start="$from" --end="$to" \
    --output-dir="$folder/rules" --eval-interval="$(<"$folder/step")" "$rules" 2>"$folder/rules.log" ||
    die "$(<"$folder/rules.log")"
  kill $! && wait $! || true
}

if [[ $# -gt 0 ]]; then
  [[ ! -e $folder ]] || die "$folder is there already; take a new one, or give no flags to start Prometheus on it"
  filling=yes
  mkdir -p "$folder/blocks"
  "$bin/sglang-exporter" backfill "$@" >"$folder/history.om"
  read -r from to step < <(awk '!/^#/ { at = $NF; if (!low || at < low) low = at; if (at > high) high = at }
    /^sglang_exporter_build_info/ { if (before && (!step || at - before < step)) step = at - before; before = at }
    END { printf "%.0f %.0f %.0fms\n", low, high + 1, 1000 * (step ? step : 15) }' "$folder/history.om")
  echo "$step" >"$folder/step"
  printf 'global: {scrape_interval: %s}\n' "$step" >"$folder/prometheus.yml"
  promtool tsdb create-blocks-from --max-block-duration=$longest openmetrics --quiet "$folder/history.om" "$folder/blocks"
  rm "$folder/history.om"
  mkdir "$folder/rules"
  for ((pass = 1; pass <= passes; pass++)); do
    mkdir "$folder/pass"
    cp -al "$folder"/blocks/* "$folder/pass"
    find "$folder/rules" -mindepth 1 -maxdepth 1 -exec mv {} "$folder/pass" \;
    reckon "$folder/pass"
    rm -r "$folder/pass"
  done
  find "$folder/rules" -mindepth 1 -maxdepth 1 -exec mv {} "$folder/blocks" \;
  rmdir "$folder/rules" && rm "$folder/rules.log"
  echo "$((from * 1000)) $((to * 1000))" >"$folder/range"
  filling=
fi
read -r from to <"$folder/range"
echo "Prometheus: $url/graph?g0.expr=sglang_server_running_requests&g0.end_input=$(date -u -d "@$((to / 1000))" +%FT%T)Z&g0.range_input=$(((to - from) / 1000))s"
echo "Grafana:    data source $url, dashboard \"SGLang server\" with ?from=$from&to=$to. Ctrl-C ends Prometheus."
start "$folder/blocks"
