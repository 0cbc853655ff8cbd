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
	exitUsage  = 2 // the command line is invalid, or the model cannot be read
)

func main() { os.Exit(process()) }

// process runs the command line of the process, until it is interrupted.
func process() int {
	sampleHeap(false)
	paceLoading()
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
	understood := false
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		understood = true // from here on, errors say themselves what to do
		return notNegative(cmd, args)
	}
	cmd, err := root.ExecuteContextC(ctx)
	switch failed := (failure{}); {
	case err == nil:
		return exitOK
	case errors.As(err, &unreadable{}):
		fmt.Fprintln(stderr, "troupe:", err)
		return exitUsage
	case errors.As(err, &failed):
		if failed.error != nil {
			fmt.Fprintln(stderr, "troupe:", err)
		}
		if step := (*troupe.Error)(nil); errors.As(err, &step) && step.Report != nil && len(step.Report.Kernels)+len(step.Report.Waiting) > 0 {
			fmt.Fprintln(stderr, step.Report)
		}
		return exitFailed
	default:
		fmt.Fprintln(stderr, "troupe:", err)
		if !understood {
			fmt.Fprintln(stderr, hint(cmd))
		}
		return exitUsage
	}
}

// hint says which help has what a command line lacks.
func hint(cmd *cobra.Command) string {
	if cmd.HasSubCommands() {
		return fmt.Sprintf("`%s --help` lists the commands.", cmd.CommandPath())
	}
	return fmt.Sprintf("`%s --help` lists arguments and flags.", cmd.CommandPath())
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
		Short: "Run TensorFlow graphs in pure Go",
		Long: `troupe runs TensorFlow graphs in pure Go. It lists the signatures of a SavedModel and
runs them, feeds and fetches tensors of a GraphDef, prints and draws graphs, profiles
and benchmarks them, looks for races and deadlocks, and compares Troupe with results
recorded from TensorFlow.

Exit codes: 0 success; 1 a step failed, a result differs, a case failed or a check
found something; 2 the command line or the model could not be read.`,
		Example: `  # list a model's signatures, check that it runs here, run it, benchmark it
  troupe show my_model/
  troupe check my_model/
  troupe run my_model/ --feed x=@in.npy
  troupe bench my_model/ --feed x=@in.npy

  # run a recorded program and compare the results with TensorFlow's
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
		bounded(generateCommand()), opsCommand(), bounded(conformanceCommand()), bounded(benchCommand()), serveCommand(), clusterWorkerCommand(), clusterCommand(), topCommand(), workerCommand(), versionCommand())
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"})
	help.Args = func(_ *cobra.Command, args []string) error {
		_, _, err := root.Find(args)
		return err
	}
	return root
}
