package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe"
	savedmodel "github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// complete says which values a shell may offer for a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // of a flag that exists
}

// completeSignatures lets a shell offer the signatures of the MODEL, and its inputs for
// feeds.
func completeSignatures(cmd *cobra.Command) {
	offer := func(names func(graphOf) []string) cobra.CompletionFunc {
		return func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var all []cobra.Completion
			if len(args) > 0 {
				if b, err := savedmodel.Read(args[0]); err == nil {
					saved, _ := troupe.SavedModelGraphs(b) // none if it is malformed
					for _, g := range graphsOf(saved) {
						all = append(all, names(g)...)
					}
				}
			}
			sort.Strings(all)
			return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
	}
	_ = cmd.RegisterFlagCompletionFunc("signature", offer(func(g graphOf) []string { return sorted.Keys(g.Signatures) }))
	_ = cmd.RegisterFlagCompletionFunc("feed", offer(func(g graphOf) []string {
		var names []string
		for _, s := range g.Signatures {
			for name := range s.Inputs {
				names = append(names, name+"=")
			}
		}
		return names
	}))
}

// wanted is what flags of a type take.
var wanted = map[string]string{"int": "a whole number", "uint64": "a whole number", "duration": "a duration, such as 1.5s"}

// flagError adds to the error of a flag that does not exist the names that are near, and
// says of a value that makes no sense what the flag takes.
func flagError(cmd *cobra.Command, err error) error {
	if wrong, ok := err.(*pflag.InvalidValueError); ok {
		flag := wrong.GetFlag()
		if want := wanted[flag.Value.Type()]; want != "" {
			return fmt.Errorf("--%s %s: give %s", flag.Name, wrong.GetValue(), want)
		}
		return fmt.Errorf("--%s %s: %w", flag.Name, wrong.GetValue(), wrong.Unwrap())
	}
	unknown, ok := err.(*pflag.NotExistError)
	if !ok || strings.HasPrefix(err.Error(), "unknown shorthand") {
		return err
	}
	return suggestion{err, status.DidYouMean("--"+unknown.GetSpecifiedName(), func(yield func(string) bool) {
		more := true
		cmd.Flags().VisitAll(func(f *pflag.Flag) { more = more && yield("--"+f.Name) })
	})}
}

// notNegative refuses numbers and durations below zero, which no flag takes.
func notNegative(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if want := wanted[f.Value.Type()]; want != "" && strings.HasPrefix(f.Value.String(), "-") {
			err = fmt.Errorf("--%s %v is negative: give %s", f.Name, f.Value, want)
		}
	})
	return err
}

// A suggestion is an error with what may have been meant.
type suggestion struct {
	error
	hint string
}

func (s suggestion) Error() string { return s.error.Error() + s.hint }
func (s suggestion) Unwrap() error { return s.error }
