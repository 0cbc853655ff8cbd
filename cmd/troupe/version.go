package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
)

// versionCommand is --version for those who look for it among the commands.
func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "version",
		Short:  "Print the version",
		Args:   cobra.NoArgs,
		Hidden: true,
		Run:    func(cmd *cobra.Command, _ []string) { fmt.Fprintln(cmd.OutOrStdout(), "troupe", version()) },
	}
}

// version returns that of the module, with what built it and whose graphs it follows.
func version() string {
	module, commit := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" {
			module = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 && module == "(devel)" {
				commit = " " + s.Value[:12]
			}
		}
	}
	return fmt.Sprintf("%s%s (%s, %s/%s), for graphs of TensorFlow %s",
		module, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, troupe.Version())
}
