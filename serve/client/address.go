package client

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// A protocol is how a model is run.
type protocol int

const (
	rest      protocol = iota // TensorFlow Serving's JSON
	inference                 // the Open Inference Protocol over HTTP
	rpc                       // TensorFlow Serving's gRPC
)

// An address says where a model is.
type address struct {
	protocol   protocol
	secure     bool // over TLS
	host       string
	base       string // of HTTP: the URL up to the model's name, without a slash at the end
	model      string // "" if the address names none
	version    int64
	hasVersion bool
	label      string
}

// schemes are the schemes of addresses.
var schemes = map[string]struct{ rpc, secure bool }{"http": {}, "https": {secure: true}, "grpc": {rpc: true}, "grpcs": {rpc: true, secure: true}}

// IsAddress reports whether a text is the address of a server rather than a file.
func IsAddress(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	_, known := schemes[scheme]
	return ok && known
}

// usage is the end of the error of an address.
const usage = "give http://HOST:PORT/v1/models/NAME, http://HOST:PORT/v2/models/NAME or grpc://HOST:PORT/NAME"

// parseAddress reads an address.
func parseAddress(text string) (a address, err error) {
	refused := func(format string, args ...any) (address, error) {
		return address{}, status.Invalid("%s: "+format+"; "+usage, append([]any{plain.Line(text)}, args...)...)
	}
	u, err := url.Parse(text)
	if err != nil {
		return refused("not an address")
	}
	scheme, known := schemes[u.Scheme]
	switch {
	case !known:
		return refused("the scheme is none of http, https, grpc and grpcs")
	case u.Host == "":
		return refused("it names no host")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return refused("a user, query or fragment is not understood")
	}
	a.secure, a.host = scheme.secure, u.Host
	parts := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
	if parts[0] == "" {
		parts = nil
	}
	if scheme.rpc {
		a.protocol = rpc
	} else {
		at := -1
		for i, part := range parts { // whatever a gateway has in front
			if v := strings.ToLower(part); v == "v1" || v == "v2" {
				at = i
				if v == "v2" {
					a.protocol = inference
				}
				break
			}
		}
		if at < 0 && len(parts) > 0 || at >= 0 && len(parts) > at+1 && strings.ToLower(parts[at+1]) != "models" {
			return refused("the path is no model's")
		}
		a.base = u.Scheme + "://" + u.Host
		for _, part := range parts[:max(0, at)] {
			a.base += "/" + part
		}
		parts = parts[min(len(parts), at+2):]
	}
	if len(parts) == 0 {
		return a, nil
	}
	last := &parts[len(parts)-1]
	if a.protocol == rest {
		if name, verb, ok := strings.Cut(*last, ":"); ok {
			if verb != "predict" {
				return refused("only :predict runs, not :%s", plain.Line(verb))
			}
			*last = name
		}
	}
	if a.protocol == inference && len(parts)%2 == 0 && *last == "infer" {
		parts = parts[:len(parts)-1]
	}
	if a.model, err = url.PathUnescape(parts[0]); err != nil || a.model == "" {
		return refused("it names no model")
	}
	if len(parts) == 1 {
		return a, nil
	}
	if len(parts) != 3 {
		return refused("the path is no model's")
	}
	switch strings.ToLower(parts[1]) {
	case "versions":
		if a.version, err = strconv.ParseInt(parts[2], 10, 64); err != nil || a.version < 0 {
			return refused("the version %s is not a number", plain.Line(parts[2]))
		}
		a.hasVersion = true
	case "labels":
		if a.label, err = url.PathUnescape(parts[2]); err != nil || a.label == "" || a.protocol == inference {
			return refused("the path is no model's")
		}
	default:
		return refused("the path is no model's")
	}
	return a, nil
}

// url returns the URL of the model.
func (a *address) url() string {
	text := a.base + "/v1/models/"
	if a.protocol == inference {
		text = a.base + "/v2/models/"
	}
	text += url.PathEscape(a.model)
	switch {
	case a.hasVersion:
		text += "/versions/" + strconv.FormatInt(a.version, 10)
	case a.label != "":
		text += "/labels/" + url.PathEscape(a.label)
	}
	return text
}
