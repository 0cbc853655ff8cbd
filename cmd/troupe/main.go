package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/plain"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // a step failed, a value differs, a case failed
	exitUsage  = 2 // the command line, or the file that check is given, makes no sense
)

func main() { os.Exit(process()) }

// process runs the command line of the process, until it is interrupted.
func process() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop) // a second interrupt ends the process
	return execute(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// execute runs a command line and returns its exit code.
func execute(ctx context.Context, args []string, stdin io.Reader, rawOut, rawErr io.Writer) int {
	stdout, stderr := plain.NewWriter(rawOut), plain.NewWriter(rawErr) // whatever a model's text holds
	defer stdout.Flush()
	defer stderr.Flush()
	root := rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	switch failed := (failure{}); {
	case err == nil:
		return exitOK
	case errors.As(err, &failed):
		if failed.error != nil {
			fmt.Fprintln(stderr, "troupe:", err)
		}
		if step := (*troupe.Error)(nil); errors.As(err, &step) && step.Report != nil && len(step.Report.Kernels)+len(step.Report.Waiting) > 0 {
			fmt.Fprintln(stderr, step.Report)
		}
		return exitFailed
	case errors.As(err, &unreadable{}):
		fmt.Fprintln(stderr, "troupe:", err)
		return exitUsage
	default:
		fmt.Fprintln(stderr, "troupe:", err)
		fmt.Fprintln(stderr, "`troupe --help` lists commands and flags.")
		return exitUsage
	}
}

// A failure is the error of a command that was understood and did not succeed;
// without an error of its own everything has been said already.
type failure struct{ error }

func (f failure) Error() string {
	if f.error == nil {
		return "failed"
	}
	return f.error.Error()
}

func (f failure) Unwrap() error { return f.error }

// An unreadable is the error of a command whose input cannot be understood.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "troupe",
		Short: "Run TensorFlow graphs on actors",
		Long: `troupe runs TensorFlow graphs in pure Go: it tells what a SavedModel may be asked
and asks it, feeds and fetches tensors of a GraphDef, shows how a graph is built of
loops and conditionals, checks Troupe against answers recorded from TensorFlow, and
measures it.

It exits with 0 if all is well, with 1 if a step failed, a value differs from
its recording or a case failed, and with 2 if the command line makes no sense.`,
		Example: `  # what does a model want, will it run here, and what does it answer?
  troupe show my_model/
  troupe check my_model/
  troupe run my_model/ --feed x=@in.npy

  # play a recorded program and compare with TensorFlow's answers
  troupe run conformance/testdata/control.zip/program_edit_distance

  # feed and fetch by name
  troupe run model.pb --feed x=[1,2,3] --fetch y`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("troupe {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(bounded(runCommand()), bounded(showCommand()), bounded(checkCommand()), bounded(profileCommand()), boundedWhole(raceCommand()), boundedWhole(exploreCommand()), bounded(shapesCommand()),
		opsCommand(), bounded(conformanceCommand()), bounded(benchCommand()), workerCommand(), versionCommand())
	return root
}
