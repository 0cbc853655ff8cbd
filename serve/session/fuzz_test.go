package session

import (
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
)

// FuzzRequests sends a request of any content to a server, after a session was created:
// nothing panics, and steps end.
func FuzzRequests(f *testing.F) {
	seed := func(m proto.Message) {
		b, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	seed(&master.RunStepRequest{SessionHandle: "h", Fetch: []string{"y:0"}, Feed: []*master.NamedTensorProto{{Name: "x:0", Tensor: []byte{8, 1}}}})
	seed(&master.CreateSessionRequest{GraphDef: def(f, sum)})
	seed(&master.ExtendSessionRequest{SessionHandle: "h", GraphDef: def(f, sum)})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := New(Options{Session: session.SessionOptions{MemoryLimit: 64 << 20, Timeout: 10 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		ctx := t.Context()
		e := s.endpoint(s.members.Load().tasks[0])
		r, err := e.createSession(ctx, &master.CreateSessionRequest{GraphDef: def(t, sum)})
		if err != nil {
			t.Fatal(err)
		}
		if q := (&stepRequest{received: received{bytes: b}}); q.parse() == nil {
			q.handle = r.GetSessionHandle()
			s.runStep(ctx, q)
		}
		if q := (&callRequest{received: received{bytes: b}}); q.parse() == nil {
			q.handle = r.GetSessionHandle()
			s.runCallable(ctx, q)
		}
		if q := new(master.PartialRunSetupRequest); proto.Unmarshal(b, q) == nil {
			q.SessionHandle = r.GetSessionHandle()
			s.partialRunSetup(ctx, q)
		}
		if q := new(master.MakeCallableRequest); proto.Unmarshal(b, q) == nil {
			q.SessionHandle = r.GetSessionHandle()
			s.makeCallable(ctx, q)
		}
		if q := new(master.CreateSessionRequest); proto.Unmarshal(b, q) == nil {
			e.createSession(ctx, q)
		}
		if q := new(master.ExtendSessionRequest); proto.Unmarshal(b, q) == nil {
			q.SessionHandle, q.CurrentGraphVersion = r.GetSessionHandle(), 0
			s.extendSession(ctx, q)
		}
	})
}
