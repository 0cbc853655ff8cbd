package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// A web sends requests over HTTP.
type web struct {
	client http.Client
	own    *http.Transport // nil if the caller's is used
	token  string
	limit  int64 // of a reply
}

func newWeb(o Options) *web {
	w := &web{token: o.Token, limit: o.MaxReply}
	w.client.Transport = o.Transport
	if o.Transport == nil {
		w.own = http.DefaultTransport.(*http.Transport).Clone()
		w.own.TLSClientConfig = o.TLS
		w.own.MaxIdleConnsPerHost = 256 // callers at a time, all of whom want the same host
		w.own.DisableCompression = true // tensors are large and compress badly
		w.client.Transport = w.own
	}
	// A redirect would send the token to another server.
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return w
}

func (w *web) close() error {
	if w.own != nil {
		w.own.CloseIdleConnections()
	}
	return nil
}

// codesOf are the canonical codes of HTTP's.
var codesOf = map[int]status.Code{
	http.StatusBadRequest:            status.InvalidArgument,
	http.StatusUnauthorized:          status.Unauthenticated,
	http.StatusForbidden:             status.PermissionDenied,
	http.StatusNotFound:              status.NotFound,
	http.StatusMethodNotAllowed:      status.Unimplemented,
	http.StatusConflict:              status.Aborted,
	http.StatusRequestEntityTooLarge: status.ResourceExhausted,
	http.StatusTooManyRequests:       status.ResourceExhausted,
	499:                              status.Canceled,
	http.StatusInternalServerError:   status.Internal,
	http.StatusNotImplemented:        status.Unimplemented,
	http.StatusBadGateway:            status.Unavailable,
	http.StatusServiceUnavailable:    status.Unavailable,
	http.StatusGatewayTimeout:        status.DeadlineExceeded,
}

// A body is the body of a request: parts, one after another.
type body [][]byte

func (b body) reader() io.Reader {
	readers := make([]io.Reader, len(b))
	for i, part := range b {
		readers[i] = bytes.NewReader(part)
	}
	return io.MultiReader(readers...)
}

func (b body) size() (n int64) {
	for _, part := range b {
		n += int64(len(part))
	}
	return n
}

// do sends a request and returns the reply's header, and its body, which the caller must
// read and close. Without parts it is a GET.
func (w *web) do(ctx context.Context, url string, parts body, header http.Header) (http.Header, io.ReadCloser, error) {
	method := http.MethodGet
	if parts != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, nil, status.Invalid("%v", err)
	}
	if parts != nil {
		r.ContentLength = parts.size()
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(parts.reader()), nil }
		r.Body, _ = r.GetBody()
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	if end, ok := ctx.Deadline(); ok {
		if left := time.Until(end).Seconds(); left > 0 {
			r.Header.Set("X-Request-Timeout", strconv.FormatFloat(left, 'f', 6, 64))
		}
	}
	reply, err := w.client.Do(r)
	if err != nil {
		return nil, nil, broken(ctx, err)
	}
	if reply.StatusCode != http.StatusOK {
		defer reply.Body.Close()
		return nil, nil, refusal(reply)
	}
	return reply.Header, &bounded{ctx: ctx, body: reply.Body, left: w.limit, limit: w.limit}, nil
}

// all returns the body of a reply.
func (w *web) all(ctx context.Context, url string, parts body) ([]byte, error) {
	_, r, err := w.do(ctx, url, parts, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// broken returns the error of a connection.
func broken(ctx context.Context, err error) error {
	if err := ended(ctx); err != nil {
		return err
	}
	if inner := errors.Unwrap(err); inner != nil { // of a url.Error, which has the address
		err = inner
	}
	hint := ""
	if strings.Contains(err.Error(), "malformed HTTP response") {
		hint = "; is the port that of gRPC? Its addresses begin with grpc://"
	}
	return status.Errorf(status.Unavailable, "%w%s", err, hint)
}

// ended returns the error of a context that has ended, or nil.
func ended(ctx context.Context) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return status.Errorf(status.DeadlineExceeded, "no reply before the deadline: %w", context.Cause(ctx))
	default:
		return status.Errorf(status.Canceled, "the call was cancelled: %w", context.Cause(ctx))
	}
}

// refusal returns the error of a reply that is none. Servers write it as {"error": "…"}.
func refusal(r *http.Response) error {
	const most = 4 << 10
	text, _ := io.ReadAll(io.LimitReader(r.Body, most))
	var said struct{ Error string }
	message := strings.TrimSpace(string(text))
	if json.Unmarshal(text, &said) == nil && said.Error != "" {
		message = said.Error
	}
	switch at := r.Header.Get("Location"); {
	case at != "":
		message = "it redirects to " + at + ", which is not followed"
	case strings.HasPrefix(message, "<"): // the page of another kind of server
		message = "a page of HTML: is it a model server?"
	case message == "":
		message = "no message"
	}
	code, ok := codesOf[r.StatusCode]
	if !ok {
		code = status.Unknown
	}
	if wait := r.Header.Get("Retry-After"); wait != "" {
		message += " (retry after " + wait + " s)"
	}
	return status.Errorf(code, "HTTP %d: %s", r.StatusCode, plain.Line(strings.TrimPrefix(message, code.String()+": ")))
}

// A bounded is the body of a reply. Its errors are ours.
type bounded struct {
	ctx         context.Context
	body        io.ReadCloser
	left, limit int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.body.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, status.Errorf(status.ResourceExhausted, "the reply has more than %d bytes", b.limit)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = broken(b.ctx, err)
	}
	return n, err
}

func (b *bounded) Close() error { return b.body.Close() }
