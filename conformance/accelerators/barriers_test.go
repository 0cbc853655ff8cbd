package accelerators

import (
	"flag"
	"regexp"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

var barriers = flag.String("barriers", "", "leave out each barrier of the kernels of the groups that match this `PATTERN`, one after another: all must be found; . is all")

// numbers differ from one function of a template to the next.
var numbers = regexp.MustCompile(`[0-9]+`)

// alone matches a barrier before the one thread that uses what was read goes on: the compiler
// leaves the reads of the others out, and that thread is the one that writes there next.
var alone = regexp.MustCompile(`= parts\[fold\];\s*BARRIER\(\);\s*if \(lane == 0`)

// place returns the template's text around a barrier.
func place(source string, at int) string {
	return numbers.ReplaceAllString(source[max(0, at-48):min(len(source), at+40)], "0")
}

// TestBarriers leaves barriers out of kernels, each once for a place of a template, and expects
// the simulated GPU to report it in a trial of the kernel.
func TestBarriers(t *testing.T) {
	pattern := regexp.MustCompile(*barriers)
	const barrier = "BARRIER();"
	found := map[string]string{} // by place
	for _, group := range groups {
		if *barriers == "" && group.name != "Reduce" && group.name != "Move" || !pattern.MatchString(group.name) {
			continue
		}
		for _, c := range group.trials() {
			launches, err := c.dry()
			if err != nil {
				t.Fatal(err)
			}
			few := -1
			for _, l := range launches {
				if !strings.Contains(l.Code.Source, barrier) {
					continue
				}
				for few < 0 || c.with(t, l.Code, l.Code, few) != "" {
					if few++; few == 3 {
						break
					}
				}
				for at := 0; ; at++ {
					n := strings.Index(l.Code.Source[at:], barrier)
					if n < 0 {
						break
					}
					at += n
					where := place(l.Code.Source, at)
					if found[where] != "" || alone.MatchString(where) {
						continue
					}
					found[where] += ""
					bad := &devices.Code{Entry: l.Code.Entry, Source: l.Code.Source[:at] + l.Code.Source[at+len(barrier):]}
					if said := c.with(t, l.Code, bad, few); said != "" {
						found[where] = said
					}
				}
			}
		}
	}
	for where, said := range found {
		if said == "" {
			t.Errorf("a barrier can be left out here:\n%s", where)
		} else {
			t.Logf("%.160s", said)
		}
	}
	if len(found) == 0 {
		t.Error("no kernel has barriers")
	}
}

// dry returns the trial's launches, without memory.
func (c *trial) dry() ([]devices.Launch, error) {
	want := c.want
	if want == nil {
		var err error
		if want, err = kerneltest.Run(c.op, c.attrs, c.in...); err != nil {
			return nil, err
		}
		c.want = want
	}
	out, in := arrays(want), arrays(c.in)
	if c.need != nil {
		if s := c.need(out, in); s.Elements() > 0 {
			out = append(out, s)
		}
	}
	return c.write(out, in)
}

// with runs the trial with other code, and returns what the simulated GPU reports, or what is
// wrong with the result. It has as many groups as it asks for in the first dimensions, and one
// in the others: groups that go on to others' share need barriers that single ones do not.
func (c *trial) with(t *testing.T, good, bad *devices.Code, kept int) string {
	t.Helper()
	m, err := simulated.Install(simulated.Options{NoBLAS: true})
	if err != nil {
		t.Skipf("NOT CHECKED: %v", err)
	}
	d, err := cuda.Open(0, devices.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(d)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Run(c.in, c.want, c.need, func(out, in []code.Array) ([]devices.Launch, error) {
		all, err := c.write(out, in)
		for i := range all {
			for d := kept; d < 3; d++ {
				all[i].Groups[d] = 1
			}
			if all[i].Code.Source == good.Source && all[i].Code.Entry == good.Entry {
				all[i].Code = bad
			}
		}
		return all, err
	})
	b.Device.Close()
	said := m.Close()
	switch {
	case said != nil:
		first, _, _ := strings.Cut(said.Error(), "\n")
		return first
	case err != nil:
		return err.Error()
	}
	for i := range c.want {
		if err := tensor.Compare(got[i], c.want[i], c.tol); err != nil {
			return err.Error()
		}
	}
	return ""
}
