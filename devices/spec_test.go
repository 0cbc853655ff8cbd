package devices

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/troupe-go/troupe/status"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, canonical string }{
		{"", ""},
		{"/", ""},
		{CPU0, CPU0},
		{"/device:CPU:0/task:0/replica:0/job:localhost", CPU0},
		{"/job:localhost/replica:0/task:0/cpu:0", CPU0},
		{"/job:localhost/replica:0/task:0/CPU:0", CPU0},
		{"/cpu:0", "/device:CPU:0"},
		{"/gpu:12", "/device:GPU:12"},
		{"/GPU:*", "/device:GPU:*"},
		{"/device:CPU", "/device:CPU:*"},
		{"/device:CPU:*", "/device:CPU:*"},
		{"/device:*:3", "/device:*:3"},
		{"/device:*", ""},
		{"/device:*:*", ""},
		{"/device:XLA_CPU_JIT:0", "/device:XLA_CPU_JIT:0"},
		{"/job:*/task:3", "/task:3"},
		{"/job:a/job:b", "/job:b"},
		{"/replica:2147483646", "/replica:2147483646"},
	} {
		s, err := Parse(c.name)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.name, err)
		} else if got := s.String(); got != c.canonical {
			t.Errorf("Parse(%q) prints %q, want %q", c.name, got, c.canonical)
		}
	}
}

func TestParseMalformed(t *testing.T) {
	for _, c := range []struct {
		name   string
		offset string
	}{
		{"cpu:0", "at offset 0"},
		{"//", "at offset 0"},
		{"/job:", "at offset 0"},
		{"/job:1a", "at offset 0"},
		{"/job:a-b", "at offset 0"},
		{"/job:ä", "at offset 0"},
		{"/job:a/replica:-1", "at offset 6"},
		{"/job:a/replica:+1", "at offset 6"},
		{"/job:a/replica:", "at offset 6"},
		{"/task:2147483648", "at offset 0"},
		{"/task:1x", "at offset 0"},
		{"/device:CPU:0:0", "at offset 0"},
		{"/device::0", "at offset 0"},
		{"/device:CPU:", "at offset 0"},
		{"/cpu:", "at offset 0"},
		{"/tpu:0", "at offset 0"},
		{"/job:a/", "at offset 6"},
		{CPU0 + "x/", "at offset 31"},
	} {
		s, err := Parse(c.name)
		if status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), c.offset) {
			t.Errorf("Parse(%q) = %v, %v; want INVALID_ARGUMENT %s", c.name, s, err, c.offset)
		}
	}
}

func TestParts(t *testing.T) {
	s := parse(t, "/job:ps/task:3/device:CPU:*")
	if job, ok := s.Job(); job != "ps" || !ok {
		t.Errorf("Job() = %q, %v", job, ok)
	}
	if n, ok := s.Replica(); n != 0 || ok {
		t.Errorf("Replica() = %d, %v", n, ok)
	}
	if n, ok := s.Task(); n != 3 || !ok {
		t.Errorf("Task() = %d, %v", n, ok)
	}
	if kind, ok := s.Type(); kind != "CPU" || !ok {
		t.Errorf("Type() = %q, %v", kind, ok)
	}
	if n, ok := s.ID(); n != 0 || ok {
		t.Errorf("ID() = %d, %v", n, ok)
	}
	if s.IsFull() || !parse(t, CPU0).IsFull() {
		t.Error("IsFull is wrong")
	}
	if got, want := Local().Device("CPU", 0), parse(t, CPU0); got != want {
		t.Errorf("Local().Device = %v, want %v", got, want)
	}
	if got := parse(t, CPU0).Process(); got != Local() {
		t.Errorf("Process() = %v", got)
	}
}

func TestProcess(t *testing.T) {
	if s, err := Process("worker", 0, 7); err != nil || s.String() != "/job:worker/replica:0/task:7" {
		t.Errorf("Process = %v, %v", s, err)
	}
	for _, c := range []struct {
		job           string
		replica, task int
	}{{"", 0, 0}, {"a/b", 0, 0}, {"a", -1, 0}, {"a", 0, -1}} {
		if s, err := Process(c.job, c.replica, c.task); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("Process(%q, %d, %d) = %v, %v", c.job, c.replica, c.task, s, err)
		}
	}
}

func TestMerge(t *testing.T) {
	const process = "/job:localhost/replica:0/task:0"
	for _, c := range []struct {
		a, b         string
		strict, soft string // a name, or what the error says
	}{
		{"", "", "", ""},
		{"", CPU0, CPU0, CPU0},
		{process, "/cpu:0", CPU0, CPU0},
		{CPU0, CPU0, CPU0, CPU0},
		{"/device:CPU:*", "/device:*:1", "/device:CPU:1", "/device:CPU:1"},
		{"/job:a", "/job:b", "incompatible jobs: '/job:a' and '/job:b'", "incompatible jobs"},
		{"/replica:1", "/replica:2", "incompatible replicas", "incompatible replicas"},
		{"/task:0", "/task:1", "incompatible tasks", "incompatible tasks"},
		{process + "/cpu:0", "/gpu:0", "incompatible types: '" + CPU0 + "' and '/device:GPU:0'", process},
		{"/cpu:0", "/cpu:1", "incompatible ids", "/device:CPU:*"},
	} {
		for _, soft := range []bool{false, true} {
			for _, order := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
				want := c.strict
				if soft {
					want = c.soft
				}
				m, err := parse(t, order[0]).Merge(parse(t, order[1]), soft)
				switch {
				case strings.HasPrefix(want, "incompatible"):
					if order[0] != c.a {
						want = strings.SplitN(want, ":", 2)[0]
					}
					if status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), want) {
						t.Errorf("Merge(%q, %q, %v) = %q, %v; want an error with %q", order[0], order[1], soft, m, err, want)
					}
				case err != nil || m.String() != want:
					t.Errorf("Merge(%q, %q, %v) = %q, %v; want %q", order[0], order[1], soft, m, err, want)
				}
			}
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		spec, name string
		want       bool
	}{
		{"", CPU0, true},
		{CPU0, CPU0, true},
		{"/cpu:*", CPU0, true},
		{"/task:0", CPU0, true},
		{"/task:1", CPU0, false},
		{"/gpu:0", CPU0, false},
		{CPU0, "/cpu:0", false},
	} {
		if got := parse(t, c.spec).Matches(parse(t, c.name)); got != c.want {
			t.Errorf("%q matches %q: %v", c.spec, c.name, got)
		}
	}
}

func TestParseInterns(t *testing.T) {
	a, _ := parse(t, strings.Clone("/job:trainer")).Job()
	b, _ := parse(t, strings.Clone("/job:trainer/task:1")).Job()
	if unsafe.StringData(a) != unsafe.StringData(b) {
		t.Error("the same job is stored twice")
	}
	if n := testing.AllocsPerRun(100, func() { Parse(CPU0) }); n > 0 {
		t.Errorf("Parse of a local device allocates %v times", n)
	}
}

func parse(t *testing.T, name string) Spec {
	t.Helper()
	s, err := Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "/", CPU0, "/cpu:0", "/gpu:*", "/device:*:3", "/job:a/job:*", "/task:99999999999", "/device:CPU:0:0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := Parse(name)
		if err != nil {
			if status.CodeOf(err) != status.InvalidArgument {
				t.Fatal(err)
			}
			return
		}
		again, err := Parse(s.String())
		if err != nil || again != s {
			t.Fatalf("%q prints %q, which parses as %v, %v", name, s, again, err)
		}
	})
}
