package kerneltest

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// mostFaults bounds the allocations of one run that are let fail: the first ones.
const mostFaults = 50

// Faults lets memory run out at every allocation of the recorded operations of a file,
// of at most each of them that many records, or of a script, if that is what the file
// is. A kernel must answer so, not panic, and leave nothing on the account: what its
// resources hold goes with them. It adds up in ops how often memory ran out.
func Faults(t *testing.T, path string, each int, ops map[string]int) {
	t.Helper()
	if strings.Contains(path, ".jsonl") {
		seen := map[string]int{}
		eachRecord(t, path, func(line int, r *record) {
			if seen[r.Op]++; seen[r.Op] > each {
				return
			}
			attrs, in, err := r.call()
			if err != nil {
				t.Fatalf("%s:%d: %v", path, line, err)
			}
			failing(t, fmt.Sprintf("%s:%d: %s[%s]", path, line, r.Op, r.Attrs), func(f *Runner) error {
				_, err := f.Run("node", r.Op, attrs, in...)
				if f.budget.Failed() {
					ops[r.Op]++
				}
				return err
			})
		})
		return
	}
	lines := commands(t, path)
	failing(t, path, func(f *Runner) error {
		s := script{names: map[string]*tensor.Tensor{}, runner: *f}
		for _, line := range lines {
			if line == "" {
				s.runner.perStep.Clear()
				continue
			}
			_, err := s.line(line)
			if f.budget.Failed() {
				_, op, _ := strings.Cut(line, " = ")
				if op == "" {
					op = line
				}
				ops[op[:strings.IndexAny(op+"[", "[(")]]++
				return err // what comes next may wait for what has not been done
			}
			if kernel.IsPanic(err) {
				return err
			}
		}
		return nil
	})
}

// failing calls run with memory that runs out at the first allocation, the second, and
// so on, until there are no more.
func failing(t *testing.T, where string, run func(f *Runner) error) {
	t.Helper()
	for n := int64(1); n <= mostFaults; n++ {
		budget := tensor.NewFailing(n)
		f := &Runner{budget: budget, resources: &resource.Manager{Budget: budget}, perStep: &resource.Manager{Budget: budget}}
		err := guarded(func() error { return run(f) })
		f.perStep.Clear()
		f.resources.Clear()
		switch left := budget.Used(); {
		case kernel.IsPanic(err):
			t.Errorf("%s: allocation %d: %v", where, n, err)
			return
		case !budget.Failed():
			if left != 0 {
				t.Errorf("%s: %d bytes are left on the account", where, left)
			}
			return
		case err != nil && status.CodeOf(err) != status.ResourceExhausted:
			t.Errorf("%s: allocation %d: %v", where, n, err)
		case left != 0:
			t.Errorf("%s: allocation %d: %d bytes are left on the account", where, n, left)
		}
	}
}

func guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if err = kernel.Panicked(r); kernel.IsPanic(err) {
				err = kernel.Panicked(fmt.Sprintf("%v\n%s", r, debug.Stack()))
			}
		}
	}()
	return f()
}

// commands returns the lines of a script, with an empty one where a step begins.
func commands(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, within := bufio.NewScanner(file), false
	for lines.Scan() {
		switch line := strings.TrimSpace(lines.Text()); {
		case line == "run":
			within = true
		case line == "step":
			all, within = append(all, ""), true
		case line == "----" || line == "":
			within = false
		case within:
			all = append(all, line)
		}
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d lines, %v", path, len(all), err)
	}
	return all
}
