#!/usr/bin/env bash
# Runs stock clients against "troupe serve", side by side with TensorFlow's Python session:
#
#	serve/testdata/clients/run.sh [FOLDER]
#
# FOLDER keeps a virtual environment (venv) and the models that are exported (models) for the
# next run; without it they are made anew. PYTHON names an interpreter that has what
# requirements.txt lists.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work"
export TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=
server=
end() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	wait 2>/dev/null || true
	[ $# = 0 ] || rm -rf "$work"
}
if [ $# = 0 ]; then trap 'end all' EXIT; else trap end EXIT; fi
if [ -z "${PYTHON:-}" ]; then
	PYTHON=$work/venv/bin/python
	if [ ! -x "$PYTHON" ]; then
		python3 -m venv "$work/venv"
		"$PYTHON" -m pip install -q -r "$here/requirements.txt"
		"$PYTHON" -m pip install -q --no-deps tensorflow-serving-api==2.19.1
	fi
fi
if [ ! -d "$work/models" ]; then
	for script in "$here/models.py" "$root/benchmarks/serving/networks.py"; do # whose warnings are many
		"$PYTHON" "$script" "$work/new" >"$work/export" 2>&1 || { cat "$work/export" >&2; exit 1; }
	done
	"$PYTHON" -m zipfile -e "$root/conformance/testdata/models.zip" "$work/zip"
	for folder in "$work"/zip/*/saved_model; do
		mv "$folder" "$work/new/$(basename "$(dirname "$folder")")"
	done
	cp -r "$root/examples/serve/digits" "$work/new/digits"
	mv "$work/new" "$work/models"
fi
(cd "$root" && CGO_ENABLED=0 go build -o "$work/troupe" ./cmd/troupe)
models=()
for folder in "$work"/models/*/; do
	models+=("$(basename "$folder")=${folder%/}")
done
"$work/troupe" serve --rest 127.0.0.1:18701 --grpc 127.0.0.1:18700 --allow-session-run --allow-reload --quiet "${models[@]}" >"$work/log" &
server=$!
for _ in $(seq 600); do
	curl -sf -o /dev/null http://127.0.0.1:18701/readyz && break
	sleep 0.1
done
"$PYTHON" "$here/clients.py" --rest 127.0.0.1:18701 --grpc 127.0.0.1:18700 "${models[@]}" 2>"$work/warnings" || { cat "$work/warnings" >&2; exit 1; }
