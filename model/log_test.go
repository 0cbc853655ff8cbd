package model_test

import (
	"bytes"
	"encoding/json"
	"runtime"
	"testing"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
)

// Every line of a session's log names it, and the model that it runs; the last counts the
// steps, also those of calls that the collector has dropped.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	log := zerolog.New(zerolog.SyncWriter(&out)) // actors log from goroutines of their own
	m, err := model.Load("testdata/vocabulary", []string{"serve"}, &session.SessionOptions{Logger: &log, Name: "reader"})
	if err != nil {
		t.Fatal(err)
	}
	text, err := session.NewTensor([]string{"cat"})
	if err != nil {
		t.Fatal(err)
	}
	const runs = 7
	for i := range runs {
		if i == 3 {
			runtime.GC()
			runtime.GC() // a pool keeps what it has for one collection
		}
		if _, err := m.Run(t.Context(), "serving_default", map[string]*session.Tensor{"text": text}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Session.Close(); err != nil {
		t.Fatal(err)
	}
	steps := int64(-1)
	for line := range bytes.Lines(out.Bytes()) {
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			t.Fatal(err)
		}
		if fields["session"] != "reader" || fields["model"] != "testdata/vocabulary" {
			t.Errorf("%s", line)
		}
		if n, ok := fields["steps"].(float64); ok {
			steps = int64(n)
		}
	}
	if before := int64(len(m.Starts)); steps != runs+before {
		t.Errorf("%d steps, after %d and %d that load the model", steps, runs, before)
	}
}
