#!/usr/bin/env bash
# Replays the recording in deploy/demo/recording beside the exporter until Ctrl-C, or for DEMO_SECONDS.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=${BIN:-.venv/bin}
port=${PORT:-17461}

if ! "${bin}/python" -c "import socket, sys; socket.create_server(('127.0.0.1', int(sys.argv[1])))" "$port" 2>/dev/null; then
  echo "port $port is taken; make demo PORT=17462 takes another" >&2
  exit 1
fi
rm -rf .demo
mkdir -p .demo/demo
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
trap 'exit 0' INT TERM

"$bin/sglang-exporter" replay deploy/demo/recording --into .demo/demo &
"$bin/sglang-exporter" serve --log .demo/demo/server.log --outputs .demo/demo/raw_responses.jsonl --total 776 \
  --web.listen-address "127.0.0.1:$port" --log.level warn --checkpoint none &
exporter=$!
sleep "${DEMO_SECONDS:-infinity}" &

echo "Open http://127.0.0.1:$port/ in a browser; what Prometheus scrapes is http://127.0.0.1:$port/metrics. Ctrl-C ends the demo."
wait -n "$exporter" $!
