package session

import (
	"context"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"

	_ "github.com/troupe-go/troupe"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A client calls a server over the network.
type client struct {
	t      testing.TB
	server *Server
	conn   *grpc.ClientConn
}

// start serves on loopback until the test ends.
func start(t testing.TB, o Options) *client {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		s.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return &client{t, s, conn}
}

// call calls a method.
func call[Response any](c *client, method string, request any) (*Response, error) {
	response := new(Response)
	err := c.conn.Invoke(c.t.Context(), "/tensorflow.MasterService/"+method, request, response)
	return response, err
}

// def returns the GraphDef of a graph in text.
func def(t testing.TB, text string) []byte {
	t.Helper()
	g := session.NewGraph()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	b, err := g.GraphDef(graph.ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// create opens a session over a graph in text.
func (c *client) create(text string) string {
	c.t.Helper()
	r, err := call[master.CreateSessionResponse](c, "CreateSession", &master.CreateSessionRequest{GraphDef: def(c.t, text)})
	if err != nil {
		c.t.Fatal(err)
	}
	return r.GetSessionHandle()
}

// run runs a step, and returns the fetched scalars, or the error in the response.
func (c *client) run(handle string, feeds map[string]float32, fetches []string, targets ...string) ([]float32, codes.Code, string) {
	c.t.Helper()
	q := &master.RunStepRequest{SessionHandle: handle, Fetch: fetches, Target: targets, StoreErrorsInResponseBody: true}
	for name, x := range feeds {
		q.Feed = append(q.Feed, &master.NamedTensorProto{Name: name, Tensor: c.tensor(x)})
	}
	r, err := call[master.RunStepResponse](c, "RunStep", q)
	if err != nil {
		return nil, grpcstatus.Code(err), grpcstatus.Convert(err).Message()
	}
	var list []float32
	for i, n := range r.GetTensor() {
		if n.GetName() != fetches[i] {
			c.t.Errorf("fetch %d is called %q, not %q", i, n.GetName(), fetches[i])
		}
		v, err := tensorproto.Unmarshal(n.GetTensor(), 0)
		if err != nil {
			c.t.Fatal(err)
		}
		list = append(list, v.Value().(float32))
	}
	return list, codes.Code(r.GetStatusCode()), r.GetStatusErrorMessage()
}

// tensor returns a TensorProto of a scalar.
func (c *client) tensor(x float32) []byte {
	v, err := tensor.NewTensor(x)
	if err != nil {
		c.t.Fatal(err)
	}
	b, err := tensorproto.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	return b
}

const sum = `x = Placeholder() {dtype=DT_FLOAT}
one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
y = AddV2(x, one) {T=DT_FLOAT}
`

// A session runs steps, and its graph grows: new nodes may name those sent before.
func TestSession(t *testing.T) {
	c := start(t, Options{})
	h := c.create(sum)
	if got, code, text := c.run(h, map[string]float32{"x:0": 2}, []string{"y:0", "one:0"}); code != 0 || got[0] != 3 || got[1] != 1 {
		t.Errorf("got %v, %v %s", got, code, text)
	}
	// A node that must be where y is, which this message does not have.
	list := wire.AppendField(nil, 1, wire.AppendField(nil, 2, "loc:@y")) // AttrValue.list, of strings
	attr := wire.AppendField(wire.AppendField(nil, 1, "_class"), 2, list)
	node := wire.AppendField(wire.AppendField(wire.AppendField(nil, 1, "two"), 2, "NoOp"), 5, attr)
	b := wire.AppendField(nil, 1, node)
	e, err := call[master.ExtendSessionResponse](c, "ExtendSession", &master.ExtendSessionRequest{SessionHandle: h, GraphDef: b})
	if err != nil || e.GetNewGraphVersion() != 1 {
		t.Fatal(e, err)
	}
	if _, code, text := c.run(h, nil, nil, "two"); code != 0 {
		t.Errorf("%v %s", code, text)
	}
	_, err = call[master.ExtendSessionResponse](c, "ExtendSession", &master.ExtendSessionRequest{SessionHandle: h, GraphDef: b})
	if s := grpcstatus.Convert(err); s.Code() != codes.Aborted || s.Message() != "Current version is 1 but caller expected 0." {
		t.Error(err)
	}
	if _, err := call[master.CloseSessionResponse](c, "CloseSession", &master.CloseSessionRequest{SessionHandle: h}); err != nil {
		t.Error(err)
	}
	if _, code, _ := c.run(h, nil, nil, "two"); code != codes.Aborted {
		t.Errorf("a closed session: %v", code)
	}
}

// The client finds the node of an error in its text; it fails if the text has a tensor there.
func TestErrors(t *testing.T) {
	c := start(t, Options{})
	h := c.create(sum + `v = VariableV2() {dtype=DT_FLOAT, shape=shape []}
`)
	for _, e := range []struct {
		fetch string
		code  codes.Code
		text  string
	}{
		{"y:0", codes.InvalidArgument, "[[{{node x}}]]"},
		{"v:0", codes.FailedPrecondition, "[[{{node _send_v_0}}]]"},
		{"nobody:0", codes.NotFound, "nobody"},
	} {
		_, code, text := c.run(h, nil, []string{e.fetch})
		if code != e.code || !strings.Contains(text, e.text) {
			t.Errorf("%s: %v %q, not %v %q", e.fetch, code, text, e.code, e.text)
		}
	}
}

const queue = `q = FIFOQueueV2() {component_types=[DT_FLOAT], shapes=list(shape) [SHAPE], capacity=3, NAME}
x = Placeholder() {dtype=DT_FLOAT}
put = QueueEnqueueV2(q, x) {Tcomponents=[DT_FLOAT]}
take = QueueDequeueV2(q) {component_types=[DT_FLOAT]}
`

// A queue with a shared name belongs to the server until a Reset; one without belongs to
// its session, also where another session has a queue of the same node.
func TestQueues(t *testing.T) {
	c := start(t, Options{})
	text := func(shape, name string) string {
		return strings.NewReplacer("SHAPE", shape, "NAME", name).Replace(queue)
	}
	first, second := c.create(text("[]", "shared_name='s'")), c.create(text("[]", "shared_name='s'"))
	if _, code, e := c.run(first, map[string]float32{"x:0": 5}, nil, "put"); code != 0 {
		t.Fatal(e)
	}
	if got, code, e := c.run(second, nil, []string{"take:0"}); code != 0 || got[0] != 5 {
		t.Error(got, e)
	}
	own, other := c.create(text("[]", "shared_name=''")), c.create(text("[2]", "shared_name=''"))
	if _, code, e := c.run(own, map[string]float32{"x:0": 7}, nil, "put"); code != 0 {
		t.Fatal(e)
	}
	if _, code, e := c.run(other, map[string]float32{"x:0": 7}, nil, "put"); code != codes.InvalidArgument || !strings.Contains(e, "[2]") {
		t.Errorf("a scalar for a queue of vectors: %v %s", code, e)
	}
	if _, err := call[master.ResetResponse](c, "Reset", &master.ResetRequest{}); err != nil {
		t.Fatal(err)
	}
	changed := c.create(text("[2]", "shared_name='s'"))
	if _, code, e := c.run(changed, map[string]float32{"x:0": 7}, nil, "put"); code != codes.InvalidArgument || !strings.Contains(e, "[2]") {
		t.Errorf("the queue of before the reset: %v %s", code, e)
	}
}

// A step in parts: what the setup does not name is refused in the words that clients expect.
func TestPartialRun(t *testing.T) {
	c := start(t, Options{})
	h := c.create(sum)
	p, err := call[master.PartialRunSetupResponse](c, "PartialRunSetup", &master.PartialRunSetupRequest{SessionHandle: h, Feed: []string{"x:0"}, Fetch: []string{"y:0"}})
	if err != nil {
		t.Fatal(err)
	}
	part := &master.RunStepRequest{SessionHandle: h, PartialRunHandle: p.GetPartialRunHandle(), Fetch: []string{"one:0"}}
	_, err = call[master.RunStepResponse](c, "RunStep", part)
	if s := grpcstatus.Convert(err); s.Code() != codes.InvalidArgument || !strings.HasSuffix(s.Message(), "one:0 was not specified in partial_run_setup.") {
		t.Error(err)
	}
	part = &master.RunStepRequest{SessionHandle: h, PartialRunHandle: p.GetPartialRunHandle(), Fetch: []string{"y:0"},
		Feed: []*master.NamedTensorProto{{Name: "x:0", Tensor: c.tensor(4)}}}
	r, err := call[master.RunStepResponse](c, "RunStep", part)
	if err != nil || len(r.GetTensor()) != 1 {
		t.Fatal(r, err)
	}
	if _, err := call[master.RunStepResponse](c, "RunStep", part); grpcstatus.Code(err) != codes.InvalidArgument {
		t.Errorf("a handle that has been used: %v", err)
	}
}

// A callable runs, with the cost of each of its nodes where that is asked for.
func TestCallable(t *testing.T) {
	c := start(t, Options{})
	h := c.create(sum)
	m, err := call[master.MakeCallableResponse](c, "MakeCallable", &master.MakeCallableRequest{SessionHandle: h,
		Options: &master.CallableOptions{Feed: []string{"x:0"}, Fetch: []string{"y:0"}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := call[master.RunCallableResponse](c, "RunCallable", &master.RunCallableRequest{SessionHandle: h, Handle: m.GetHandle(), Feed: [][]byte{c.tensor(1)}})
	if err != nil || len(r.GetFetch()) != 1 {
		t.Fatal(r, err)
	}
	if _, err := call[master.ReleaseCallableResponse](c, "ReleaseCallable", &master.ReleaseCallableRequest{SessionHandle: h, Handle: m.GetHandle()}); err != nil {
		t.Error(err)
	}
	if _, err := call[master.RunCallableResponse](c, "RunCallable", &master.RunCallableRequest{SessionHandle: h, Handle: m.GetHandle()}); grpcstatus.Code(err) != codes.InvalidArgument {
		t.Errorf("a released callable: %v", err)
	}
}

// A step that waits ends when its client goes away, or its session closes.
func TestCancel(t *testing.T) {
	c := start(t, Options{})
	h := c.create(strings.NewReplacer("SHAPE", "[]", "NAME", "shared_name=''").Replace(queue))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	take := &master.RunStepRequest{SessionHandle: h, Fetch: []string{"take:0"}}
	go func() {
		ended <- c.conn.Invoke(ctx, "/tensorflow.MasterService/RunStep", take, &master.RunStepResponse{})
	}()
	cancel()
	if err := <-ended; grpcstatus.Code(err) != codes.Canceled {
		t.Error(err)
	}
	go func() {
		ended <- c.conn.Invoke(t.Context(), "/tensorflow.MasterService/RunStep", take, &master.RunStepResponse{})
	}()
	if _, err := call[master.CloseSessionResponse](c, "CloseSession", &master.CloseSessionRequest{SessionHandle: h}); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("a step of a closed session ends without an error")
	}
}

// A server refuses who does not know its token, sessions beyond its limit, and graphs that are none.
func TestLimits(t *testing.T) {
	c := start(t, Options{Token: "secret"})
	if _, err := call[master.ResetResponse](c, "Reset", &master.ResetRequest{}); grpcstatus.Code(err) != codes.Unauthenticated {
		t.Error(err)
	}
	c = start(t, Options{MaxSessions: 1, MaxGraph: 3})
	c.create(sum)
	if _, err := call[master.CreateSessionResponse](c, "CreateSession", &master.CreateSessionRequest{}); grpcstatus.Code(err) != codes.ResourceExhausted {
		t.Error(err)
	}
	if _, err := call[master.ResetResponse](c, "Reset", &master.ResetRequest{}); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []*master.CreateSessionRequest{{GraphDef: []byte("\xff\xff")}, {Config: []byte("\xff\xff")}, {GraphDef: def(t, sum+"z = Neg(x) {T=DT_FLOAT}\n")}} {
		if _, err := call[master.CreateSessionResponse](c, "CreateSession", bad); err == nil || grpcstatus.Code(err) == codes.Internal {
			t.Error(err)
		}
	}
	if _, err := New(Options{MaxSessions: -1}); err == nil {
		t.Error("MaxSessions of -1 is accepted")
	}
}
