// Measure has what benchmarks need besides `troupe bench`: backward graphs, the memory of a
// process that runs for long, graphs of very many layers, and which fraction of what the
// machine multiplies models come to.
//
//	go run ./benchmarks/measure gradients scale
//	go run ./benchmarks/measure resident --runs 100000 DIR mlp_b1
//	go run ./benchmarks/measure layers --nodes 100000 layers
//	go run ./benchmarks/measure peak MODEL...
//
// One command, because linking one takes seconds.
package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
)

func main() {
	cmd := &cobra.Command{Use: "measure", Short: "Measure what troupe bench does not", SilenceUsage: true}
	cmd.AddCommand(gradients(), resident(), layers(), peak())
	if cmd.ExecuteContext(context.Background()) != nil {
		os.Exit(1)
	}
}
