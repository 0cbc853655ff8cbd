package session

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

var words = flag.Bool("words", false, "TestSequences prints the messages of errors that differ from TensorFlow's")

// A sequence is what a stock TensorFlow client and TensorFlow's server said to each other
// in a program; testdata/sequences.py has the programs and records them.
type sequence struct {
	Name   string
	Events []event
}

// An event is the beginning of a call, or its end.
type event struct {
	Call     int // number of the call that begins
	Method   string
	Request  []byte
	Timeout  float64 // seconds that the client gave it; 0: any time
	End      int     // number of the call that ends
	Response []byte
	Code     codes.Code
	Message  string
}

func readSequences(t *testing.T) (all []sequence) {
	t.Helper()
	f, err := os.Open("testdata/sequences.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestSequences makes the calls of recorded programs: the server returns what TensorFlow's
// returned, with the same codes and nodes of errors, but for what knownDifferences names.
func TestSequences(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	calls, same, failed, worded := 0, 0, 0, 0
	found := map[string]bool{}
	for _, s := range readSequences(t) {
		c := start(t, Options{})
		p := &replay{client: c, t: t, sequence: s.Name, handles: map[string]string{}, numbers: map[int64]int64{}, ends: map[int]chan ended{}, bound: map[int]bool{}, steps: map[int]string{}}
		for i := range s.Events {
			e := &s.Events[i]
			if e.Call > 0 {
				p.begin(e)
				continue
			}
			calls++
			what := fmt.Sprintf("%s/%d", s.Name, e.End)
			if difference := p.end(e); difference == "" {
				same++
			} else {
				found[what] = true
				if knownDifferences[what] == "" {
					t.Errorf("%s: %s", what, difference)
				}
			}
		}
		failed, worded = failed+p.failed, worded+p.worded
		c.conn.Close()
	}
	for _, what := range slices.Sorted(maps.Keys(knownDifferences)) {
		if !found[what] {
			t.Errorf("%s does not differ any more: %s", what, knownDifferences[what])
		}
	}
	t.Logf("%d of %d calls agree with TensorFlow; of %d errors %d begin with the same words", same, calls, failed, worded)
}

// A replay makes the calls of a sequence. Handles are others than in the recording.
type replay struct {
	client   *client
	t        *testing.T
	sequence string
	handles  map[string]string // of sessions and partial runs
	numbers  map[int64]int64   // of callables
	ends     map[int]chan ended
	bound    map[int]bool   // the client gave the call a time
	steps    map[int]string // the sessions of those that have not ended

	failed, worded int // errors, and those with TensorFlow's words
}

// An ended call.
type ended struct {
	method   string
	response proto.Message
	err      error
}

// messages of the methods.
var messages = map[string][2]func() proto.Message{
	"CreateSession":   {func() proto.Message { return &master.CreateSessionRequest{} }, func() proto.Message { return &master.CreateSessionResponse{} }},
	"ExtendSession":   {func() proto.Message { return &master.ExtendSessionRequest{} }, func() proto.Message { return &master.ExtendSessionResponse{} }},
	"PartialRunSetup": {func() proto.Message { return &master.PartialRunSetupRequest{} }, func() proto.Message { return &master.PartialRunSetupResponse{} }},
	"RunStep":         {func() proto.Message { return &master.RunStepRequest{} }, func() proto.Message { return &master.RunStepResponse{} }},
	"CloseSession":    {func() proto.Message { return &master.CloseSessionRequest{} }, func() proto.Message { return &master.CloseSessionResponse{} }},
	"ListDevices":     {func() proto.Message { return &master.ListDevicesRequest{} }, func() proto.Message { return &master.ListDevicesResponse{} }},
	"Reset":           {func() proto.Message { return &master.ResetRequest{} }, func() proto.Message { return &master.ResetResponse{} }},
	"MakeCallable":    {func() proto.Message { return &master.MakeCallableRequest{} }, func() proto.Message { return &master.MakeCallableResponse{} }},
	"RunCallable":     {func() proto.Message { return &master.RunCallableRequest{} }, func() proto.Message { return &master.RunCallableResponse{} }},
	"ReleaseCallable": {func() proto.Message { return &master.ReleaseCallableRequest{} }, func() proto.Message { return &master.ReleaseCallableResponse{} }},
}

// begin makes a call, which ends in its own time.
func (p *replay) begin(e *event) {
	request, response := messages[e.Method][0](), messages[e.Method][1]()
	if err := proto.Unmarshal(e.Request, request); err != nil {
		p.t.Fatal(p.sequence, e.Call, err)
	}
	p.translate(request)
	if q, ok := request.(*master.CloseSessionRequest); ok {
		p.await(q.SessionHandle)
	}
	if q, ok := request.(*master.RunStepRequest); ok {
		p.steps[e.Call] = q.SessionHandle
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), 30*time.Second)
	if e.Timeout > 0 {
		p.bound[e.Call] = true
		cancel()
		ctx, cancel = context.WithTimeout(p.t.Context(), time.Duration(e.Timeout*float64(time.Second)))
	}
	done := make(chan ended, 1)
	p.ends[e.Call] = done
	go func() {
		defer cancel()
		err := p.client.conn.Invoke(ctx, "/tensorflow.MasterService/"+e.Method, request, response, grpc.MaxCallRecvMsgSize(1<<30))
		done <- ended{e.Method, response, err}
	}()
}

// await waits until the steps of a session that were begun are run, as they were when the
// session was closed in the recording.
func (p *replay) await(handle string) {
	begun := 0
	for _, of := range p.steps {
		if of == handle {
			begun++
		}
	}
	p.client.server.mu.Lock()
	r := p.client.server.sessions[handle]
	p.client.server.mu.Unlock()
	for r != nil && len(r.session.Inspect(p.t.Context(), 1)) < begun && p.t.Context().Err() == nil {
		runtime.Gosched()
	}
}

// translate puts this server's handles into a request.
func (p *replay) translate(request proto.Message) {
	m := request.ProtoReflect()
	fields := m.Descriptor().Fields()
	for _, name := range []string{"session_handle", "partial_run_handle"} {
		if f := fields.ByName(protoreflect.Name(name)); f != nil {
			if own, ok := p.handles[m.Get(f).String()]; ok {
				m.Set(f, protoreflect.ValueOfString(own))
			}
		}
	}
	switch q := request.(type) {
	case *master.RunCallableRequest:
		if own, ok := p.numbers[q.Handle]; ok {
			q.Handle = own
		}
	case *master.ReleaseCallableRequest:
		if own, ok := p.numbers[q.Handle]; ok {
			q.Handle = own
		}
	}
}

// end waits for the end of a call, and returns in what it differs from the recording.
func (p *replay) end(e *event) string {
	got := <-p.ends[e.End]
	delete(p.steps, e.End)
	code, text := grpcstatus.Code(got.err), grpcstatus.Convert(got.err).Message()
	want := messages[got.method][1]()
	if e.Code == 0 {
		if err := proto.Unmarshal(e.Response, want); err != nil {
			return err.Error()
		}
	}
	wantCode, wantText := e.Code, e.Message
	if r, ok := want.(*master.RunStepResponse); ok && r.StatusCode != 0 {
		wantCode, wantText = codes.Code(r.StatusCode), r.StatusErrorMessage
	}
	if r, ok := got.response.(*master.RunStepResponse); ok && r.StatusCode != 0 {
		code, text = codes.Code(r.StatusCode), r.StatusErrorMessage
	}
	if p.bound[e.End] && wantCode == codes.Canceled { // so the proxy sees the end of the client's time
		wantCode = codes.DeadlineExceeded
	}
	if wantCode != 0 {
		p.failed++
		if firstWords(text) == firstWords(wantText) {
			p.worded++
		} else if *words {
			p.t.Logf("%s/%d: %q\n\tTensorFlow: %q", p.sequence, e.End, text, wantText)
		}
	}
	if code != wantCode {
		return fmt.Sprintf("%v %q, not %v %q", code, text, wantCode, wantText)
	}
	if code != 0 {
		if a, b := nodeOf(text), nodeOf(wantText); a != b {
			return fmt.Sprintf("the error is of node %q, not %q: %s", a, b, text)
		}
		return ""
	}
	return p.compare(got.response, want)
}

var (
	nodePattern = regexp.MustCompile(`\[\[\{\{node ([^}]*)\}\}`)
	location    = regexp.MustCompile(`^From /job:[^\n]*\n`)
)

// nodeOf returns the node in which the client sees the cause of an error.
func nodeOf(text string) string {
	if m := nodePattern.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// firstWords are the first words of a message, without the place where TensorFlow puts it first.
func firstWords(text string) string {
	list := strings.Fields(location.ReplaceAllString(text, ""))
	return strings.Join(list[:min(len(list), 4)], " ")
}

// compare compares responses.
func (p *replay) compare(got, want proto.Message) string {
	switch want := want.(type) {
	case *master.CreateSessionResponse:
		p.handles[want.SessionHandle] = got.(*master.CreateSessionResponse).SessionHandle
	case *master.PartialRunSetupResponse:
		p.handles[want.PartialRunHandle] = got.(*master.PartialRunSetupResponse).PartialRunHandle
	case *master.MakeCallableResponse:
		p.numbers[want.Handle] = got.(*master.MakeCallableResponse).Handle
	case *master.ExtendSessionResponse:
		if n := got.(*master.ExtendSessionResponse).NewGraphVersion; n != want.NewGraphVersion {
			return fmt.Sprintf("graph version %d, not %d", n, want.NewGraphVersion)
		}
	case *master.ListDevicesResponse:
		return compareDevices(got.(*master.ListDevicesResponse), want)
	case *master.RunCallableResponse:
		got := got.(*master.RunCallableResponse)
		return compareTensors(got.Fetch, want.Fetch)
	case *master.RunStepResponse:
		got := got.(*master.RunStepResponse)
		list := func(r *master.RunStepResponse) (tensors [][]byte) { // TensorFlow's are in an order of its own
			slices.SortStableFunc(r.Tensor, func(a, b *master.NamedTensorProto) int { return strings.Compare(a.Name, b.Name) })
			for _, n := range r.Tensor {
				tensors = append(tensors, n.Tensor)
			}
			return tensors
		}
		a, b := list(got), list(want)
		for i, n := range want.Tensor {
			if i < len(a) && got.Tensor[i].Name != n.Name {
				return fmt.Sprintf("%s is returned, not %s", got.Tensor[i].Name, n.Name)
			}
		}
		if d := compareTensors(a, b); d != "" {
			return d
		}
		return compareMetadata(got.Metadata, want.Metadata)
	}
	return ""
}

func compareDevices(got, want *master.ListDevicesResponse) string {
	list := func(r *master.ListDevicesResponse) (names []string) {
		for _, d := range append(r.LocalDevice, r.RemoteDevice...) {
			if d.Incarnation == 0 {
				names = append(names, "without an incarnation:")
			}
			names = append(names, d.Name, d.DeviceType)
		}
		return names
	}
	if a, b := list(got), list(want); !slices.Equal(a, b) {
		return fmt.Sprintf("devices %q, not %q", a, b)
	}
	return ""
}

func compareTensors(got, want [][]byte) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d tensors, not %d", len(got), len(want))
	}
	for i := range want {
		a, err := tensorproto.Unmarshal(got[i], 0)
		if err != nil {
			return err.Error()
		}
		b, err := tensorproto.Unmarshal(want[i], 0)
		if err != nil {
			return err.Error()
		}
		if a.DataType() == tensor.Resource || a.DataType() == tensor.Variant {
			continue
		}
		if err := tensor.Compare(a, b, tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}); err != nil {
			return fmt.Sprintf("tensor %d: %v", i, err)
		}
	}
	return ""
}

// compareMetadata compares what metadata has, not the times in it.
func compareMetadata(got, want []byte) string {
	has := func(b []byte) (list []int32) {
		c := wire.NewCursor("RunMetadata", b)
		for c.Next() {
			if n := int32(c.Num); n <= 3 && !slices.Contains(list, n) && c.Hi > c.Lo {
				list = append(list, n)
			}
		}
		slices.Sort(list)
		return list
	}
	a, b := has(got), has(want)
	for _, n := range b {
		if !slices.Contains(a, n) {
			return fmt.Sprintf("RunMetadata has the fields %v, not %v", a, b)
		}
	}
	return ""
}

// knownDifferences are calls, by sequence and number, in which the server differs from
// TensorFlow's, with the reason.
var knownDifferences = map[string]string{
	"accumulators/23":  "the indices are sorted",
	"arrays/2":         "of two errors of a step the other came first",
	"bad_graphs/4":     "a missing attribute is INVALID_ARGUMENT, not NOT_FOUND",
	"bad_graphs/7":     "a name that is none is not given as that of a node",
	"dead/3":           "INVALID_ARGUMENT, as in TensorFlow without a network, not INTERNAL",
	"dead/8":           "INVALID_ARGUMENT, as in TensorFlow without a network, not INTERNAL",
	"error_places/2":   "the node is the one that failed",
	"feed_inside/7":    "a tensor may be fetched twice in a step that feeds",
	"handles/2":        "handles of tensors work over the network",
	"placement/1":      "only the nodes of a step are placed, not the whole graph",
	"placement/2":      "only the nodes of a step are placed, not the whole graph",
	"placement/3":      "only the nodes of a step are placed, not the whole graph",
	"placement/4":      "only the nodes of a step are placed, not the whole graph",
	"placement/5":      "only the nodes of a step are placed, not the whole graph",
	"placement/6":      "only the nodes of a step are placed, not the whole graph",
	"placement/7":      "only the nodes of a step are placed, not the whole graph",
	"placement/8":      "only the nodes of a step are placed, not the whole graph",
	"queues/41":        "the order of a RandomShuffleQueue is free",
	"zz_raw_errors/20": "TensorFlow's server waits for ever for a name without an index",
	"zz_raw_errors/21": "TensorFlow's server waits for ever for a name without an index",
	"zz_raw_errors/22": "TensorFlow returns the tensors of another step, or one of two",
	"zz_raw_errors/23": "TensorFlow returns the tensors of another step, or one of two",
	"zz_raw_errors/24": "TensorFlow's server waits for ever for a name without an index",
	"zz_raw_errors/25": "TensorFlow's server waits for ever for a name without an index",
	"zz_raw_errors/26": "TensorFlow returns the tensors of another step, or one of two",
	"zz_raw_errors/27": "TensorFlow returns the tensors of another step, or one of two",
	"zz_raw_errors/28": "a feed of the wrong type is INVALID_ARGUMENT, not INTERNAL",
	"zz_raw_errors/29": "a feed of the wrong type is INVALID_ARGUMENT, not INTERNAL",
	"zz_raw_errors/30": "a feed that does not fit the shape of a placeholder is refused",
	"zz_raw_errors/31": "a feed that does not fit the shape of a placeholder is refused",
}
