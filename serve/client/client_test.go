package client

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// types are the types of the inputs of the model "types", whose outputs are its inputs:
// "in_float" leads to "float".
var types = map[string]string{
	"float": "DT_FLOAT", "double": "DT_DOUBLE", "int8": "DT_INT8", "int16": "DT_INT16", "int32": "DT_INT32", "int64": "DT_INT64",
	"uint8": "DT_UINT8", "uint32": "DT_UINT32", "uint64": "DT_UINT64", "bool": "DT_BOOL", "text_bytes": "DT_STRING",
	"half": "DT_HALF", "bfloat16": "DT_BFLOAT16", "uint16": "DT_UINT16",
}

// onlyBinary are those that TensorFlow Serving's JSON lacks.
var onlyBinary = map[string]bool{"half": true, "bfloat16": true, "uint16": true}

// write writes the model: serving_default has all types of JSON, each other signature has
// the name of its type. "fails" has an input that its operation refuses.
func write(t testing.TB, dir string) {
	t.Helper()
	g := graph.New()
	signatures := map[string]model.ExportSignature{}
	all := model.ExportSignature{Inputs: map[string]graph.Output{}, Outputs: map[string]graph.Output{}}
	text := `
fed = Placeholder() {dtype=DT_FLOAT, shape=shape [?]}
failed = CheckNumerics(fed) {message="no \"number\""}
`
	for name, dt := range types {
		text += fmt.Sprintf("in_%s = Placeholder() {dtype=%s, shape=shape ?}\n%s = Identity(in_%[1]s)\n", name, dt, name)
	}
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	for name := range types {
		in, out := g.Operation("in_"+name).Output(0), g.Operation(name).Output(0)
		if !onlyBinary[name] {
			all.Inputs["in_"+name], all.Outputs[name] = in, out
		}
		signatures[name] = model.ExportSignature{Inputs: map[string]graph.Output{"in_" + name: in}, Outputs: map[string]graph.Output{name: out}}
	}
	signatures["serving_default"] = all
	signatures["fails"] = model.ExportSignature{Inputs: map[string]graph.Output{"x": g.Operation("fed").Output(0)}, Outputs: map[string]graph.Output{"y": g.Operation("failed").Output(0)}}
	if err := model.Write(dir, model.Export{Graph: g, Signatures: signatures}); err != nil {
		t.Fatal(err)
	}
}

// serveTypes serves the model "types", and returns the addresses of its protocols by name.
func serveTypes(t testing.TB) map[string]string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "types")
	write(t, dir)
	return serveModel(t, "types", dir)
}

// serveModel serves a model.
func serveModel(t testing.TB, name, dir string) map[string]string {
	t.Helper()
	models := serve.New(serve.Options{})
	if err := models.Add(t.Context(), serve.Config{Name: name, Path: dir}); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(serve.Handler(models, serve.HTTP{}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	prediction.Register(server, models)
	go server.Serve(listener)
	t.Cleanup(func() {
		web.Close()
		server.Stop()
		if err := models.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return map[string]string{
		"v1": web.URL + "/v1/models/" + name, "v2": web.URL + "/v2/models/" + name, "grpc": "grpc://" + listener.Addr().String() + "/" + name,
	}
}

func open(t testing.TB, at string, o Options) *Model {
	t.Helper()
	m, err := Open(t.Context(), at, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// values are tensors for the inputs of "types", with the numbers that are hard to write.
func values() map[string][]*tensor.Tensor {
	nan, inf := math.NaN(), math.Inf(1)
	fs := []float32{0, float32(math.Copysign(0, -1)), 1, -1.5, 0.1, math.MaxFloat32, math.SmallestNonzeroFloat32, 16777217, float32(nan), float32(inf), float32(-inf), 1.0 / 3}
	ds := []float64{0, math.Copysign(0, -1), 1, -1.5, 0.1, math.MaxFloat64, math.SmallestNonzeroFloat64, 1 << 53, nan, inf, -inf, 1.0 / 3}
	var hs []tensor.Float16
	var bs []tensor.BFloat16
	for _, x := range fs {
		hs, bs = append(hs, tensor.ToFloat16(x)), append(bs, tensor.ToBFloat16(x))
	}
	return map[string][]*tensor.Tensor{
		"float":    {must(tensor.FromSlice(fs, 2, 3, 2)), tensor.FromScalar[float32](2.5), must(tensor.FromSlice([]float32{}, 0))},
		"double":   {must(tensor.FromSlice(ds, 12)), must(tensor.FromSlice(ds, 1, 1, 12, 1))},
		"int8":     {must(tensor.FromSlice([]int8{-128, 0, 127}, 3))},
		"int16":    {must(tensor.FromSlice([]int16{-32768, 0, 32767}, 3, 1))},
		"int32":    {must(tensor.FromSlice([]int32{math.MinInt32, 0, math.MaxInt32}, 3))},
		"int64":    {must(tensor.FromSlice([]int64{math.MinInt64, 0, math.MaxInt64, 1<<53 + 1}, 2, 2)), tensor.FromScalar[int64](-7)},
		"uint8":    {must(tensor.FromSlice([]uint8{0, 255}, 2))},
		"uint16":   {must(tensor.FromSlice([]uint16{0, 65535}, 2)), must(tensor.FromSlice([]uint16{}, 3, 0, 2))},
		"uint32":   {must(tensor.FromSlice([]uint32{0, math.MaxUint32}, 2))},
		"uint64":   {must(tensor.FromSlice([]uint64{0, math.MaxUint64}, 2))},
		"bool":     {must(tensor.FromSlice([]bool{true, false}, 1, 2)), tensor.FromScalar(true)},
		"half":     {must(tensor.FromSlice(hs, 12))},
		"bfloat16": {must(tensor.FromSlice(bs, 12)), tensor.FromScalar(bs[4])},
		"text_bytes": {must(tensor.FromSlice([]string{"", "a\"\\\n\x00", "\xff\xfe", "ΩЖ"}, 2, 2)), tensor.FromScalar("one"),
			must(tensor.FromSlice([]string{}, 0))},
	}
}

// TestTypes: over every protocol, tensors of every type come back as they were sent.
func TestTypes(t *testing.T) {
	at := serveTypes(t)
	for protocol, address := range at {
		all := open(t, address, Options{})
		for name, list := range values() {
			m := all
			if protocol == "v2" {
				m = open(t, address, Options{Signature: name})
			}
			for i, want := range list {
				out, err := m.Run(t.Context(), name, map[string]*tensor.Tensor{"in_" + name: want})
				if protocol == "v1" && onlyBinary[name] {
					if status.CodeOf(err) != status.Unimplemented {
						t.Errorf("%s %s: %v", protocol, name, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s %s %d: %v", protocol, name, i, err)
				} else if err := tensor.Compare(out[name], want, tensor.Tolerance{}); err != nil || len(out) != 1 {
					t.Errorf("%s %s %d: %v", protocol, name, i, err)
				}
			}
		}
		inputs := map[string]*tensor.Tensor{}
		for name, list := range values() {
			if !onlyBinary[name] {
				inputs["in_"+name] = list[0]
			}
		}
		out, err := all.Run(t.Context(), "serving_default", inputs)
		if err != nil || len(out) != len(inputs) {
			t.Errorf("%s: %d outputs, %v", protocol, len(out), err)
		}
		for name, got := range out {
			if err := tensor.Compare(got, inputs["in_"+name], tensor.Tolerance{}); err != nil {
				t.Errorf("%s %s: %v", protocol, name, err)
			}
		}
		r, err := all.RunOutputs(t.Context(), "serving_default", inputs, "double", "bool")
		if err != nil || len(r.Outputs) != 2 || r.Outputs["double"] == nil || r.Outputs["bool"] == nil {
			t.Errorf("%s: %v, %v", protocol, r.Outputs, err)
		}
		if protocol != "v1" && r.Version != 1 {
			t.Errorf("%s: version %d", protocol, r.Version)
		}
	}
}

// TestSignatures: the protocols describe the same signatures.
func TestSignatures(t *testing.T) {
	at := serveTypes(t)
	want := open(t, at["grpc"], Options{}).Signatures
	if len(want) != len(types)+2 || want["fails"].Method != "tensorflow/serving/predict" {
		t.Fatalf("%v", want)
	}
	same := func(protocol, key string, got Signature) {
		t.Helper()
		for _, side := range [][2]map[string]TensorInfo{{got.Inputs, want[key].Inputs}, {got.Outputs, want[key].Outputs}} {
			if len(side[0]) != len(side[1]) {
				t.Errorf("%s %s: %v, want %v", protocol, key, side[0], side[1])
			}
			for name, w := range side[1] {
				g := side[0][name]
				shape := w.Shape.String()
				if protocol == "v2" && !w.Shape.Known() { // which the protocol has no word for
					shape = "[?]"
				}
				if g.DType != w.DType || g.Shape.String() != shape || protocol != "v2" && g.Name != w.Name {
					t.Errorf("%s %s %s: %v, want %v", protocol, key, name, g, w)
				}
			}
		}
	}
	got := open(t, at["v1"], Options{}).Signatures
	for key := range want {
		same("v1", key, got[key])
		same("v2", key, open(t, at["v2"], Options{Signature: key}).Signatures[key])
	}
	if len(got) != len(want) {
		t.Errorf("%d signatures over v1, want %d", len(got), len(want))
	}
}

// TestErrors: what is wrong is said, with the server's code and message.
func TestErrors(t *testing.T) {
	at := serveTypes(t)
	one := must(tensor.FromSlice([]float32{1}, 1))
	for protocol, address := range at {
		if _, err := Open(t.Context(), address+"s", Options{}); status.CodeOf(err) != status.NotFound || !strings.Contains(err.Error(), "typess") || protocol != "grpc" && !strings.Contains(err.Error(), "did you mean 'types'?") {
			t.Errorf("%s: %v", protocol, err)
		}
		if _, err := Open(t.Context(), address+"/versions/7", Options{}); status.CodeOf(err) != status.NotFound || strings.Contains(err.Error(), "did you mean") {
			t.Errorf("%s: %v", protocol, err)
		}
		m := open(t, address, Options{Signature: map[string]string{"v2": "fails"}[protocol]})
		for want, run := range map[string]func() error{
			"NOT_FOUND no signature":          func() error { _, err := m.Run(t.Context(), "fail", nil); return err },
			"INVALID_ARGUMENT no input \"z\"": func() error { _, err := m.Run(t.Context(), "fails", map[string]*tensor.Tensor{"z": one}); return err },
			"INVALID_ARGUMENT is nil":         func() error { _, err := m.Run(t.Context(), "fails", map[string]*tensor.Tensor{"x": nil}); return err },
			"INVALID_ARGUMENT is int32, the signature's is float": func() error {
				_, err := m.Run(t.Context(), "fails", map[string]*tensor.Tensor{"x": tensor.FromScalar[int32](1)})
				return err
			},
			"INVALID_ARGUMENT no output \"x\"": func() error {
				_, err := m.RunOutputs(t.Context(), "fails", map[string]*tensor.Tensor{"x": one}, "x")
				return err
			},
			"INVALID_ARGUMENT x": func() error { _, err := m.Run(t.Context(), "fails", nil); return err },
			"INVALID_ARGUMENT no \"number\"": func() error {
				_, err := m.Run(t.Context(), "fails", map[string]*tensor.Tensor{"x": must(tensor.FromSlice([]float32{float32(math.NaN())}, 1))})
				return err
			},
			"CANCELLED ": func() error {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				_, err := m.Run(ctx, "fails", map[string]*tensor.Tensor{"x": one})
				return err
			},
			"DEADLINE_EXCEEDED ": func() error {
				ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
				defer cancel()
				_, err := m.Run(ctx, "fails", map[string]*tensor.Tensor{"x": one})
				return err
			},
		} {
			code, text, _ := strings.Cut(want, " ")
			if err := run(); status.CodeOf(err).String() != code || !strings.Contains(err.Error(), text) || !strings.HasPrefix(err.Error(), code+": model types at 127.0.0.1:") {
				t.Errorf("%s: %v, want %s", protocol, err, want)
			}
		}
	}
	large := must(tensor.New(tensor.Float, 1000))
	for _, protocol := range []string{"v1", "v2", "grpc"} {
		o := Options{Signature: map[string]string{"v2": "float"}[protocol], MaxReply: 3000}
		if protocol == "v1" { // whose metadata are longer
			o.MaxReply = 0
		}
		m := open(t, at[protocol], o)
		if protocol == "v1" {
			m.remote.(*v1).limit = 1000
		}
		if _, err := m.Run(t.Context(), "float", map[string]*tensor.Tensor{"in_float": large}); status.CodeOf(err) != status.ResourceExhausted {
			t.Errorf("%s: %v", protocol, err)
		}
	}
}

// TestAddresses: what is no address of a model is refused.
func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"http://h/v1/models/m":                        "http://h/v1/models/m",
		"http://h:1/v1/models/m:predict":              "http://h:1/v1/models/m",
		"https://h/gate/V1/Models/m%2Fn/versions/3/":  "https://h/gate/v1/models/m%2Fn/versions/3",
		"http://h/v1/models/m/labels/a%20b:predict":   "http://h/v1/models/m/labels/a%20b",
		"http://h/v2/models/m/versions/3/infer":       "http://h/v2/models/m/versions/3",
		"http://h/v2/models/infer":                    "http://h/v2/models/infer",
		"http://h/v2/models/m/infer":                  "http://h/v2/models/m",
		"grpc://h:1/m/versions/3":                     "m 3",
		"grpcs://h/m/labels/x":                        "m x",
		"http://h/models/m":                           "the path is no model's",
		"http://h/v1/m":                               "the path is no model's",
		"http://h/v1/models/m:classify":               "only :predict",
		"http://h/v1/models/m/versions/x":             "not a number",
		"http://h/v1/models/m/versions/-1":            "not a number",
		"http://h/v1/models/m/versions":               "the path is no model's",
		"http://h/v2/models/m/labels/x":               "the path is no model's",
		"http://user@h/v1/models/m":                   "a user",
		"http:///v1/models/m":                         "no host",
		"ftp://h/v1/models/m":                         "the scheme",
		"http://h/v1/models/m?x":                      "a user, query",
		"http://h/%zz":                                "not an address",
		"grpc://h:1/m/n":                              "the path is no model's",
		"http://h/v1/models/m\x1b[2J/versions/9/more": `not an address`,
	} {
		a, err := parseAddress(text)
		got := ""
		switch {
		case err != nil:
			got = err.Error()
			if strings.Contains(got, "\x1b") {
				t.Errorf("%q: %q", text, got)
			}
		case a.protocol == rpc && a.hasVersion:
			got = a.model + " " + strconv.FormatInt(a.version, 10)
		case a.protocol == rpc:
			got = a.model + " " + a.label
		default:
			got = a.url()
		}
		if got != want && (err == nil || !strings.Contains(got, want)) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if !IsAddress("grpc://x") || IsAddress("model.pb") || IsAddress("troupe://x") || IsAddress("://") {
		t.Error("IsAddress")
	}
}

// A fake answers as no server should.
type fake struct {
	code   int
	header map[string]string
	body   string
}

func (f fake) RoundTrip(r *http.Request) (*http.Response, error) {
	h := http.Header{}
	for name, value := range f.header {
		h.Set(name, value)
	}
	return &http.Response{StatusCode: f.code, Header: h, Body: io.NopCloser(strings.NewReader(f.body)), Request: r}, nil
}

// TestReplies: replies that are none are errors.
func TestReplies(t *testing.T) {
	signature := map[string]Signature{"s": {
		Inputs:  map[string]TensorInfo{},
		Outputs: map[string]TensorInfo{"y": {DType: tensor.Float}},
	}}
	const length = "Inference-Header-Content-Length"
	for _, test := range []struct {
		version string
		reply   fake
		want    string
	}{
		{"v1", fake{404, nil, "<html>"}, "NOT_FOUND: model m at h: HTTP 404: a page of HTML: is it a model server?"},
		{"v1", fake{302, map[string]string{"Location": "http://other"}, ""}, "UNKNOWN: model m at h: HTTP 302: it redirects to http://other"},
		{"v1", fake{429, map[string]string{"Retry-After": "1"}, `{"error": "busy"}`}, "RESOURCE_EXHAUSTED: model m at h: HTTP 429: busy (retry after 1 s)"},
		{"v1", fake{500, nil, "\x1b[2J"}, `INTERNAL: model m at h: HTTP 500: \x1b[2J`},
		{"v1", fake{401, nil, ""}, "UNAUTHENTICATED: model m at h: HTTP 401: no message"},
		{"v1", fake{200, nil, ""}, "INTERNAL"},
		{"v1", fake{200, nil, "{}"}, "there are no outputs"},
		{"v1", fake{200, nil, `{"outputs": [1,[2]]}`}, "ragged"},
		{"v1", fake{200, nil, `{"outputs": [[1],2]}`}, "ragged"},
		{"v1", fake{200, nil, `{"outputs": [[1],[2,3]]}`}, "ragged"},
		{"v1", fake{200, nil, `{"outputs": [[1],[]]}`}, "ragged"},
		{"v1", fake{200, nil, `{"outputs": [[],1]}`}, "ragged"},
		{"v1", fake{200, nil, `{"outputs": [1`}, "is missing"},
		{"v1", fake{200, nil, `{"outputs": ["1"]}`}, "a number is missing"},
		{"v1", fake{200, nil, `{"outputs": ` + strings.Repeat("[", 1000)}, "ragged"},
		{"v1", fake{200, nil, `{"x": ` + strings.Repeat("[", 1000)}, "nested"},
		{"v2", fake{200, map[string]string{length: "-1"}, ""}, "cannot be read"},
		{"v2", fake{200, map[string]string{length: "99999999999999"}, ""}, "cannot be read"},
		{"v2", fake{200, nil, `{"outputs":[{"name":"y","datatype":"FP32","shape":[1000000000],"parameters":{"binary_data_size":4000000000}}]}`}, "RESOURCE_EXHAUSTED"},
		{"v2", fake{200, nil, `{"outputs":[{"name":"y","datatype":"FP32","shape":[100000000],"parameters":{"binary_data_size":400000000}}]}`}, "output"},
		{"v2", fake{200, nil, `{"outputs":[{"name":"y","datatype":"FP32","shape":[2],"data":[1]}]}`}, "output"},
		{"v2", fake{200, nil, `{"outputs":[{"name":"y","datatype":"FP32","shape":[-1],"data":[1]}]}`}, "a shape is none"},
		{"v2", fake{200, nil, `{"outputs":[{"name":"y","datatype":"FP","shape":[1],"data":[1]}]}`}, "datatype"},
		{"v2", fake{200, nil, `{"outputs":[{"name":"y","shape":[1]}]}`}, "no data"},
		{"v2", fake{200, nil, `{} x`}, "text after"},
	} {
		a, err := parseAddress("http://h/" + test.version + "/models/m")
		if err != nil {
			t.Fatal(err)
		}
		w := newWeb(Options{Transport: test.reply, MaxReply: 1 << 30})
		m := &Model{Signatures: signature, at: a, remote: &v1{w}}
		if test.version == "v2" {
			m.remote = &v2{web: w}
		}
		if _, err := m.Run(t.Context(), "s", nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %.60q: %v, want %s", test.version, test.reply.body, err, test.want)
		}
	}
	w := newWeb(Options{Transport: fake{200, nil, `{"id": null, "outputs":[{"name":"y","datatype":"FP32","shape":[2,1],"data":[1, NaN]}]}`}, MaxReply: 1 << 30})
	a, _ := parseAddress("http://h/v2/models/m")
	out, err := (&Model{Signatures: signature, at: a, remote: &v2{web: w}}).Run(t.Context(), "s", nil)
	if err != nil || out["y"].String() != "[[ 1.]\n [nan]]" {
		t.Errorf("%v, %v", out["y"], err)
	}
}

// TestToken: the token and the time that is left reach the server, over both protocols.
func TestToken(t *testing.T) {
	headers := make(chan http.Header, 10)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header
		io.WriteString(w, "{}")
	}))
	defer web.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	m, err := Open(ctx, web.URL+"/v1/models/m", Options{Token: "secret"})
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	h := <-headers
	if left, err := strconv.ParseFloat(h.Get("X-Request-Timeout"), 64); h.Get("Authorization") != "Bearer secret" || err != nil || left > 3600 || left < 1000 {
		t.Errorf("%v", h)
	}
}

// FuzzReply: no reply is too much.
func FuzzReply(f *testing.F) {
	f.Add(`{"outputs": [[1, NaN], [2, 3]]}`, 0)
	f.Add(`{"outputs": {"a": "x", "b": [{"b64": "AA=="}]}}`, 0)
	f.Add(`{"model_version":"1","outputs":[{"name":"y","datatype":"INT32","shape":[1,1],"parameters":{"binary_data_size":4}}]}aaaa`, 115)
	f.Add(`{"outputs":[{"name":"y","datatype":"BYTES","shape":[1],"data":["a"]}]}`, 0)
	f.Fuzz(func(t *testing.T, text string, head int) {
		header := map[string]string{}
		if head > 0 {
			header[headerLength] = strconv.Itoa(head)
		}
		w := newWeb(Options{Transport: fake{200, header, text}, MaxReply: 1 << 20})
		sig := Signature{Outputs: map[string]TensorInfo{"a": {DType: tensor.String}, "b": {DType: tensor.String}, "c": {DType: tensor.Float}}}
		for _, r := range []remote{&v1{w}, &v2{web: w}} {
			reply, err := r.run(context.Background(), &address{base: "http://h", model: "m"}, call{"s", sig, nil, nil})
			for name, x := range reply.Outputs {
				if err == nil && int64(x.SizeBytes()) > 1<<26 {
					t.Errorf("%s has %d bytes", name, x.SizeBytes())
				}
			}
			r.describe(context.Background(), &address{base: "http://h", model: "m"})
		}
	})
}
