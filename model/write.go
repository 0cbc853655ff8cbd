package model

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/ops/io/bundle"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// An Export is the input of [Write].
type Export struct {
	Graph *graph.Graph
	// Variables are the values of the variables, by the names of the nodes of their
	// handles or references. Variables that no signature needs are left out.
	Variables map[string]*tensor.Tensor
	// Signatures are the model's signatures by name; "serving_default" is the usual one.
	Signatures map[string]ExportSignature
	// Tags identify the graph within the model; nil is "serve" alone.
	Tags []string
	// Init, if not nil, is run after the variables have been restored, to fill tables
	// for example.
	Init *graph.Node
	// Assets are files that Init reads: each output, a scalar or vector of strings, is
	// fed with the name of the copy in the model.
	Assets map[graph.Output]string
}

// An ExportSignature names the tensors to feed and to fetch.
type ExportSignature struct {
	Inputs, Outputs map[string]graph.Output
	// Method is what the signature is for; "" is "tensorflow/serving/predict".
	Method string
}

// Write creates the directory, whose parent must exist, atomically: the name appears
// when everything is on disk. Leftovers of a killed process (dir.temp0) are removed by
// the next Write to dir. It fails with ALREADY_EXISTS if the name exists, with
// INVALID_ARGUMENT for signatures that are not of the graph, and with NOT_FOUND if a
// variable has no value.
func Write(dir string, m Export) (err error) { return write(nil, dir, m) }

func write(fs *files.Policy, dir string, m Export) (err error) {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); err == nil {
		return status.Errorf(status.AlreadyExists, "%s exists already", dir)
	}
	saved, err := m.save()
	if err != nil {
		return err
	}
	folder, err := fs.NewFolder(dir)
	if err != nil {
		return err
	}
	if err := saved.write(fs, folder.Path()); err != nil {
		folder.Discard()
		return err
	}
	return folder.Commit()
}

func (s *saved) write(fs *files.Policy, dir string) error {
	if err := s.writeVariables(fs, filepath.Join(dir, "variables", "variables")); err != nil {
		return err
	}
	if err := s.copyAssets(fs, filepath.Join(dir, "assets")); err != nil {
		return err
	}
	b, err := s.marshal()
	if err != nil {
		return err
	}
	return fs.WriteFile(filepath.Join(dir, "saved_model.pb"), func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

func (s *saved) writeVariables(fs *files.Policy, prefix string) error {
	if len(s.vars) == 0 {
		return nil
	}
	w, err := bundle.Create(fs, prefix)
	if err != nil {
		return err
	}
	for _, v := range s.vars {
		if err := w.Add(v.key, tensor.ValueOf(v.value)); err != nil {
			w.Discard()
			return err
		}
	}
	if s.objects != nil {
		if err := w.Add(objectGraphKey, tensor.Scalar(string(s.objects.checkpoint()))); err != nil {
			w.Discard()
			return err
		}
	}
	return w.Finish()
}

func (s *saved) copyAssets(fs *files.Policy, dir string) error {
	if len(s.assets) == 0 {
		return nil
	}
	if err := fs.Mkdir(dir); err != nil {
		return err
	}
	for _, a := range s.assets {
		if err := copyFile(fs, filepath.Join(dir, a.def.GetFilename()), a.from); err != nil {
			return status.FromFile(err)
		}
	}
	return nil
}

func copyFile(fs *files.Policy, to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return fs.WriteFile(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// marshal returns the message SavedModel.
func (s *saved) marshal() ([]byte, error) {
	def, err := s.graph.GraphDef(graph.ExportOptions{})
	if err != nil {
		return nil, err
	}
	meta, err := proto.MarshalOptions{Deterministic: true}.Marshal(s.meta)
	if err != nil {
		return nil, status.From(err)
	}
	const (
		metaGraphs = 2 // of SavedModel
		graphDef   = 2 // of MetaGraphDef
		objects    = 7
	)
	meta = wire.AppendField(meta, graphDef, def)
	if s.objects != nil {
		meta = wire.AppendField(meta, objects, s.objects.marshal())
	}
	b := wire.AppendNumber(nil, 1, 1) // the version of the format
	return wire.AppendField(b, metaGraphs, meta), nil
}

// invalid names all that is wrong at once.
func invalid(mistakes []string) error {
	if mistakes == nil {
		return nil
	}
	return status.Invalid("%s", strings.Join(mistakes, "; "))
}
