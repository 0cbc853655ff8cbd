package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/troupe-go/troupe/status"
)

// A Case is one thing that TensorFlow was asked, and what it answered.
type Case struct {
	Name  string // group and case, "control/while_counter"
	About string
	Tags  []string
	Ops   []string // operations in the graph, for choosing cases by

	// What Load was given and the case's position in it, so that another
	// process finds the same case.
	path  string
	index int

	script   *Script // nil where there is none, or none that can be read
	steps    int
	deadline time.Duration                       // of each step
	run      func(context.Context, Config) error // nil, or an error of [gap] or another type
}

// Group returns the part of the name before the first slash.
func (c *Case) Group() string {
	for i := range c.Name {
		if c.Name[i] == '/' {
			return c.Name[:i]
		}
	}
	return ""
}

// Hostile reports whether the case belongs into a process of its own.
func (c *Case) Hostile() bool { return slices.Contains(c.Tags, "hostile") }

// A Tolerance is how far floating-point numbers may be from what was recorded;
// see the tolerance of package tensor.
type Tolerance struct {
	RTol  float64 `json:"rtol"`
	ATol  float64 `json:"atol"`
	Exact bool    `json:"exact"`
}

// A Script is what case.json says.
type Script struct {
	About      string      `json:"about"`
	Tags       []string    `json:"tags"`
	Ops        []string    `json:"ops"`
	Advisory   string      `json:"advisory"`
	Tolerance  Tolerance   `json:"tolerance"`
	DeadlineMS int         `json:"deadline_ms"` // for each step; 0: none
	Steps      []Step      `json:"steps"`
	Import     *Import     `json:"import"`
	Gradients  *Gradients  `json:"gradients"`
	SavedModel *SavedModel `json:"saved_model"`

	// Graphs placed on several devices, and the pieces TensorFlow made of them.
	Devices    map[string]int    `json:"devices"`
	Partitions map[string]string `json:"partitions"`

	files fs.FS // the case's folder
}

// A Step is one run. Tensors are given by the names of their files.
type Step struct {
	Feeds   map[string]string `json:"feeds"`
	Fetches []string          `json:"fetches"`
	Targets []string          `json:"targets"`

	// A step of a SavedModel goes by a signature and its keys instead.
	Signature string            `json:"signature"`
	Inputs    map[string]string `json:"inputs"`
	Outputs   map[string]string `json:"outputs"`

	// What is expected: exactly one of the three, or Outputs.
	Expect     []string `json:"expect"` // by position; nil if absent
	Error      *Error   `json:"error"`
	AnyOutcome bool     `json:"any_outcome"`

	Seen
}

// An Error is one that a step must end with.
type Error struct {
	Code     string `json:"code"`     // canonical name; "" for any
	Contains string `json:"contains"` // part of the message
	Any      bool   `json:"any"`      // any code is right
	Phase    string `json:"phase"`    // "load", "run" or ""

	Seen
}

// Seen is what TensorFlow did where that is not what is asked for.
type Seen struct {
	Seen      string `json:"seen"`
	CodeSeen  string `json:"code_seen"`
	WhereSeen string `json:"where_seen"`
}

// readScript reads the script of a case folder.
func readScript(folder fs.FS) (*Script, error) {
	data, err := fs.ReadFile(folder, "case.json")
	if err != nil {
		return nil, err
	}
	s := &Script{files: folder}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields() // what is not understood must not count as passed
	if err := dec.Decode(s); err != nil {
		return nil, fmt.Errorf("case.json: %w", err)
	}
	for i := range s.Steps {
		if err := s.Steps[i].check(); err != nil {
			return nil, fmt.Errorf("case.json: step %d: %w", i, err)
		}
	}
	return s, nil
}

func (s *Step) check() error {
	kinds := 0
	for _, is := range []bool{s.Expect != nil, s.Error != nil, s.AnyOutcome, s.Outputs != nil} {
		if is {
			kinds++
		}
	}
	if s.Expect != nil && s.Outputs != nil && len(s.Expect) == 0 {
		kinds--
	}
	if kinds != 1 {
		return fmt.Errorf("it must have one of expect, error, any_outcome and outputs")
	}
	if s.Expect != nil && len(s.Expect) != len(s.Fetches) {
		return fmt.Errorf("%d values are expected of %d fetches", len(s.Expect), len(s.Fetches))
	}
	if s.Error != nil && s.Error.Code != "" {
		if _, ok := status.ParseCode(s.Error.Code); !ok {
			return fmt.Errorf("%q is not a status code", s.Error.Code)
		}
	}
	return nil
}

// Deadline returns that of a step, 0 for none.
func (s *Script) Deadline() time.Duration { return time.Duration(s.DeadlineMS) * time.Millisecond }
