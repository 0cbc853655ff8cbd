#!/usr/bin/env bash
# Compares "troupe serve" with FastAPI and TensorFlow: the same model, requests and client.
#
#	pip install tensorflow-cpu fastapi uvicorn
#	benchmarks/serving/compare.sh FOLDER BODY [CLIENTS]
#
# BODY is a file with {"instances": ...}. PYTHON names the interpreter.
set -euo pipefail
folder=$1 body=$2 clients=${3:-1,8,64}
bin=$(mktemp -d)
servers=()
end() {
	for p in "${servers[@]}"; do kill "$p" 2>/dev/null || true; done
	wait 2>/dev/null || true
	rm -rf "$bin"
}
trap end EXIT
go build -o "$bin" ./cmd/troupe ./benchmarks/serving
"${PYTHON:-python3}" "$(dirname "$0")/fastapi_server.py" "$folder" 18601 &
servers+=($!)
"$bin/troupe" serve "m=$folder" --rest 127.0.0.1:18602 --grpc "" --quiet > "$bin/log" 2>&1 &
servers+=($!)
for url in http://127.0.0.1:18601/docs http://127.0.0.1:18602/readyz; do
	for _ in $(seq 120); do
		curl -sf -o /dev/null "$url" && break
		sleep 1
	done
done
for _ in 1 2; do # in turn
	echo "FastAPI and TensorFlow"
	"$bin/serving" --for "${FOR:-3s}" --header "Content-Type: application/json" --clients "$clients" --body "$body" http://127.0.0.1:18601/predict
	echo "troupe serve"
	"$bin/serving" --for "${FOR:-3s}" --header "Content-Type: application/json" --clients "$clients" --body "$body" http://127.0.0.1:18602/v1/models/m:predict
done
