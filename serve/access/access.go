package access

import (
	"math"
	"net"
	"net/http"
	"strconv"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// Rules say who may call.
type Rules struct {
	Token  string  // that requests need as "authorization: Bearer TOKEN"; "": none
	Tokens *Tokens // in place of Token, of which requests need one; nil: none
	Rate   float64 // requests a second of each client; 0: any number
	Burst  int     // that may come at once; 0: as many as Rate allows in a second
	// Clients is how many clients are remembered, the last that came; 0: 65,536.
	Clients int
}

// A Gate lets requests through, or refuses them. It is safe for concurrent use.
type Gate struct {
	tokens  *Tokens // nil: no token is needed
	rate    rate.Limit
	burst   int
	clients *lru.Cache[string, *rate.Limiter]
}

// New returns a gate.
func New(r Rules) *Gate {
	g := &Gate{tokens: r.Tokens}
	if g.tokens == nil && r.Token != "" {
		g.tokens = &Tokens{}
		g.tokens.Set(r.Token)
	}
	if r.Rate > 0 {
		g.rate, g.burst = rate.Limit(r.Rate), r.Burst
		if g.burst <= 0 {
			g.burst = int(math.Ceil(r.Rate))
		}
		if r.Clients <= 0 {
			r.Clients = 1 << 16
		}
		g.clients, _ = lru.New[string, *rate.Limiter](r.Clients) // fails for sizes that are not positive
	}
	return g
}

// known reports whether one of the authorizations is right.
func (g *Gate) known(authorizations []string) bool {
	if g.tokens == nil {
		return true
	}
	for _, a := range authorizations {
		if g.tokens.Known(a) {
			return true
		}
	}
	return false
}

// often reports whether a client calls too often, and when it may call again.
func (g *Gate) often(client string, now time.Time) (time.Duration, bool) {
	if g.clients == nil {
		return 0, false
	}
	l, ok := g.clients.Get(client)
	if !ok {
		l = rate.NewLimiter(g.rate, g.burst)
		if old, found, _ := g.clients.PeekOrAdd(client, l); found {
			l = old
		}
	}
	if l.AllowN(now, 1) {
		return 0, false
	}
	return time.Duration(float64(time.Second) / float64(g.rate)), true
}

// host returns an address without its port.
func host(address string) string {
	if h, _, err := net.SplitHostPort(address); err == nil {
		return h
	}
	return address
}

// HTTP returns a handler that lets only those requests through that may pass.
func (g *Gate) HTTP(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" || r.URL.Path == "/readyz" {
			h.ServeHTTP(w, r)
			return
		}
		if !g.known(r.Header.Values("Authorization")) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "the request has no token, or another one")
			return
		}
		client := host(r.RemoteAddr)
		if r.TLS != nil && len(r.TLS.VerifiedChains) > 0 {
			client = "certificate of " + r.TLS.PeerCertificates[0].Subject.String()
		}
		if wait, often := g.often(client, time.Now()); often {
			w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(wait.Seconds())))))
			refuse(w, http.StatusTooManyRequests, "the client sends more requests than it may")
			return
		}
		h.ServeHTTP(w, r)
	})
}

func refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	w.Write([]byte(`{ "error": "` + text + `" }`))
}
