package devices

import (
	"strconv"
	"strings"
	"unique"

	"github.com/troupe-go/troupe/status"
)

// A Spec is a device name or a part of one: job, replica, task, type and
// number, each of which may be open. The zero Spec leaves all open. Specs are
// equal, by ==, when they have the same parts.
type Spec struct {
	job, kind string // "" is open
	// The numbers plus one; 0 is open.
	replica, task, id uint32
}

// maxNumber is the largest replica, task or device number.
const maxNumber = 1<<31 - 1

// CPU0 is the name of the first CPU of a process on its own.
const CPU0 = "/job:localhost/replica:0/task:0/device:CPU:0"

// Local returns the process that a program is when it has no cluster.
func Local() Spec { return Spec{job: "localhost", replica: 1, task: 1} }

// Process returns the Spec of a process's place in a cluster.
func Process(job string, replica, task int) (Spec, error) {
	s := Spec{job: job, replica: uint32(replica) + 1, task: uint32(task) + 1}
	if !isWord(job) || !isNumber(replica) || !isNumber(task) {
		return Spec{}, status.Invalid("No process is named by job %q, replica %d and task %d", job, replica, task)
	}
	return s, nil
}

func isNumber(n int) bool { return n >= 0 && n <= maxNumber }

// Device is s with a device's type and number. It panics if they cannot be in
// a name.
func (s Spec) Device(kind string, id int) Spec {
	if !isWord(kind) || !isNumber(id) {
		panic("devices: a device of type " + strconv.Quote(kind) + " and number " + strconv.Itoa(id))
	}
	s.kind, s.id = kind, uint32(id)+1
	return s
}

// Job returns the job's name; ok is false if it is open.
func (s Spec) Job() (name string, ok bool) { return s.job, s.job != "" }

// Replica returns the replica's number; ok is false if it is open.
func (s Spec) Replica() (n int, ok bool) { return number(s.replica) }

// Task returns the task's number; ok is false if it is open.
func (s Spec) Task() (n int, ok bool) { return number(s.task) }

// Type returns the device's type, such as "CPU"; ok is false if it is open.
func (s Spec) Type() (kind string, ok bool) { return s.kind, s.kind != "" }

// ID returns the device's number among those of its type and process; ok is false
// if it is open.
func (s Spec) ID() (n int, ok bool) { return number(s.id) }

func number(field uint32) (int, bool) { return max(int(field)-1, 0), field > 0 }

// IsFull reports whether nothing is open.
func (s Spec) IsFull() bool {
	return s.job != "" && s.kind != "" && s.replica > 0 && s.task > 0 && s.id > 0
}

// Matches reports whether t has all parts that s has: whether a device named t is
// among those that s requests.
func (s Spec) Matches(t Spec) bool { return s.OrElse(t) == t }

// Process is s without type and number.
func (s Spec) Process() Spec {
	s.kind, s.id = "", 0
	return s
}

// OrElse is s with what it leaves open taken from t.
func (s Spec) OrElse(t Spec) Spec {
	if s.job == "" {
		s.job = t.job
	}
	if s.replica == 0 {
		s.replica = t.replica
	}
	if s.task == 0 {
		s.task = t.task
	}
	if s.kind == "" {
		s.kind = t.kind
	}
	if s.id == 0 {
		s.id = t.id
	}
	return s
}

// Merge returns the parts of both. It fails if they differ; with soft set a
// difference in type leaves type and number open, and one in number the
// number.
func (s Spec) Merge(t Spec, soft bool) (Spec, error) {
	conflict := func(what string) (Spec, error) {
		return Spec{}, status.Invalid("Cannot merge devices with incompatible %s: '%v' and '%v'", what, s, t)
	}
	m := s.OrElse(t)
	switch back := t.OrElse(s); {
	case m.job != back.job:
		return conflict("jobs")
	case m.replica != back.replica:
		return conflict("replicas")
	case m.task != back.task:
		return conflict("tasks")
	case m.kind != back.kind:
		if !soft {
			return conflict("types")
		}
		m.kind, m.id = "", 0
	case m.id != back.id:
		if !soft {
			return conflict("ids")
		}
		m.id = 0
	}
	return m, nil
}

// String returns the canonical name, from which [Parse] makes the same Spec. The
// zero Spec is "".
func (s Spec) String() string {
	b := make([]byte, 0, 64)
	if s.job != "" {
		b = append(append(b, "/job:"...), s.job...)
	}
	b = appendNumber(b, "/replica:", s.replica)
	b = appendNumber(b, "/task:", s.task)
	if s.kind != "" || s.id > 0 {
		b = append(b, "/device:"...)
		if s.kind != "" {
			b = append(b, s.kind...)
		} else {
			b = append(b, '*')
		}
		if s.id > 0 {
			b = appendNumber(b, ":", s.id)
		} else {
			b = append(b, ":*"...)
		}
	}
	return string(b)
}

func appendNumber(b []byte, label string, field uint32) []byte {
	if field == 0 {
		return b
	}
	return strconv.AppendUint(append(b, label...), uint64(field-1), 10)
}

// Parse reads a full or partial device name. A part may be given as "*" for
// open, "/cpu:1" and "/gpu:1" stand for "/device:CPU:1" and "/device:GPU:1", "/"
// and "" leave all open, and a part that comes twice counts as it was given
// last. The Spec does not keep name: equal words of different names are stored
// once.
func Parse(name string) (Spec, error) {
	var s Spec
	if name == "/" {
		return s, nil
	}
	for rest := name; rest != ""; {
		label, value, tail := cut(rest)
		ok := false
		switch label {
		case "job":
			ok = parseWord(value, &s.job)
		case "replica":
			ok = parseNumber(value, &s.replica)
		case "task":
			ok = parseNumber(value, &s.task)
		case "device":
			kind, id, numbered := strings.Cut(value, ":")
			if !numbered {
				id = "*"
			}
			ok = parseWord(kind, &s.kind) && parseNumber(id, &s.id)
		case "cpu", "CPU", "gpu", "GPU":
			s.kind = strings.ToUpper(label)
			ok = parseNumber(value, &s.id)
		}
		if !ok {
			return Spec{}, status.Invalid("Malformed device specification '%s' at offset %d", name, len(name)-len(rest))
		}
		rest = tail
	}
	return s, nil
}

// cut takes "/label:value" off the front of a name; label is "" if there is
// none.
func cut(name string) (label, value, tail string) {
	if name[0] != '/' {
		return "", "", ""
	}
	part := name[1:]
	if i := strings.IndexByte(part, '/'); i >= 0 {
		part, tail = part[:i], part[i:]
	}
	label, value, _ = strings.Cut(part, ":")
	return label, value, tail
}

func parseWord(text string, field *string) bool {
	if text == "*" {
		*field = ""
		return true
	}
	if !isWord(text) {
		return false
	}
	*field = intern(text)
	return true
}

// intern is text, in a string that is shared with its equals.
func intern(text string) string {
	switch text {
	case "localhost":
		return "localhost"
	case "CPU":
		return "CPU"
	case "GPU":
		return "GPU"
	}
	return unique.Make(text).Value()
}

// isWord reports whether text can name a job or a type: a letter, then letters,
// digits and underscores.
func isWord(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return text != ""
}

func parseNumber(text string, field *uint32) bool {
	if text == "*" {
		*field = 0
		return true
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return false
	}
	*field = uint32(n) + 1
	return true
}
