package conformance

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// writeFiles makes a folder of files, by path.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func floats(t *testing.T, x ...float32) *tensor.Tensor {
	t.Helper()
	v, err := tensor.FromSlice(x, int64(len(x)))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func message(t *testing.T, v *tensor.Tensor) string {
	t.Helper()
	b, err := tensorproto.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestJudge(t *testing.T) {
	const (
		value    = `{"fetches": ["y:0"], "expect": ["y.tensor"]}`
		refusal  = `{"fetches": ["y:0"], "error": {"code": "OUT_OF_RANGE", "contains": "too far"}}`
		anyError = `{"fetches": ["y:0"], "error": {"any": true, "code_seen": "NOT_FOUND", "where_seen": "load"}}`
		whatever = `{"fetches": ["y:0"], "any_outcome": true, "code_seen": "UNIMPLEMENTED", "where_seen": "run"}`
		inStep   = `{"fetches": ["y:0"], "error": {"code": "INVALID_ARGUMENT", "contains": "", "phase": "run"}}`
		asked    = `{"fetches": ["y:0"], "error": {"code": "UNIMPLEMENTED", "contains": "removed"}}`
	)
	one, near, far := floats(t, 1), floats(t, 1.0009), floats(t, 1.01)
	fail := func(code status.Code, text string) Outcome { return Outcome{Err: status.Errorf(code, "%s", text)} }
	loading := func(o Outcome) Outcome { o.Loading = true; return o }
	got := func(v *tensor.Tensor) Outcome { return Outcome{Fetched: []*tensor.Tensor{v}} }
	for _, c := range []struct {
		name string
		step string
		o    Outcome
		want Verdict
	}{
		{"equal", value, got(one), Passed},
		{"within tolerance", value, got(near), Passed},
		{"beyond tolerance", value, got(far), Failed},
		{"other shape", value, got(floats(t, 1, 1)), Failed},
		{"error for a value", value, fail(status.Internal, "no"), Failed},
		{"unimplemented for a value", value, fail(status.Unimplemented, "no kernel"), Unimplemented},
		{"unknown op for a value", value, loading(fail(status.NotFound, "Op type not registered 'X'")), Unimplemented},
		{"the error", refusal, fail(status.OutOfRange, "that is too far away"), Passed},
		{"the error, at load", refusal, loading(fail(status.OutOfRange, "too far")), Passed},
		{"other words", refusal, fail(status.OutOfRange, "beyond"), Failed},
		{"other code", refusal, fail(status.Internal, "too far"), Failed},
		{"value for an error", refusal, got(one), Failed},
		{"unimplemented for an error", refusal, fail(status.Unimplemented, "too far"), Unimplemented},
		{"error in the step", inStep, fail(status.InvalidArgument, "x"), Passed},
		{"error before the step", inStep, loading(fail(status.InvalidArgument, "x")), Failed},
		{"any error", anyError, fail(status.DataLoss, "x"), Passed},
		{"value for any error", anyError, got(one), Failed},
		{"unknown op, as TensorFlow said", anyError, loading(fail(status.NotFound, "Op type not registered 'X'")), Passed},
		{"unknown op, but in the step", anyError, fail(status.NotFound, "Op type not registered 'X'"), Unimplemented},
		{"other thing not found", anyError, fail(status.NotFound, "no such file"), Passed},
		{"any outcome: value", whatever, got(one), Passed},
		{"any outcome: error", whatever, fail(status.Aborted, "x"), Passed},
		{"any outcome: unimplemented, as TensorFlow said", whatever, fail(status.Unimplemented, "x"), Passed},
		{"any outcome: unimplemented at load", whatever, loading(fail(status.Unimplemented, "x")), Unimplemented},
		{"asked for unimplemented", asked, fail(status.Unimplemented, "It has been removed"), Passed},
		{"unimplemented for another reason", asked, fail(status.Unimplemented, "no kernel"), Unimplemented},
		{"panic for any outcome", whatever, fail(status.Internal, "the kernel panicked: oh"), Failed},
		{"panic for any error", anyError, fail(status.Internal, "the kernel panicked: oh"), Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeFiles(t, map[string]string{
				"case.json": `{"tolerance": {"rtol": 0.001}, "steps": [` + c.step + `]}`,
				"y.tensor":  message(t, one),
			})
			s, err := LoadScript(dir)
			if err != nil {
				t.Fatal(err)
			}
			verdict := Passed
			if err := s.Judge(0, c.o); err != nil {
				verdict = Failed
				if errors.As(err, new(gap)) {
					verdict = Unimplemented
				}
			}
			if verdict != c.want {
				t.Errorf("%s, want %s: %v", verdict, c.want, s.Judge(0, c.o))
			}
		})
	}
}

func TestScriptsThatMakeNoSense(t *testing.T) {
	for text, want := range map[string]string{
		`{"steps": [{"fetches": ["y:0"]}]}`:                                      "one of expect",
		`{"steps": [{"fetches": ["y:0"], "expect": []}]}`:                        "0 values are expected of 1",
		`{"steps": [{"fetches": [], "expect": [], "any_outcome": true}]}`:        "one of expect",
		`{"steps": [{"fetches": [], "error": {"code": "BAD", "contains": ""}}]}`: "not a status code",
		`{"steps": [], "surprise": 1}`:                                           "unknown field",
		`{"steps": [{"fetches": [], "expect": [], "error_code": 3}]}`:            "unknown field",
		`{`: "case.json",
		`{"steps": [{"fetches": ["y:0"], "error": {"code": "INTERNAL", "any": true}}]`: "case.json",
	} {
		_, err := LoadScript(writeFiles(t, map[string]string{"case.json": text}))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestLimitCoversLoadAndSteps(t *testing.T) {
	cfg := Config{Timeout: 10 * time.Second}
	for _, c := range []struct {
		c    Case
		want time.Duration
	}{
		{Case{steps: 1}, 24 * time.Second},
		{Case{steps: 3}, 48 * time.Second},
		{Case{steps: 2, deadline: time.Second}, 18 * time.Second},
	} {
		if got := c.c.limit(cfg); got != c.want {
			t.Errorf("limit of %d steps, deadline %v: %v, want %v", c.c.steps, c.c.deadline, got, c.want)
		}
	}
}
