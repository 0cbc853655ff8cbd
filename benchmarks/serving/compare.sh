#!/usr/bin/env bash
# Compares "troupe serve" with what services in Python do: FastAPI and TensorFlow, grpcio and
# TensorFlow. The same model, requests and clients, one server at a time.
#
#	pip install -r serve/testdata/clients/requirements.txt
#	pip install --no-deps tensorflow-serving-api==2.19.1
#	benchmarks/serving/compare.sh FOLDER BODY [CLIENTS]
#
# BODY is a file with {"instances": ...}. PYTHON names the interpreter, FOR the time of a
# measurement, ROUNDS how often they are measured in turn.
set -euo pipefail
folder=$1 body=$2 clients=${3:-1,8,64}
here=$(cd "$(dirname "$0")" && pwd)
export TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=
bin=$(mktemp -d)
server=
stop() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	wait 2>/dev/null || true
	server=
}
trap 'stop; rm -rf "$bin"' EXIT
(cd "$here/../.." && CGO_ENABLED=0 go build -o "$bin" ./cmd/troupe ./benchmarks/serving)
up() { # waits for a port
	for _ in $(seq 600); do
		(: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return
		sleep 0.1
	done
	echo "port $1 is not served" >&2
	exit 1
}
rest() {
	"$bin/serving" --for "${FOR:-3s}" --header "Content-Type: application/json" --clients "$clients" --body "$body" "$1"
}
rpc() {
	"$bin/serving" --for "${FOR:-3s}" --clients "$clients" --model "$folder" "grpc://127.0.0.1:$1/m"
}
for _ in $(seq "${ROUNDS:-2}"); do
	echo "REST, FastAPI and TensorFlow"
	"${PYTHON:-python3}" "$here/fastapi_server.py" "$folder" 18601 2>/dev/null &
	server=$!
	up 18601
	rest http://127.0.0.1:18601/predict
	stop
	echo "gRPC, grpcio and TensorFlow"
	"${PYTHON:-python3}" "$here/grpc_server.py" "$folder" 18603 2>/dev/null &
	server=$!
	up 18603
	rpc 18603
	stop
	"$bin/troupe" serve "m=$folder" --rest 127.0.0.1:18602 --grpc 127.0.0.1:18604 --quiet >"$bin/log" 2>&1 &
	server=$!
	up 18604
	until curl -sf -o /dev/null http://127.0.0.1:18602/readyz; do sleep 0.1; done
	echo "REST, troupe serve"
	rest http://127.0.0.1:18602/v1/models/m:predict
	echo "gRPC, troupe serve"
	rpc 18604
	stop
done
