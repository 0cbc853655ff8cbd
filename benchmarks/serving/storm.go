package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// writeSlow writes a model that multiplies matrices of 192 × 192 for a while, one request at a
// time: its signature has no first dimension that is unknown. Without products it waits until
// its request ends.
func writeSlow(folder string, products int) {
	text := "x = Placeholder() {dtype=DT_FLOAT, shape=shape [2]}\n"
	if products == 0 {
		text += `
q = FIFOQueueV2() {component_types=[DT_FLOAT]}
y = QueueDequeueV2(q) {component_types=[DT_FLOAT]}
`
	} else {
		text += `
axis = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 0>}
sum = Sum(x, axis)
dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 192 192>}
p0 = Fill(dims, sum)
`
		for i := range products {
			text += fmt.Sprintf("p%d = MatMul(p%d, p0)\n", i+1, i)
		}
		text += fmt.Sprintf(`both = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 0 1>}
y = Sum(p%d, both)
`, products)
	}
	g := graph.New()
	check(notation.Add(g, text))
	check(model.Write(folder, model.Export{Graph: g, Signatures: map[string]model.ExportSignature{
		"serving_default": {Inputs: map[string]graph.Output{"x": g.Operation("x").Output(0)}, Outputs: map[string]graph.Output{"y": g.Operation("y").Output(0)}},
	}}))
}

// slowRequest is a request for the model that writeSlow writes.
const slowRequest = `{"inputs": [0.001, 0.002]}`

// A storm sends a server five times what it can do, in turns with as much as it can, and
// measures the processor time that each takes in the server's process: that of the clients,
// which may share the machine, is not the server's.
type storm struct {
	ask func() (refused bool, err error)
	pid int // the server's

	during [2]phase // without and with the storm
}

// A phase is what happened in all turns of a kind.
type phase struct {
	accepted, refused, unsent atomic.Int64
	took, cpu                 time.Duration
}

func (p *phase) rate() float64 { return float64(p.accepted.Load()) / p.took.Seconds() }

// work returns the accepted requests for each second of the server's CPUs.
func (p *phase) work() float64 { return float64(p.accepted.Load()) / p.cpu.Seconds() }

// mostAsked bounds the requests that are under way: a client has descriptors of its own.
const mostAsked = 4096

func (s *storm) one(p *phase) {
	refused, err := s.ask()
	switch {
	case err != nil:
		check(err)
	case refused:
		p.refused.Add(1)
	default:
		p.accepted.Add(1)
	}
}

// measure runs a phase for a time.
func (s *storm) measure(p *phase, d time.Duration, send func(context.Context)) {
	ctx, stop := context.WithTimeout(context.Background(), d)
	defer stop()
	begin, before := time.Now(), usedBy(s.pid)
	send(ctx)
	p.took += time.Since(begin)
	p.cpu += usedBy(s.pid) - before
}

// run measures in so many turns.
func (s *storm) run(took time.Duration, turns int) {
	for range turns {
		calm := &s.during[0]
		had := calm.accepted.Load()
		had0 := calm.took
		s.measure(calm, took/time.Duration(3*turns), func(ctx context.Context) {
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					for ctx.Err() == nil {
						s.one(calm)
					}
				})
			}
			group.Wait()
		})
		rate := 5 * float64(calm.accepted.Load()-had) / (calm.took - had0).Seconds()
		full := &s.during[1]
		s.measure(full, 2*took/time.Duration(3*turns), func(ctx context.Context) {
			present := make(chan struct{}, mostAsked)
			var group sync.WaitGroup
			defer group.Wait()
			tick := time.NewTicker(time.Millisecond)
			defer tick.Stop()
			begin := time.Now()
			for n := 0; ; {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				for due := int(time.Since(begin).Seconds() * rate); n < due; n++ {
					select {
					case present <- struct{}{}:
						group.Go(func() {
							s.one(full)
							<-present
						})
					default:
						full.unsent.Add(1)
					}
				}
			}
		})
	}
}

func (s *storm) String() string {
	calm, full := &s.during[0], &s.during[1]
	cost := full.cpu - time.Duration(float64(full.accepted.Load())/calm.work()*float64(time.Second))
	n := max(1, full.refused.Load())
	return fmt.Sprintf(`capacity %.0f/s, %.0f for each second of the server's CPUs
at five times that: %.0f/s accepted, %.0f for each second of the server's CPUs; %.0f/s refused, %.0f/s not sent
kept: %.1f%% by the clock, %.1f%% by the server's processor time; a refusal takes %.1f µs of it`,
		calm.rate(), calm.work(), full.rate(), full.work(), float64(full.refused.Load())/full.took.Seconds(), float64(full.unsent.Load())/full.took.Seconds(),
		100*full.rate()/calm.rate(), 100*full.work()/calm.work(), float64(cost.Microseconds())/float64(n))
}

// refusals fills a model whose requests do not end, and returns what a refusal takes of the
// server's processor time.
func (s *storm) refusals(d time.Duration, clients int) string {
	for full := make(chan struct{}); ; {
		go func() {
			if refused, _ := s.ask(); refused {
				close(full)
			}
		}()
		select {
		case <-full:
		case <-time.After(50 * time.Millisecond):
			continue
		}
		break
	}
	var p phase
	s.measure(&p, d, func(ctx context.Context) {
		var group sync.WaitGroup
		for range clients {
			group.Go(func() {
				for ctx.Err() == nil {
					s.one(&p)
				}
			})
		}
		group.Wait()
	})
	n := p.refused.Load()
	return fmt.Sprintf("%d accepted, %d refused by %d clients: %.1f µs of the server's CPUs each", p.accepted.Load(), n, clients, float64(p.cpu.Microseconds())/float64(max(1, n)))
}

// newStorm returns the storm for an address: http://HOST:PORT/PATH or grpc://HOST:PORT/NAME.
func newStorm(address string, pid int) *storm {
	if host, ok := strings.CutPrefix(address, "grpc://"); ok {
		return &storm{ask: slowGRPC(host), pid: pid}
	}
	host, path, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
	client := newPosts(host, "/"+path, slowRequest)
	return &storm{pid: pid, ask: func() (bool, error) {
		code, err := client.ask()
		switch {
		case err != nil:
			return false, err
		case code == http.StatusTooManyRequests:
			return true, nil
		case code != http.StatusOK:
			return false, fmt.Errorf("HTTP status %d", code)
		}
		return false, nil
	}}
}

// slowGRPC returns what asks the model that writeSlow writes over gRPC.
func slowGRPC(address string) func() (bool, error) {
	host, name, _ := strings.Cut(address, "/")
	x, err := tensor.FromSlice([]float32{0.001, 0.002}, 2)
	check(err)
	b, err := tensorproto.Marshal(x)
	check(err)
	request := &messages.PredictRequest{ModelSpec: &messages.ModelSpec{Name: name}, Inputs: map[string][]byte{"x": b}}
	var conns [8]*grpc.ClientConn
	for i := range conns {
		conns[i], err = grpc.NewClient(host, grpc.WithTransportCredentials(insecure.NewCredentials()))
		check(err)
	}
	var next atomic.Uint64
	return func() (bool, error) {
		err := conns[next.Add(1)%uint64(len(conns))].Invoke(context.Background(), "/tensorflow.serving.PredictionService/Predict", request, &messages.PredictResponse{})
		if grpcstatus.Code(err) == codes.ResourceExhausted {
			return true, nil
		}
		return false, err
	}
}

// usedBy returns the processor time of a process.
func usedBy(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	check(err)
	_, rest, _ := strings.Cut(string(text), ") ")
	var user, system int64
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		check(errors.New("no processor times in /proc"))
	}
	fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
	const tick = 10 * time.Millisecond
	return time.Duration(user+system) * tick
}
