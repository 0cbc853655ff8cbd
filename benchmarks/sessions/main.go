// Command sessions measures steps of TensorFlow's session service against servers, in turn,
// with a client that costs little itself: requests are encoded once, responses are not read.
//
//	troupe serve --session 127.0.0.1:2222 &
//	python benchmarks/sessions/round_trips.py --serve 127.0.0.1:4222 &
//	go run ./benchmarks/sessions -echo 127.0.0.1:5222 &
//	go run ./benchmarks/sessions troupe=127.0.0.1:2222 tensorflow=127.0.0.1:4222 echo=127.0.0.1:5222
//
// With -echo it is a server that returns an empty response to every request: what gRPC itself
// takes, the least that a step can.
//
// A line has, for each server, the least and the median time of a step; a ratio is that of
// the least times. round_trips.py measures the same steps from TensorFlow's Python client.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

const program = `
none = NoOp()
x = Placeholder() {dtype=DT_FLOAT, shape=shape []}
one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
y = Add(x, one) {T=DT_FLOAT}
large = Placeholder() {dtype=DT_FLOAT, shape=shape [262144]}
same = Identity(large) {T=DT_FLOAT}
taken = NoOp(^same)
v = VarHandleOp() {container="", dtype=DT_FLOAT, shape=shape [25000000], shared_name="v"}
dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 25000000>}
fill = Fill(dims, one) {T=DT_FLOAT, index_type=DT_INT32}
assign = AssignVariableOp(v, fill) {dtype=DT_FLOAT}
value = ReadVariableOp(v) {dtype=DT_FLOAT}
`

func main() {
	rounds := flag.Int("rounds", 5, "measure each kind of step so often at each server")
	only := flag.String("only", "", "measure only the step of this name")
	echo := flag.String("echo", "", "serve empty responses at `ADDRESS`")
	flag.Parse()
	if *echo != "" {
		check(serveEcho(*echo))
		return
	}
	var servers []*server
	for _, arg := range flag.Args() {
		name, address, ok := strings.Cut(arg, "=")
		if !ok {
			check(fmt.Errorf("%q is not NAME=HOST:PORT", arg))
		}
		servers = append(servers, dial(name, address))
	}
	if len(servers) == 0 {
		flag.Usage()
		os.Exit(2)
	}
	one, err := tensor.NewTensor(float32(1))
	check(err)
	mb, err := tensor.New(tensor.Float, 1<<18)
	check(err)
	for _, kind := range []struct {
		name string
		runs int
		step *master.RunStepRequest
	}{
		{"null step", 2000, &master.RunStepRequest{Target: []string{"none"}}},
		{"feed of 4 bytes", 2000, &master.RunStepRequest{Feed: fed("x:0", one), Fetch: []string{"y:0"}}},
		{"feed of 1 MB", 200, &master.RunStepRequest{Feed: fed("large:0", mb), Target: []string{"taken"}}},
		{"fetch of 100 MB", 3, &master.RunStepRequest{Fetch: []string{"value:0"}}},
	} {
		if *only != "" && *only != kind.name {
			continue
		}
		times := make([][]time.Duration, len(servers))
		requests := make([][]byte, len(servers))
		for i, s := range servers {
			requests[i] = s.request(kind.step)
			check(s.run(requests[i])) // compiles the step
		}
		for range *rounds {
			for i, s := range servers {
				for range kind.runs {
					began := time.Now()
					check(s.run(requests[i]))
					times[i] = append(times[i], time.Since(began))
				}
			}
		}
		report(kind.name, servers, times)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func fed(name string, t *tensor.Tensor) []*master.NamedTensorProto {
	b, err := tensorproto.Marshal(t)
	check(err)
	return []*master.NamedTensorProto{{Name: name, Tensor: b}}
}

func report(kind string, servers []*server, times [][]time.Duration) {
	line := fmt.Sprintf("%-16s", kind)
	for i, s := range servers {
		slices.Sort(times[i])
		line += fmt.Sprintf("  %s %v / %v", s.name, times[i][0].Round(time.Microsecond), times[i][len(times[i])/2].Round(time.Microsecond))
	}
	for i, s := range servers[1:] {
		line += fmt.Sprintf("  %s:%s %.2f", s.name, servers[0].name, times[i+1][0].Seconds()/times[0][0].Seconds())
	}
	fmt.Println(line)
}

// A server has a session over the program.
type server struct {
	name   string
	conn   *grpc.ClientConn
	handle string
}

const window = 64 << 20

func dial(name, address string) *server {
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32), grpc.MaxCallSendMsgSize(math.MaxInt32), grpc.ForceCodecV2(frames{encoding.GetCodecV2("proto")})),
		grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window), grpc.WithReadBufferSize(256<<10), grpc.WithWriteBufferSize(256<<10))
	check(err)
	g := session.NewGraph()
	check(notation.Add(g, program))
	def, err := g.GraphDef(graph.ExportOptions{})
	check(err)
	s := &server{name: name, conn: conn}
	var r master.CreateSessionResponse
	check(conn.Invoke(context.Background(), "/tensorflow.MasterService/CreateSession", &master.CreateSessionRequest{GraphDef: def}, &r))
	s.handle = r.GetSessionHandle()
	check(s.run(s.request(&master.RunStepRequest{Target: []string{"assign"}})))
	return s
}

// request encodes a step for the server's session.
func (s *server) request(q *master.RunStepRequest) []byte {
	own := proto.Clone(q).(*master.RunStepRequest)
	own.SessionHandle = s.handle
	b, err := proto.Marshal(own)
	check(err)
	return b
}

func (s *server) run(request []byte) error {
	return s.conn.Invoke(context.Background(), "/tensorflow.MasterService/RunStep", frame(request), new(frame))
}

// A frame is an encoded request, or a response that is not decoded.
type frame []byte

// frames is a codec that leaves frames as they are.
type frames struct{ encoding.CodecV2 }

func (c frames) Marshal(v any) (mem.BufferSlice, error) {
	if f, ok := v.(frame); ok {
		return mem.BufferSlice{mem.SliceBuffer(f)}, nil
	}
	return c.CodecV2.Marshal(v)
}

func (c frames) Unmarshal(data mem.BufferSlice, v any) error {
	if _, ok := v.(*frame); ok {
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}
