package cluster

import (
	"context"
	"net"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// A Discovery finds workers by SRV records of DNS, which Kubernetes has for the ports of headless
// services and Consul for services, or by what LookUp lists. It is only about where processes
// are: what they run and hold is not moved.
type Discovery struct {
	// Names are those of the records, such as "_cluster._tcp.worker.default.svc.cluster.local".
	// Each worker is asked which task it is.
	Names []string
	// LookUp lists addresses, HOST:PORT each, in place of Names; module cluster/etcd has one.
	LookUp func(ctx context.Context) ([]string, error)
	// Tasks is how many tasks of each job there must be; of jobs that are not named as many as
	// are found.
	Tasks map[string]int
	// Cluster is how workers are reached.
	Cluster session.ClusterOptions
	// Resolver looks names up; nil is [net.DefaultResolver].
	Resolver *net.Resolver
}

// discoverEvery is how often Find looks again, askEach how long a worker may take to answer.
const (
	discoverEvery = time.Second
	askEach       = 2 * time.Second
)

// Find returns the addresses of the workers by job and task. It looks again until all tasks are
// there and answer, or ctx ends: then it fails with the latest reason.
func (d *Discovery) Find(ctx context.Context) (map[string][]string, error) {
	if len(d.Names) == 0 && d.LookUp == nil {
		return nil, status.Invalid("no name is given to look up")
	}
	t := time.NewTicker(discoverEvery)
	defer t.Stop()
	var last error
	for {
		found, err := d.find(ctx)
		if last != nil && over(ctx) { // which says more
			return nil, last
		}
		last = err
		if err == nil || status.CodeOf(err) == status.InvalidArgument || status.CodeOf(err) == status.AlreadyExists {
			return found, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-t.C:
		}
	}
}

// over reports whether a context has ended, or is about to: what it bounds may time out before.
func over(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

func (d *Discovery) find(ctx context.Context) (map[string][]string, error) {
	addresses, err := d.lookUp(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, askEach)
	defer cancel()
	all, errs, err := Ask(ctx, scheme+"://"+strings.Join(addresses, ","), &d.Cluster)
	if err != nil {
		return nil, err
	}
	tasks := map[string]map[int]string{}
	for i, s := range all {
		if errs[i] != nil {
			return nil, unreached(addresses[i], errs[i])
		}
		spec, err := devices.Parse(s.Name)
		if err != nil {
			return nil, err
		}
		job, _ := spec.Job()
		task, _ := spec.Task()
		if other := tasks[job][task]; other != "" && other != s.Advertised {
			return nil, status.Errorf(status.AlreadyExists, "the workers at %s and %s are both %s", other, s.Advertised, s.Name)
		}
		if tasks[job] == nil {
			tasks[job] = map[int]string{}
		}
		tasks[job][task] = s.Advertised
	}
	for job, n := range d.Tasks {
		if len(tasks[job]) < n {
			return nil, status.Errorf(status.Unavailable, "job %s has %d of %s", job, len(tasks[job]), status.Count(n, "task"))
		}
	}
	found := map[string][]string{}
	for job, list := range tasks {
		for i := range len(list) {
			if list[i] == "" {
				return nil, status.Errorf(status.Unavailable, "job %s has %s, and none of number %d", job, status.Count(len(list), "task"), i)
			}
			found[job] = append(found[job], list[i])
		}
	}
	return found, nil
}

// lookUp returns the addresses that there are, each once.
func (d *Discovery) lookUp(ctx context.Context) (addresses []string, err error) {
	if d.LookUp != nil {
		addresses, err = d.LookUp(ctx)
		if err == nil && len(addresses) == 0 {
			err = status.Errorf(status.Unavailable, "no worker was found")
		}
		return slices.Compact(slices.Sorted(slices.Values(addresses))), err
	}
	resolver := d.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	for _, name := range d.Names {
		_, records, err := resolver.LookupSRV(ctx, "", "", name)
		if err != nil {
			return nil, status.Errorf(status.Unavailable, "SRV %s: %v", name, err)
		}
		for _, r := range records {
			addresses = append(addresses, net.JoinHostPort(strings.TrimSuffix(r.Target, "."), strconv.Itoa(int(r.Port))))
		}
	}
	sort.Strings(addresses)
	if addresses = slices.Compact(addresses); len(addresses) == 0 {
		return nil, status.Errorf(status.Unavailable, "SRV %s: no records", strings.Join(d.Names, ", "))
	}
	return addresses, nil
}
