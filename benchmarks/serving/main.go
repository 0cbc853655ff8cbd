// Command serving measures a server of models under load: it sends the requests of a file
// from a number of clients, each of which waits for its answer, or at random times with a
// given rate (Poisson's), and prints the requests a second and the latencies.
//
//	troupe serve digits=examples/serve/digits &
//	go run ./benchmarks/serving --clients 1,4,16,64 --body request.json http://localhost:8501/v1/models/digits:predict
//	go run ./benchmarks/serving --rate 2000 --body request.json http://localhost:8501/v1/models/digits:predict
//
// With --model FOLDER, whose signature says what a request is, an address grpc://HOST:PORT/NAME
// is that of TensorFlow Serving's Predict. A binary body of the Open Inference Protocol needs --header
// "Inference-Header-Content-Length: N". With --model FOLDER it measures without a server: a
// manager in this process, so that the cost of batching is that of the models alone, with
// batching off and on, and with parameters of TensorFlow Serving (--parameters FILE). With
// --table FOLDER it does so for each model in a folder, with twelve sets of parameters, and
// prints the adaptive batching next to the best of them:
//
//	python benchmarks/serving/networks.py /tmp/networks
//	go run ./benchmarks/serving --table /tmp/networks --clients 1,8,64,256 --for 700ms
//
// With --storm PID it sends a server with that process, on this machine, five times what it can
// do, in turns with what it can, and prints the share that it keeps by the clock and by its
// processor time, which is not the clients'; with --refused PID it sends requests to a model
// that is full, and prints what a refusal takes. --write-slow FOLDER writes the model for both,
// --products products of matrices long, or without end if that is 0:
//
//	go run ./benchmarks/serving --write-slow /tmp/slow --products 30
//	troupe serve slow=/tmp/slow --waiting 28 --quiet &
//	go run ./benchmarks/serving --storm $! --for 60s http://127.0.0.1:8501/v1/models/slow:predict
//	go run ./benchmarks/serving --storm $! --for 60s grpc://127.0.0.1:8500/slow
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/batch"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func main() {
	clients := flag.String("clients", "1,4,16,64", "numbers of clients that each wait for an answer")
	rate := flag.Float64("rate", 0, "send so many requests a second at random times, in place of --clients")
	body := flag.String("body", "", "file with the body of a request")
	folder := flag.String("model", "", "measure the SavedModel in this folder, without a server")
	parameters := flag.String("parameters", "", "with --model: batch as this file says")
	only := flag.String("kinds", "off,adaptive,parameters", "with --model: what to measure")
	rows := flag.Int64("rows", 1, "with --model: rows of a request")
	took := flag.Duration("for", 3*time.Second, "time of a measurement")
	tables := flag.String("table", "", "measure each SavedModel in this folder, without a server, with many parameters")
	rounds := flag.Int("rounds", 5, "with --table: measure the best parameters and the adaptive batching so often, in turn")
	header := flag.String("header", "", "a header of the requests, NAME: VALUE")
	storming := flag.Int("storm", 0, "send the server with this process five times what it can do")
	refusing := flag.Int("refused", 0, "measure what the server with this process takes to refuse")
	slow := flag.String("write-slow", "", "write a model that takes a while")
	products := flag.Int("products", 30, "with --write-slow: products of matrices")
	flag.Parse()
	switch {
	case *slow != "":
		writeSlow(*slow, *products)
		return
	case *storming != 0:
		const turns = 6
		s := newStorm(flag.Arg(0), *storming)
		s.run(*took, turns)
		fmt.Println(s)
		return
	case *refusing != 0:
		for _, text := range strings.Split(*clients, ",") {
			n, err := strconv.Atoi(text)
			check(err)
			fmt.Println(newStorm(flag.Arg(0), *refusing).refusals(*took, n))
		}
		return
	}
	if *tables != "" {
		table(*tables, *clients, *rows, *took, *rounds)
		return
	}
	targets := map[string]func(context.Context) error{}
	var order []string
	if address, ok := strings.CutPrefix(flag.Arg(0), "grpc://"); ok {
		if *folder == "" {
			check(fmt.Errorf("grpc:// needs --model"))
		}
		m := managed(*folder, serve.Batching{Off: true})
		defer m.Close(context.Background())
		order = []string{"server"}
		targets["server"] = overGRPC(address, inputs(m, *rows))
	} else if *folder != "" {
		for _, kind := range strings.Split(*only, ",") {
			b := serve.Batching{Off: kind == "off"}
			if kind == "parameters" {
				if *parameters == "" {
					continue
				}
				var err error
				b.Parameters, err = batch.ReadParameters(*parameters)
				check(err)
			}
			m := managed(*folder, b)
			defer m.Close(context.Background())
			order = append(order, kind)
			targets[kind] = predict(m, *rows)
		}
	} else {
		text, err := os.ReadFile(*body)
		check(err)
		url := flag.Arg(0)
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1 << 12}}
		order = []string{"server"}
		targets["server"] = func(ctx context.Context) error {
			r, err := http.NewRequestWithContext(ctx, "POST", url, bytes.NewReader(text))
			if err != nil {
				return err
			}
			if name, value, ok := strings.Cut(*header, ":"); ok {
				r.Header.Set(name, strings.TrimSpace(value))
			}
			reply, err := client.Do(r)
			if err != nil {
				return err
			}
			defer reply.Body.Close()
			answer, err := io.ReadAll(reply.Body)
			if err == nil && reply.StatusCode != 200 {
				err = fmt.Errorf("%d: %.200s", reply.StatusCode, answer)
			}
			return err
		}
	}
	if *rate > 0 {
		for _, kind := range order {
			fmt.Printf("%-10s %14s: %v\n", kind, fmt.Sprintf("%.0f/s offered", *rate), open(targets[kind], *rate, *took))
		}
		return
	}
	for _, text := range strings.Split(*clients, ",") {
		n, err := strconv.Atoi(text)
		check(err)
		for _, kind := range order {
			fmt.Printf("%-10s %14s: %v\n", kind, fmt.Sprintf("%d clients", n), closed(targets[kind], n, *took))
		}
	}
}

// managed returns a manager in this process with the model m.
func managed(folder string, b serve.Batching) *serve.Manager {
	m := serve.New(serve.Options{Batching: b, Running: 1 << 10, Waiting: 1 << 16, Places: 1 << 10})
	check(m.Add(context.Background(), serve.Config{Name: "m", Path: folder}))
	return m
}

// predict returns what sends a request to the model m.
func predict(m *serve.Manager, rows int64) func(context.Context) error {
	inputs := inputs(m, rows)
	return func(ctx context.Context) error {
		_, _, err := m.Predict(ctx, serve.Spec{Model: "m"}, inputs)
		return err
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// inputs makes inputs of a model's signature.
func inputs(m *serve.Manager, rows int64) map[string]*tensor.Tensor {
	u, err := m.Use(serve.Spec{Model: "m"})
	check(err)
	defer u.Close()
	in := map[string]*tensor.Tensor{}
	for name, info := range u.Model().Signatures["serving_default"].Inputs {
		dims, err := info.Shape.ToSlice()
		check(err)
		for i := range dims {
			if dims[i] < 0 {
				dims[i] = 16
			}
		}
		dims[0] = rows
		in[name], err = tensor.New(info.DType, dims...)
		check(err)
	}
	return in
}

// closed measures clients that each wait for their answers. Answers come in batches, and
// few of them where steps are long: the rate is that from the last answer before a part of
// the time has passed, which is not counted, to the last one at all.
func closed(send func(context.Context) error, clients int, took time.Duration) result {
	const warm = 4
	begin := time.Now()
	counted, end := begin.Add(took/warm), begin.Add(took)
	type answer struct {
		at   time.Time
		took time.Duration
	}
	all := make([][]answer, clients)
	var work time.Duration
	var wait sync.WaitGroup
	wait.Go(func() {
		time.Sleep(time.Until(counted))
		before := used()
		time.Sleep(time.Until(end))
		work = used() - before
	})
	for i := range clients {
		wait.Go(func() {
			for now := time.Now(); now.Before(end); {
				check(send(context.Background()))
				done := time.Now()
				all[i] = append(all[i], answer{done, done.Sub(now)})
				now = done
			}
		})
	}
	wait.Wait()
	first, last := begin, begin
	for _, a := range slices.Concat(all...) {
		if a.at.After(first) && !a.at.After(counted) {
			first = a.at
		}
		if a.at.After(last) && !a.at.After(end) {
			last = a.at
		}
	}
	var list []time.Duration
	for _, a := range slices.Concat(all...) {
		if a.at.After(first) && !a.at.After(last) {
			list = append(list, a.took)
		}
	}
	return resultOf(list, last.Sub(first), work)
}

// open measures requests that arrive at random times.
func open(send func(context.Context) error, rate float64, took time.Duration) result {
	rng := rand.New(rand.NewPCG(1, 2))
	var mu sync.Mutex
	var all []time.Duration
	var wait sync.WaitGroup
	begin, before := time.Now(), used()
	for at := time.Duration(0); at < took; at += time.Duration(rng.ExpFloat64() / rate * float64(time.Second)) {
		time.Sleep(time.Until(begin.Add(at)))
		arrived := begin.Add(at)
		wait.Go(func() {
			err := send(context.Background())
			if status.CodeOf(err) == status.ResourceExhausted {
				return // more come than fit: the rate of answers shows it
			}
			check(err)
			mu.Lock()
			all = append(all, time.Since(arrived))
			mu.Unlock()
		})
	}
	wait.Wait()
	return resultOf(all, time.Since(begin), used()-before)
}

// A result is that of a measurement.
type result struct {
	rate     float64 // requests a second
	work     float64 // requests for each second of CPUs, client and server together
	p50, p99 time.Duration
}

func resultOf(all []time.Duration, took, cpu time.Duration) result {
	if len(all) == 0 {
		return result{}
	}
	slices.Sort(all)
	at := func(share float64) time.Duration { return all[min(len(all)-1, int(share*float64(len(all))))] }
	return result{float64(len(all)) / took.Seconds(), float64(len(all)) / max(cpu, 1).Seconds(), at(0.5), at(0.99)}
}

func (r result) String() string {
	return fmt.Sprintf("%9.0f/s, %.0f per CPU-second, p50 %v, p99 %v", r.rate, r.work, r.p50.Round(time.Microsecond), r.p99.Round(time.Microsecond))
}
