package main

import (
	"bytes"
	"fmt"
	gotoken "go/token"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/model/typed/generate"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/client"
)

// generateFlags are the flags of `troupe generate`.
type generateFlags struct {
	pkg, output string
	signatures  []string
	tags        []string
	remote      remoteFlags
}

func generateCommand() *cobra.Command {
	var f generateFlags
	cmd := &cobra.Command{
		Use:   "generate MODEL",
		Short: "Write Go types and methods for the signatures of a model",
		Long: `Generate writes a Go file with a method for each signature of a model, with inputs and
outputs as fields of Go types: numbers, slices, strings. The same code runs a SavedModel
in the process and one that a server has:

  digits.New(model)    // of troupe.LoadSavedModel
  digits.New(remote)   // of client.Open

The file is PACKAGE_troupe.go, in the folder that --output names. A file of that name that
was not generated is left as it is. After

  go get -tool github.com/troupe-go/troupe/cmd/troupe

"go generate" writes it for the package that has this line in one of its Go files:

  //go:generate go tool troupe generate ../my_model

MODEL is one of
  - the folder of a SavedModel;` + addressHelp,
		Example: `  troupe generate my_model --package mymodel
  troupe generate my_model --package mymodel --output internal/mymodel
  troupe generate http://localhost:8501/v1/models/digits --package digits --output -`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.pkg, "package", "", "`NAME` of the Go package; default: the package that \"go generate\" runs in")
	fl.StringVarP(&f.output, "output", "o", ".", "write to a file in `FOLDER`, which is made if there is none; -: to standard output")
	fl.StringArrayVar(&f.signatures, "signature", nil, "generate the signature `KEY` alone (repeatable)")
	fl.StringSliceVar(&f.tags, "tags", nil, "use the SavedModel's graph with exactly these `TAGS`, separated by commas")
	f.remote.add(fl)
	return cmd
}

func (f *generateFlags) run(cmd *cobra.Command, where string) error {
	if f.pkg == "" {
		if f.pkg = os.Getenv("GOPACKAGE"); f.pkg == "" {
			return fmt.Errorf("--package is missing: give the name of the Go package to write, such as --package %s", suggested(where))
		}
	}
	c := generate.Config{Package: f.pkg}
	var err error
	if client.IsAddress(where) {
		err = f.ofServer(cmd, where, &c)
	} else {
		err = f.ofFolder(cmd, where, &c)
	}
	if err != nil {
		return err
	}
	if len(f.signatures) > 0 {
		named := map[string]troupe.Signature{}
		for _, key := range f.signatures {
			if named[key], _, err = signatureOfKey(&troupe.SavedModel{Signatures: c.Signatures}, key); err != nil {
				return err
			}
		}
		c.Signatures = named
	}
	source, left, err := generate.Source(c)
	for _, text := range left {
		fmt.Fprintln(cmd.ErrOrStderr(), "troupe:", text)
	}
	if err != nil {
		return failure{err}
	}
	if f.output == "-" {
		_, err := cmd.OutOrStdout().Write(source)
		return err
	}
	return f.write(filepath.Join(f.output, f.pkg+"_troupe.go"), source)
}

// suggested returns a name for the package of a model: the last element of its path, if that is
// a name in Go.
func suggested(where string) string {
	base := strings.ToLower(filepath.Base(where))
	if gotoken.IsIdentifier(base) {
		return base
	}
	return "mymodel"
}

// ofServer describes a model at an address.
func (f *generateFlags) ofServer(cmd *cobra.Command, where string, c *generate.Config) error {
	if err := onlyRemote(cmd, where, "package", "output", "signature"); err != nil {
		return err
	}
	signature := ""
	if len(f.signatures) == 1 {
		signature = f.signatures[0]
	}
	m, err := f.remote.open(cmd, where, signature)
	if err != nil {
		return err
	}
	defer m.Close()
	c.Model, c.Signatures = m.Name(), signaturesOf(m)
	return nil
}

// ofFolder describes a model in a folder, of which no more is read than its signatures and
// their defaults.
func (f *generateFlags) ofFolder(cmd *cobra.Command, folder string, c *generate.Config) error {
	if err := onlyRemote(cmd, folder); err != nil {
		return err
	}
	m, err := findModel(cmd, folder)
	switch {
	case err != nil:
		return failure{err}
	case m.folder == "":
		return fmt.Errorf("%s has no signatures: give the folder of a SavedModel, or the address of a model", plain.Line(folder))
	}
	if f.tags != nil {
		m.tags = f.tags
	}
	at := slices.IndexFunc(m.saved, func(g troupe.SavedGraph) bool { return slices.Equal(g.Tags, m.tags) })
	if at < 0 {
		var have []string
		for _, g := range m.saved {
			have = append(have, plain.Line(strings.Join(g.Tags, ",")))
		}
		return fmt.Errorf("no graph with the tags %s; the model has %s", plain.Line(strings.Join(m.tags, ",")), strings.Join(have, " and "))
	}
	c.Signatures = m.saved[at].Signatures
	if full, err := filepath.Abs(m.folder); err == nil {
		c.Model = filepath.Base(full)
	}
	return nil
}

// write replaces a file that was generated, or makes one.
func (f *generateFlags) write(name string, source []byte) error {
	old, err := os.ReadFile(name)
	switch {
	case err == nil && !bytes.HasPrefix(old, []byte(generate.Header)):
		return failure{fmt.Errorf("%s was not generated, and is left as it is: choose another --package or --output", plain.Line(name))}
	case err == nil && bytes.Equal(old, source):
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return failure{err}
	}
	err = files.WriteFile(name, func(w io.Writer) error {
		_, err := w.Write(source)
		return err
	})
	if err != nil {
		return failure{err}
	}
	return nil
}
