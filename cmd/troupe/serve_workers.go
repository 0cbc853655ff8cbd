package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/devices"
	sessions "github.com/troupe-go/troupe/serve/session"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// workersFlags say on which processes sessions run that are served.
type workersFlags struct {
	workers []string // of JOB=ADDRESS,...
	file    string
	names   []string // of SRV records
	tasks   map[string]int
	wait    time.Duration
	every   time.Duration
	task    string
	cluster clusterFlags
}

func (f *workersFlags) add(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.workers, "workers", nil, "run sessions on the workers (\"troupe worker\") of a job: `JOB=ADDRESS,...`, an address for each task (repeatable)")
	fl.StringVar(&f.file, "workers-file", "", "read the addresses of --workers from `FILE`: a ServerDef or ClusterDef as text, or YAML (.yaml, .yml, .json)")
	fl.StringArrayVar(&f.names, "workers-srv", nil, "find the workers by the SRV records of `NAME` in DNS (repeatable)")
	addDiscovery(fl, &f.tasks, &f.wait)
	fl.DurationVar(&f.every, "workers-every", 10*time.Second, "look again every `DURATION` which workers there are, by --workers-file or --workers-srv, for sessions that are opened later; 0: never")
	fl.StringVar(&f.task, "task", "", "with --workers, serve --session as `TASK`, such as /job:worker/task:1, whose devices come first")
	f.cluster.add(fl)
}

func (f *workersFlags) given() bool { return f.workers != nil || f.file != "" || f.names != nil }

// check refuses flags that do not go together.
func (f *workersFlags) check() error {
	ways := 0
	for _, given := range []bool{f.workers != nil, f.file != "", f.names != nil} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		return fmt.Errorf("--workers, --workers-file and --workers-srv exclude each other")
	}
	_, err := jobs("workers", f.workers)
	return err
}

// find returns the addresses of the workers, and the task of --session if the file has it.
func (f *workersFlags) find(ctx context.Context, o session.ClusterOptions) (workers map[string][]string, as task, err error) {
	switch {
	case f.file != "":
		if workers, as, err = readWorkers(f.file); err != nil {
			err = fmt.Errorf("--workers-file %s: %w", f.file, err)
		}
		return workers, as, err
	case f.names != nil:
		ctx, cancel := context.WithTimeout(ctx, f.wait)
		defer cancel()
		d := &cluster.Discovery{Names: f.names, Tasks: f.tasks, Cluster: o}
		if workers, err = d.Find(ctx); err != nil {
			err = failure{err}
		}
		return workers, as, err
	}
	all, err := jobs("workers", f.workers)
	workers = map[string][]string{}
	for _, t := range all {
		workers[t.job] = append(workers[t.job], t.address)
	}
	return workers, as, err
}

// follow looks again and again which workers there are, for sessions that are opened later.
func (f *workersFlags) follow(ctx context.Context, server *sessions.Server, now map[string][]string, o session.ClusterOptions, log *zerolog.Logger) {
	if f.every <= 0 || f.file == "" && f.names == nil {
		return
	}
	t := time.NewTicker(f.every)
	defer t.Stop()
	said := ""
	for {
		select {
		case <-t.C:
		case <-ctx.Done():
			return
		}
		found, _, err := f.find(ctx, o)
		if ctx.Err() != nil {
			return
		}
		if err == nil && !maps.EqualFunc(found, now, slices.Equal) {
			if err = server.SetWorkers(found); err == nil {
				now = found
				log.Info().Interface("workers", found).Msg("workers changed")
			}
		}
		switch {
		case err == nil:
			said = ""
		case err.Error() != said:
			said = err.Error()
			log.Warn().Err(err).Msg("workers stay as they are")
		}
	}
}

// resolve returns the addresses of the workers and the task of --session.
func (f *workersFlags) resolve(ctx context.Context) (workers map[string][]string, as task, o session.ClusterOptions, err error) {
	c, err := f.cluster.resolve()
	o = session.ClusterOptions(c)
	if err != nil {
		return nil, as, o, err
	}
	if workers, as, err = f.find(ctx, o); err != nil {
		return nil, as, o, err
	}
	if f.task != "" {
		spec, err := devices.Parse(f.task)
		if err != nil {
			return nil, as, o, fmt.Errorf("--task %s: %w", f.task, err)
		}
		job, named := spec.Job()
		if !named {
			return nil, as, o, fmt.Errorf("--task %s: write /job:NAME/task:NUMBER", f.task)
		}
		number, _ := spec.Task()
		as = task{job: job, number: number}
	}
	if as.job == "" {
		as.job = sorted.Keys(workers)[0]
		for _, job := range []string{"worker", "master", "chief"} { // which have the nodes that may be anywhere
			if workers[job] != nil {
				as.job = job
			}
		}
	}
	if as.number >= len(workers[as.job]) {
		return nil, as, o, fmt.Errorf("--task: job %s has %s, counted from 0; task %d is not one of them", as.job, status.Count(len(workers[as.job]), "task"), as.number)
	}
	return workers, as, o, nil
}

// readWorkers reads addresses of workers, and the task that the file is for.
func readWorkers(name string) (workers map[string][]string, as task, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, as, err
	}
	parse := sessions.ParseClusterText
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json":
		parse = sessions.ParseClusterYAML
	}
	workers, as.job, as.number, err = parse(text)
	return workers, as, err
}
