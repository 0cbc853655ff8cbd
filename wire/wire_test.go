package wire_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/troupe-go/troupe/wire"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TensorFlow wrote the two files from one graph.
func TestBothFormsOfAGraph(t *testing.T) {
	var text, binary wire.GraphDef
	if err := prototext.Unmarshal(read(t, "graph.pbtxt"), &text); err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(read(t, "graph.pb"), &binary); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&text, &binary, protocmp.Transform()); diff != "" {
		t.Errorf("-text +binary:\n%s", diff)
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(&binary)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) != len(read(t, "graph.pb")) {
		t.Errorf("%d bytes are %d when written again", len(read(t, "graph.pb")), len(b))
	}
	eachMessage(binary.ProtoReflect(), func(m protoreflect.Message) {
		if n := len(m.GetUnknown()); n > 0 {
			t.Errorf("%s has %d bytes of unknown fields", m.Descriptor().FullName(), n)
		}
	})
	if n := len(binary.Library.Function); n == 0 {
		t.Error("the graph's functions are lost")
	}
}

func eachMessage(m protoreflect.Message, visit func(protoreflect.Message)) {
	visit(m)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap() && f.MapValue().Message() != nil:
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				eachMessage(v.Message(), visit)
				return true
			})
		case f.IsList() && f.Message() != nil:
			for i := range v.List().Len() {
				eachMessage(v.List().Get(i).Message(), visit)
			}
		case !f.IsMap() && f.Message() != nil:
			eachMessage(v.Message(), visit)
		}
		return true
	})
}

// The fields that are not declared come back as they were.
func TestUnknownFieldsAreKept(t *testing.T) {
	in := []byte{0x28, 1, 0x32, 2, 0x20, 1} // inter_op_parallelism_threads 1, gpu_options with allow_growth
	var c wire.ConfigProto
	if err := proto.Unmarshal(in, &c); err != nil {
		t.Fatal(err)
	}
	out, err := proto.Marshal(&c)
	if err != nil || string(out) != string(in) || c.InterOpParallelismThreads != 1 {
		t.Errorf("% x became % x, %v", in, out, err)
	}
}

func TestBrokenMessages(t *testing.T) {
	for name, b := range map[string][]byte{
		"a name that is not UTF-8": {0x0a, 3, 0x0a, 1, 0xff},
		"a length past the end":    {0x0a, 100, 0},
		"field zero":               {0, 0},
	} {
		if err := proto.Unmarshal(b, &wire.GraphDef{}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// A program that links TensorFlow's own messages must not clash with these.
func TestNamesAreOurOwn(t *testing.T) {
	n := 0
	protoregistry.GlobalFiles.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		if f.Messages().Len() == 0 || strings.HasPrefix(string(f.Package()), "google.") {
			return true
		}
		n++
		if f.Package() != "troupe.tensorflow" || !strings.HasPrefix(f.Path(), "troupe/") {
			t.Errorf("%s is of package %s", f.Path(), f.Package())
		}
		return true
	})
	if n < 6 {
		t.Errorf("%d files are registered", n)
	}
}

// In text the names count, in bytes the numbers: both are TensorFlow's, as
// testdata/descriptors.txt records them.
func TestFieldsAreTensorFlows(t *testing.T) {
	theirs := map[string]bool{}
	for line := range strings.Lines(string(read(t, "descriptors.txt"))) {
		theirs[strings.TrimSpace(line)] = true
	}
	check := func(line string) {
		if !theirs[line] {
			t.Errorf("TensorFlow has no %s", line)
		}
	}
	enum := func(e protoreflect.EnumDescriptor) {
		for i := range e.Values().Len() {
			v := e.Values().Get(i)
			check(line("value", v.FullName(), int(v.Number()), "", ""))
		}
	}
	var message func(m protoreflect.MessageDescriptor)
	message = func(m protoreflect.MessageDescriptor) {
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			oneof := ""
			if o := f.ContainingOneof(); o != nil {
				oneof = string(o.Name())
			}
			kind := f.Cardinality().String() + " " + f.Kind().String()
			if f.Message() != nil {
				kind += " " + trim(f.Message().FullName())
			} else if f.Enum() != nil {
				kind += " " + trim(f.Enum().FullName())
			}
			check(line("field", f.FullName(), int(f.Number()), kind, oneof))
		}
		for i := range m.Messages().Len() {
			message(m.Messages().Get(i))
		}
		for i := range m.Enums().Len() {
			enum(m.Enums().Get(i))
		}
	}
	protoregistry.GlobalFiles.RangeFilesByPackage("troupe.tensorflow", func(f protoreflect.FileDescriptor) bool {
		for i := range f.Messages().Len() {
			message(f.Messages().Get(i))
		}
		for i := range f.Enums().Len() {
			enum(f.Enums().Get(i))
		}
		return true
	})
}

// line returns one line of testdata/descriptors.txt.
func line(what string, name protoreflect.FullName, number int, kind, oneof string) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s = %d %s %s", what, trim(name), number, kind, oneof))
}

func trim(name protoreflect.FullName) string {
	return strings.TrimPrefix(string(name), "troupe.")
}
