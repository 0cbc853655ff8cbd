package model

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A metaGraph is one of a SavedModel's graphs.
type metaGraph struct {
	def   *wire.MetaGraphDef // without the graph
	graph []byte             // a serialized GraphDef
	// objects is a serialized SavedObjectGraph, by which variables are restored that
	// the saver's operations do not reach.
	objects []byte
}

// release lets go of the message that the graph has been imported from, which is large, and
// keeps what the variables need of it.
func (m *metaGraph) release() { m.graph, m.objects = nil, bytes.Clone(m.objects) }

// readMetaGraph reads the graph with exactly these tags of the SavedModel in a
// directory.
func readMetaGraph(ctx context.Context, dir string, tags []string) (*metaGraph, error) {
	b, err := ReadContext(ctx, dir)
	if err != nil {
		return nil, err
	}
	m, err := findMetaGraph(b, tags)
	if err != nil {
		e := *status.From(err)
		e.Message = dir + ": " + e.Message
		return nil, &e
	}
	return m, nil
}

// mostMessage is how many bytes a message may have.
const mostMessage = 1 << 31

// readMessage reads a regular file that holds a message.
func readMessage(ctx context.Context, name string) ([]byte, error) {
	f, err := (*files.Policy)(nil).Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && info.Size() >= mostMessage {
		err = status.Invalid("%s has %d bytes, and a message less than %d", name, info.Size(), mostMessage)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(&bounded{ctx, f}, mostMessage)); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// bounded is a reader that stops at the end of its context.
type bounded struct {
	ctx context.Context
	r   io.Reader
}

// mostRead is how many bytes are read between two checks of the context.
const mostRead = 1 << 20

func (b *bounded) Read(p []byte) (int, error) {
	if err := status.FromContext(b.ctx); err != nil {
		return 0, err
	}
	return b.r.Read(p[:min(len(p), mostRead)])
}

// Read is [ReadContext] with a context that does not end.
func Read(dir string) ([]byte, error) { return ReadContext(context.Background(), dir) }

// ReadContext reads the SavedModel in a directory as a message, for
// [Graphs] and [GraphDef]: saved_model.pb, or else saved_model.pbtxt.
func ReadContext(ctx context.Context, dir string) ([]byte, error) {
	name := filepath.Join(dir, "saved_model.pb")
	b, err := readMessage(ctx, name)
	if err == nil || !absent(err) {
		return b, status.FromFile(err)
	}
	name += "txt"
	text, err := readMessage(ctx, name)
	if absent(err) {
		return nil, status.Errorf(status.NotFound, "Could not find SavedModel .pb or .pbtxt at supplied export directory path: %s. "+
			"Check that the directory exists and that you have the right permissions for accessing it.%s", dir, whatIsThere(dir))
	}
	if err != nil {
		return nil, status.FromFile(err)
	}
	var m wire.SavedModel
	if err := wire.UnmarshalText(prototext.UnmarshalOptions{DiscardUnknown: true, Resolver: ownTypes{protoregistry.GlobalTypes}}, text, &m); err != nil {
		return nil, &status.Error{Code: status.DataLoss, Message: "Can't parse " + name + " as text proto: " + err.Error(), Cause: err}
	}
	b, err = proto.Marshal(&m)
	if err != nil {
		return nil, status.From(err)
	}
	return b, nil
}

// absent reports whether an error is that of a file that does not exist, or is asked for
// within another file.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// whatIsThere says, for an error, what stands where a SavedModel was sought, and
// where one is that may have been meant.
func whatIsThere(dir string) string {
	holds := func(dir string) bool {
		info, err := os.Stat(filepath.Join(dir, "saved_model.pb"))
		return err == nil && info.Mode().IsRegular()
	}
	info, err := os.Stat(dir)
	switch {
	case dir == "":
		return " None was given."
	case errors.Is(err, fs.ErrNotExist):
		return " It does not exist."
	case err != nil:
		return ""
	case holds(filepath.Dir(dir)):
		return " There is one in " + filepath.Dir(dir) + "."
	case !info.IsDir():
		return " It is a file; a SavedModel is a folder with a file saved_model.pb."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if inside := filepath.Join(dir, e.Name()); e.IsDir() && holds(inside) {
			return " There is one in " + inside + "."
		}
	}
	return ""
}

// ownTypes finds this module's messages under the names of TensorFlow's.
type ownTypes struct{ *protoregistry.Types }

func (t ownTypes) FindMessageByURL(url string) (protoreflect.MessageType, error) {
	name := url[strings.LastIndexByte(url, '/')+1:]
	if strings.HasPrefix(name, "tensorflow.") {
		name = "troupe." + name
	}
	return t.FindMessageByName(protoreflect.FullName(name))
}

// GraphDef returns the graph with exactly these tags, as a serialized GraphDef,
// of a serialized SavedModel: the contents of saved_model.pb.
func GraphDef(model []byte, tags []string) ([]byte, error) {
	m, err := findMetaGraph(model, tags)
	if err != nil {
		return nil, err
	}
	return m.graph, nil
}

// A SavedGraph describes one of the graphs of a SavedModel.
type SavedGraph struct {
	Tags       []string
	Signatures map[string]Signature
}

// Graphs lists the graphs of a serialized SavedModel, the contents of
// saved_model.pb, without decoding them.
func Graphs(model []byte) ([]SavedGraph, error) {
	var all []SavedGraph
	c := wire.NewCursor("SavedModel", model)
	for c.Next() {
		if !c.IsBytes(2) { // meta_graphs
			continue
		}
		m, err := parseMetaGraph(c.Message("MetaGraphDef"))
		if err != nil {
			return nil, err
		}
		list, err := signatures(m.def)
		if err != nil {
			return nil, err
		}
		all = append(all, SavedGraph{tagSet(m.def.GetMetaInfoDef().GetTags()), list})
	}
	if c.Err() != nil {
		return nil, errMalformedModel(c.Err())
	}
	return all, nil
}

// findMetaGraph finds the graph with exactly these tags in a serialized
// SavedModel. Graphs are not decoded.
func findMetaGraph(b []byte, tags []string) (*metaGraph, error) {
	want := tagSet(tags)
	var have []string
	c := wire.NewCursor("SavedModel", b)
	for c.Next() {
		if !c.IsBytes(2) { // meta_graphs
			continue
		}
		m, err := parseMetaGraph(c.Message("MetaGraphDef"))
		if err != nil {
			return nil, err
		}
		found := tagSet(m.def.GetMetaInfoDef().GetTags())
		if slices.Equal(found, want) {
			return m, nil
		}
		have = append(have, "{ "+strings.Join(found, " ")+" }")
	}
	if c.Err() != nil {
		return nil, errMalformedModel(c.Err())
	}
	return nil, status.Errorf(status.NotFound, "Could not find meta graph def matching supplied tags: { %s }. "+
		"The SavedModel has graphs for %s",
		strings.Join(tags, " "), strings.Join(have, ", "))
}

// parseMetaGraph decodes a MetaGraphDef, apart from its graph and its object
// graph.
func parseMetaGraph(c wire.Cursor) (*metaGraph, error) {
	m := &metaGraph{def: &wire.MetaGraphDef{}}
	var rest []byte
	for c.Next() {
		switch {
		case c.IsBytes(2): // graph_def; several are merged, which their bytes are when joined
			m.graph = joined(m.graph, c.Body())
		case c.IsBytes(7): // object_graph_def
			m.objects = joined(m.objects, c.Body())
		default:
			rest = append(rest, c.Buffer()[c.Start:c.Hi]...)
		}
	}
	if c.Err() != nil {
		return nil, errMalformedModel(c.Err())
	}
	if err := proto.Unmarshal(rest, m.def); err != nil {
		return nil, errMalformedModel(err)
	}
	return m, nil
}

// joined returns the bytes of a field that comes several times. One that comes once, as all
// do that TensorFlow writes, is part of the message and not copied.
func joined(before, body []byte) []byte {
	if before == nil {
		return body
	}
	return append(before[:len(before):len(before)], body...)
}

// errMalformedModel returns the error of a SavedModel that is damaged or cut off.
func errMalformedModel(err error) error {
	return &status.Error{Code: status.DataLoss, Message: "the SavedModel cannot be parsed: " + status.From(err).Message, Cause: err}
}

// tagSet is tags in order, each once.
func tagSet(tags []string) []string {
	set := make(map[string]bool, len(tags))
	for _, tag := range tags {
		set[tag] = true
	}
	return sorted.Keys(set)
}

// assets returns the files that the graph reads.
func (m *metaGraph) assets() ([]*wire.AssetFileDef, error) {
	if list := m.def.GetAssetFileDef(); len(list) > 0 {
		return list, nil
	}
	var list []*wire.AssetFileDef // where TensorFlow 1 put them
	for _, value := range m.def.GetCollectionDef()["saved_model_assets"].GetAnyList().GetValue() {
		a := &wire.AssetFileDef{}
		if err := proto.Unmarshal(value.GetValue(), a); err != nil {
			return nil, status.Invalid("the SavedModel's asset %s is malformed", value.GetTypeUrl())
		}
		list = append(list, a)
	}
	return list, nil
}

// initOp returns the name of what initializes the graph after variables have been
// restored; "" if there is nothing.
func (m *metaGraph) initOp(dir string) (string, error) {
	const signature = "__saved_model_init_op"
	if s := m.def.GetSignatureDef()[signature]; s != nil {
		return s.GetOutputs()[signature].GetName(), nil
	}
	for _, name := range [...]string{"saved_model_main_op", "legacy_init_op"} {
		if c := m.def.GetCollectionDef()[name]; c != nil {
			ops := c.GetNodeList().GetValue()
			if len(ops) != 1 {
				return "", status.Errorf(status.FailedPrecondition, "Expected exactly one main op in : %s", dir)
			}
			return ops[0], nil
		}
	}
	return "", nil
}
