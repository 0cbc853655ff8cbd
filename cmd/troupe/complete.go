package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/status"
)

// complete says which values a shell may offer for a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // of a flag that exists
}

// flagError adds to the error of a flag that does not exist the names that are near.
func flagError(cmd *cobra.Command, err error) error {
	unknown, ok := err.(*pflag.NotExistError)
	if !ok || strings.HasPrefix(err.Error(), "unknown shorthand") {
		return err
	}
	return suggestion{err, status.DidYouMean("--"+unknown.GetSpecifiedName(), func(yield func(string) bool) {
		more := true
		cmd.Flags().VisitAll(func(f *pflag.Flag) { more = more && yield("--"+f.Name) })
	})}
}

// A suggestion is an error with what may have been meant.
type suggestion struct {
	error
	hint string
}

func (s suggestion) Error() string { return s.error.Error() + s.hint }
func (s suggestion) Unwrap() error { return s.error }
