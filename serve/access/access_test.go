package access

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

var fine = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})

func ask(h http.Handler, path, client, authorization string) *http.Response {
	r := httptest.NewRequest("GET", path, nil)
	r.RemoteAddr = client
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func TestToken(t *testing.T) {
	h := New(Rules{Token: "secret"}).HTTP(fine)
	for _, c := range []struct {
		path, authorization string
		want                int
	}{
		{"/v1", "", 401}, {"/v1", "Bearer other", 401}, {"/v1", "Bearer secret", 200}, {"/v1", "secret", 401},
		{"/healthz", "", 200}, {"/readyz", "", 200}, {"/metrics", "", 401},
	} {
		if r := ask(h, c.path, "1.2.3.4:5", c.authorization); r.StatusCode != c.want {
			t.Errorf("%s with %q: %d, not %d", c.path, c.authorization, r.StatusCode, c.want)
		}
	}
	if r := ask(New(Rules{}).HTTP(fine), "/v1", "1.2.3.4:5", "anything"); r.StatusCode != 200 {
		t.Error(r.Status)
	}
}

// TestTokens: tokens may be replaced, and without any nobody passes.
func TestTokens(t *testing.T) {
	var tokens Tokens
	h := New(Rules{Tokens: &tokens}).HTTP(fine)
	for i, c := range []struct {
		set  []string
		want [2]int // for the old token and the new one
	}{{nil, [2]int{401, 401}}, {[]string{"old"}, [2]int{200, 401}}, {[]string{"old", "new"}, [2]int{200, 200}}, {[]string{"new"}, [2]int{401, 200}}} {
		tokens.Set(c.set...)
		for j, token := range []string{"old", "new"} {
			if r := ask(h, "/v1", "1.2.3.4:5", "Bearer "+token); r.StatusCode != c.want[j] {
				t.Errorf("%d: %d for %s, not %d", i, r.StatusCode, token, c.want[j])
			}
		}
	}
}

func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Rules{Rate: 2, Burst: 3, Clients: 2}).HTTP(fine)
		for i, want := range []int{200, 200, 200, 429} {
			r := ask(h, "/v1", fmt.Sprint("1.2.3.4:", i), "")
			if r.StatusCode != want || want == 429 && r.Header.Get("Retry-After") != "1" {
				t.Errorf("request %d: %d, Retry-After %q", i, r.StatusCode, r.Header.Get("Retry-After"))
			}
		}
		if r := ask(h, "/v1", "[::1]:1", ""); r.StatusCode != 200 {
			t.Errorf("another client: %d", r.StatusCode)
		}
		if r := ask(h, "/readyz", "1.2.3.4:1", ""); r.StatusCode != 200 {
			t.Errorf("a probe: %d", r.StatusCode)
		}
		time.Sleep(500 * time.Millisecond)
		if r := ask(h, "/v1", "1.2.3.4:7", ""); r.StatusCode != 200 {
			t.Errorf("half a second later: %d", r.StatusCode)
		}
	})
}

// TestClients: no more clients are remembered than there may be.
func TestClients(t *testing.T) {
	g := New(Rules{Rate: 1, Clients: 10})
	for i := range 1000 {
		g.often(fmt.Sprint(i), time.Time{})
	}
	if n := g.clients.Len(); n != 10 {
		t.Errorf("%d clients are remembered", n)
	}
}

func TestGRPC(t *testing.T) {
	g := New(Rules{Token: "secret", Rate: 1, Burst: 1})
	call := func(method, token string) codes.Code {
		ctx := metadata.NewIncomingContext(t.Context(), metadata.Pairs("authorization", token))
		ctx = peer.NewContext(ctx, &peer.Peer{Addr: &net.TCPAddr{IP: net.IPv4(1, 2, 3, 4), Port: 5}})
		_, err := g.Unary(ctx, nil, &grpc.UnaryServerInfo{FullMethod: method}, func(context.Context, any) (any, error) { return nil, nil })
		return status.Code(err)
	}
	for i, c := range []struct {
		method, token string
		want          codes.Code
	}{
		{"/x/Y", "Bearer other", codes.Unauthenticated}, {"/x/Y", "Bearer secret", codes.OK}, {"/x/Y", "Bearer secret", codes.ResourceExhausted},
		{"/grpc.health.v1.Health/Check", "", codes.OK},
	} {
		if got := call(c.method, c.token); got != c.want {
			t.Errorf("%d: %v, not %v", i, got, c.want)
		}
	}
}
