package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/client"
)

// remoteFlags say how a server is reached.
type remoteFlags struct{ token, ca, cert, key string }

func (f *remoteFlags) add(fl *pflag.FlagSet) {
	fl.StringVar(&f.token, "token-file", "", "send the token in `FILE` to a server")
	fl.StringVar(&f.ca, "ca", "", "trust a server's certificate if one in `FILE` (PEM) signed it")
	fl.StringVar(&f.cert, "tls-cert", "", "show a server the certificate in `FILE` (PEM)")
	fl.StringVar(&f.key, "tls-key", "", "the key of --tls-cert, in `FILE`")
}

// remoteFlagNames are the flags that remoteFlags adds.
var remoteFlagNames = []string{"token-file", "ca", "tls-cert", "tls-key"}

// options reads the files.
func (f *remoteFlags) options() (o client.Options, err error) {
	if o.Token, err = readToken("token-file", f.token); err != nil {
		return o, err
	}
	o.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if f.ca != "" {
		if o.TLS.RootCAs, err = readAuthorities("ca", f.ca); err != nil {
			return o, err
		}
	}
	if (f.cert == "") != (f.key == "") {
		return o, fmt.Errorf("--tls-cert and --tls-key need each other")
	}
	if f.cert != "" {
		o.TLS.Certificates, err = readPair("tls-cert", f.cert, f.key)
	}
	return o, err
}

// onlyRemote refuses flags of a command that mean nothing where MODEL is at an address, or,
// if it is not, those that mean something only there.
func onlyRemote(cmd *cobra.Command, where string, known ...string) (err error) {
	known = append(append(known, remoteFlagNames...), "max-memory", "max-time", "help")
	cmd.Flags().Visit(func(fl *pflag.Flag) {
		switch remote := client.IsAddress(where); {
		case err != nil:
		case remote && !slices.Contains(known, fl.Name):
			err = fmt.Errorf("--%s needs a MODEL in a file or folder: the server at %s runs its own", fl.Name, plain.Line(where))
		case !remote && slices.Contains(remoteFlagNames, fl.Name):
			err = fmt.Errorf("--%s needs a MODEL at an address, such as http://localhost:8501/v1/models/NAME", fl.Name)
		}
	})
	return err
}

// open opens the model at an address.
func (f *remoteFlags) open(cmd *cobra.Command, where, signature string) (*client.Model, error) {
	o, err := f.options()
	if err != nil {
		return nil, err
	}
	o.Signature = signature
	m, err := client.Open(cmd.Context(), where, o)
	if err != nil {
		return nil, failure{err}
	}
	return m, nil
}

// signaturesOf returns the signatures of a model at an address.
func signaturesOf(m *client.Model) map[string]troupe.Signature {
	infos := func(list map[string]client.TensorInfo) map[string]troupe.TensorInfo {
		all := map[string]troupe.TensorInfo{}
		for name, x := range list {
			info := troupe.TensorInfo{Name: x.Name, DType: x.DType}
			if x.Shape.Known() {
				info.Shape = troupe.MakeShape(x.Shape.Dims()...)
			}
			if info.Name == "" && x.DType == 0 {
				info.Name = name // of an operation, whose name the protocol does not tell
			}
			all[name] = info
		}
		return all
	}
	all := map[string]troupe.Signature{}
	for key, s := range m.Signatures {
		all[key] = troupe.Signature{Inputs: infos(s.Inputs), Outputs: infos(s.Outputs), MethodName: s.Method}
	}
	return all
}

// runRemote runs a signature of a model that a server has: feeds and results go by its names.
func (f *runFlags) runRemote(cmd *cobra.Command, where string) error {
	if err := onlyRemote(cmd, where, "feed", "fetch", "signature", "timeout", "output", "format", "stats"); err != nil {
		return err
	}
	m, err := f.remote.open(cmd, where, f.signature)
	if err != nil {
		return err
	}
	defer m.Close()
	key, names, inputs, err := f.askOf(&troupe.SavedModel{Signatures: signaturesOf(m)})
	if err != nil {
		return err
	}
	loaded(cmd)
	ctx := cmd.Context()
	if f.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.timeout)
		defer cancel()
	}
	began := time.Now()
	reply, err := m.RunOutputs(ctx, key, inputs, f.fetches...)
	if f.stats {
		version := ""
		if reply.Version > 0 {
			version = fmt.Sprintf(", version %d", reply.Version)
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s%s: %v\n", plain.Line(where), version, time.Since(began))
	}
	if err != nil {
		return failure{err}
	}
	values := make([]*troupe.Tensor, len(names))
	for i, name := range names {
		if values[i] = reply.Outputs[name]; values[i] == nil {
			return failure{fmt.Errorf("the reply lacks %s", plain.Line(name))}
		}
	}
	return f.print(cmd, names, values)
}

// show lists the signatures of a model that a server has.
func (f *remoteFlags) show(cmd *cobra.Command, where, signature string) error {
	if err := onlyRemote(cmd, where, "signature"); err != nil {
		return err
	}
	m, err := f.open(cmd, where, signature)
	if err != nil {
		return err
	}
	defer m.Close()
	signatures := signaturesOf(m)
	if signature != "" {
		sig, key, err := signatureOfKey(&troupe.SavedModel{Signatures: signatures}, signature)
		if err != nil {
			return err
		}
		signatures = map[string]troupe.Signature{key: sig}
	}
	of := graphsOf([]troupe.SavedGraph{{Signatures: signatures}})[0]
	of.remote = true
	fmt.Fprintf(cmd.OutOrStdout(), "model %s: %s\n", plain.Line(m.Name()), count(len(of.Signatures), "signature"))
	of.writeList(cmd.OutOrStdout())
	return nil
}
