package main

import (
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/serve/inference"
	"github.com/troupe-go/troupe/serve/prediction"
)

// trustFlags allow calls that let clients do more than run signatures.
type trustFlags struct{ reload, sessions bool }

func (f *trustFlags) add(fl *pflag.FlagSet) {
	fl.BoolVar(&f.reload, "allow-reload", false, "let clients load and unload models and, over gRPC, choose them and their folders (HandleReloadConfigRequest)")
	fl.BoolVar(&f.sessions, "allow-session-run", false, "let gRPC clients feed and fetch any tensor of a model (SessionService)")
}

func (f *trustFlags) options() (list []prediction.Option) {
	if f.reload {
		list = append(list, prediction.AllowReload())
	}
	if f.sessions {
		list = append(list, prediction.AllowSessionRun())
	}
	return list
}

func (f *trustFlags) inference() (list []inference.Option) {
	if f.reload {
		list = append(list, inference.AllowControl())
	}
	return list
}
