package remote_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/actors/remote"
	"github.com/troupe-go/troupe/status"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// listen opens an endpoint that the test closes.
func listen(t testing.TB, o remote.Options, h remote.Handler) *remote.Endpoint {
	t.Helper()
	if h.Packet == nil {
		h.Packet = func(string, []byte, remote.Reply) {}
	}
	e, err := remote.Listen(o, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// packets returns a handler that passes on what comes.
func packets() (remote.Handler, chan string) {
	came := make(chan string, 1024)
	return remote.Handler{Packet: func(from string, data []byte, _ remote.Reply) { came <- from + " " + string(data) }}, came
}

// until calls f until something comes: packets may be lost.
func until(t testing.TB, came chan string, f func()) string {
	t.Helper()
	for {
		f()
		select {
		case s := <-came:
			return s
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatal("nothing came")
		}
	}
}

func TestPacketsArrive(t *testing.T) {
	h, came := packets()
	a, b := listen(t, remote.Options{}, remote.Handler{}), listen(t, remote.Options{}, h)
	if got, want := until(t, came, func() { a.Post(b.Address(), []byte("x")) }), a.Address()+" x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := until(t, came, func() { a.Push(b.Address(), []byte("x")) }), a.Address()+" x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFetch(t *testing.T) {
	blob := [][]byte{bytes.Repeat([]byte("ab"), 400_000), nil, []byte("end")}
	ended := make(chan error, 8)
	server := listen(t, remote.Options{}, remote.Handler{Blob: func(_ string, ticket uint64) ([][]byte, func(error), error) {
		if ticket != 7 {
			return nil, nil, status.Errorf(status.Aborted, "no ticket %d", ticket)
		}
		return blob, func(err error) { ended <- err }, nil
	}})
	client := listen(t, remote.Options{}, remote.Handler{})
	got := [][]byte{make([]byte, len(blob[0])), nil, make([]byte, 3)}
	dst := [][]byte{got[0], got[1], got[2]}
	if err := client.Fetch(t.Context(), server.Address(), 7, dst); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server reports %v", err)
	}
	for i := range blob {
		if !bytes.Equal(got[i], blob[i]) {
			t.Errorf("buffer %d differs", i)
		}
	}
	if err := client.Fetch(t.Context(), server.Address(), 8, [][]byte{make([]byte, 1)}); status.CodeOf(err) != status.Aborted {
		t.Errorf("unknown ticket: %v", err)
	}
	for _, sizes := range [][]int{{1}, {len(blob[0]), 4}} {
		var dst [][]byte
		for _, n := range sizes {
			dst = append(dst, make([]byte, n))
		}
		if err := client.Fetch(t.Context(), server.Address(), 7, dst); status.CodeOf(err) != status.DataLoss {
			t.Errorf("buffers of other sizes %v: %v", sizes, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := client.Fetch(ctx, server.Address(), 7, [][]byte{make([]byte, 1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestAsk(t *testing.T) {
	server := listen(t, remote.Options{Token: "secret"}, remote.Handler{Ask: func(_ context.Context, r []byte) ([]byte, error) {
		if len(r) == 0 {
			return nil, status.Invalid("an empty request")
		}
		return append(r, '!'), nil
	}})
	client := listen(t, remote.Options{Token: "secret"}, remote.Handler{})
	got, err := client.Ask(t.Context(), server.Address(), []byte("hello"), true)
	if err != nil || string(got) != "hello!" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := client.Ask(t.Context(), server.Address(), nil, true); status.CodeOf(err) != status.InvalidArgument {
		t.Errorf("an empty request: %v", err)
	}
	stranger := listen(t, remote.Options{}, remote.Handler{})
	if _, err := stranger.Ask(t.Context(), server.Address(), []byte("hello"), true); status.CodeOf(err) != status.Unauthenticated {
		t.Errorf("without the token: %v", err)
	}
	if _, err := client.Ask(t.Context(), "127.0.0.1:1", []byte("hello"), false); status.CodeOf(err) != status.Unavailable {
		t.Errorf("nobody there: %v", err)
	}
}

func TestRefusedAddresses(t *testing.T) {
	for listen, code := range map[string]status.Code{
		"0.0.0.0:0": status.FailedPrecondition, "nonsense": status.InvalidArgument, "127.0.0.1:x": status.InvalidArgument,
	} {
		if _, err := remote.Listen(remote.Options{Listen: listen}, remote.Handler{}); status.CodeOf(err) != code {
			t.Errorf("%s: %v, want %v", listen, err, code)
		}
	}
	a := listen2(t)
	if _, err := remote.Listen(remote.Options{Listen: a.Address()}, remote.Handler{}); status.CodeOf(err) != status.Unavailable {
		t.Errorf("an address in use: %v", err)
	}
}

func listen2(t testing.TB) *remote.Endpoint { return listen(t, remote.Options{}, remote.Handler{}) }

func TestClosesWhileOthersAreUnreachable(t *testing.T) {
	a := listen2(t)
	for range 100 {
		a.Post("127.0.0.1:1", []byte("x"))
		a.Push("127.0.0.1:1", []byte("x"))
	}
}

// TestReply sends back what was pushed, on the connection that it came by.
func TestReply(t *testing.T) {
	back := make(chan string, 1000)
	server := listen(t, remote.Options{}, remote.Handler{Packet: func(_ string, data []byte, reply remote.Reply) {
		if reply != nil {
			reply(append([]byte("re: "), data...))
		}
	}})
	client := listen(t, remote.Options{}, remote.Handler{Packet: func(from string, data []byte, reply remote.Reply) {
		if reply != nil {
			t.Error("what came back can be replied to")
		}
		back <- from + " " + string(data)
	}})
	want := server.Address() + " re: hello"
	for { // the first ones go by Post, until the stream is open
		client.Push(server.Address(), []byte("hello"))
		select {
		case got := <-back:
			if got != want {
				t.Errorf("%q came, not %q", got, want)
			}
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// TestForget ends attempts to connect with a process that is gone, and connections with one that
// is there, which are made again.
func TestForget(t *testing.T) {
	h, came := packets()
	a, b := listen(t, remote.Options{}, remote.Handler{}), listen(t, remote.Options{}, h)
	a.Push("127.0.0.1:1", []byte("x"))
	a.Forget("127.0.0.1:1")
	for range 3 {
		until(t, came, func() { a.Post(b.Address(), []byte("x")) })
		until(t, came, func() { a.Push(b.Address(), []byte("x")) })
		a.Forget(b.Address())
		a.Forget(b.Address())
	}
}
