package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// addDiscovery adds the flags that say for how many workers to wait, and how long.
func addDiscovery(fl *pflag.FlagSet, tasks *map[string]int, wait *time.Duration) {
	fl.StringToIntVar(tasks, "tasks", nil, "wait until the job has so many tasks in DNS: `JOB=N,...`")
	fl.Lookup("tasks").DefValue = ""
	fl.DurationVar(wait, "discovery-wait", time.Minute, "wait at most `DURATION` for workers in DNS")
}

func clusterDiscoverCommand() *cobra.Command {
	var f clusterFlags
	var tasks map[string]int
	var wait time.Duration
	var target bool
	cmd := &cobra.Command{
		Use:   "discover NAME...|TARGET",
		Short: "Find workers by DNS",
		Long: `Discover looks up the SRV records of names, as Kubernetes has them for the ports of headless
services and Consul for services, or takes the addresses of a target (troupe://HOST:PORT,…),
asks each worker which task it is, and prints the addresses by job in the form of
--workers-file, or as a target.`,
		Example: `  troupe cluster discover _cluster._tcp.ps.default.svc.cluster.local _cluster._tcp.worker.default.svc.cluster.local --tasks ps=1,worker=2
  troupe cluster discover worker.service.consul --target`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := f.resolve()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), wait)
			defer cancel()
			d := &cluster.Discovery{Names: args, Tasks: tasks, Cluster: session.ClusterOptions(o)}
			if list, ok := strings.CutPrefix(args[0], "troupe://"); ok {
				if len(args) > 1 {
					return status.Invalid("a target is the only argument: %s", args[1])
				}
				d.LookUp = func(context.Context) ([]string, error) { return strings.Split(list, ","), nil }
			}
			found, err := d.Find(ctx)
			if err != nil {
				return failure{err}
			}
			if !target {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]any{"cluster": found})
			}
			var all []string
			for _, job := range sorted.Keys(found) {
				all = append(all, found[job]...)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "troupe://%s\n", strings.Join(all, ","))
			return nil
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&target, "target", false, "print a target, its workers by job and number")
	addDiscovery(fl, &tasks, &wait)
	f.add(fl)
	return cmd
}
