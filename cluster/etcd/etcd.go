package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// DefaultPrefix is where addresses are unless the caller says otherwise.
const DefaultPrefix = "troupe/workers"

// DefaultTTL is how long an address stays after the process that announced it was killed.
const DefaultTTL = 10 * time.Second

// again is how long Announce waits before it tries what has failed once more.
const again = time.Second

// Announce writes a worker's address, HOST:PORT, below a prefix, under a lease of ttl, rounded up
// to seconds, and keeps it there until ctx ends; then it removes the address and returns nil.
// While etcd cannot be reached it goes on trying, and a lease that has run out meanwhile is
// replaced. report, unless it is nil, is called with what fails, and with nil when the address is
// there. What can never succeed, such as an address without a port, is returned at once.
func Announce(ctx context.Context, c *clientv3.Client, prefix, address string, ttl time.Duration, report func(error)) error {
	if _, port, err := net.SplitHostPort(address); err != nil || port == "" || port == "0" {
		return fmt.Errorf("etcd: %q is not an address to announce: use HOST:PORT", address)
	}
	if ttl <= 0 {
		return fmt.Errorf("etcd: a lease of %v", ttl)
	}
	if report == nil {
		report = func(error) {}
	}
	for ctx.Err() == nil {
		if err := announce(ctx, c, keyOf(prefix, address), address, ttl, report); err != nil && ctx.Err() == nil {
			report(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
	return nil
}

// errExpired says that etcd has forgotten the lease.
var errExpired = errors.New("etcd: the lease has run out")

// announce keeps an address under one lease until that ends, or ctx.
func announce(ctx context.Context, c *clientv3.Client, key, address string, ttl time.Duration, report func(error)) error {
	asked, cancel := context.WithTimeout(ctx, ttl)
	defer cancel()
	lease, err := c.Grant(asked, int64((ttl+time.Second-1)/time.Second))
	if err != nil {
		return fmt.Errorf("etcd: a lease: %w", err)
	}
	defer func() { // also if ctx has ended
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), again)
		defer cancel()
		c.Revoke(ctx, lease.ID) // else it runs out by itself
	}()
	if _, err := c.Put(asked, key, address, clientv3.WithLease(lease.ID)); err != nil {
		return fmt.Errorf("etcd: %s: %w", key, err)
	}
	kept, err := c.KeepAlive(ctx, lease.ID)
	if err != nil {
		return fmt.Errorf("etcd: the lease of %s: %w", key, err)
	}
	report(nil)
	for range kept {
	}
	return errExpired
}

// LookUp returns a function that lists the addresses below a prefix, in their order, for
// [github.com/troupe-go/troupe/cluster.Discovery].
func LookUp(c *clientv3.Client, prefix string) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) {
		below := keyOf(prefix, "")
		got, err := c.Get(ctx, below, clientv3.WithPrefix())
		if err != nil {
			return nil, fmt.Errorf("etcd: %s: %w", below, err)
		}
		var all []string
		for _, kv := range got.Kvs {
			all = append(all, string(kv.Value))
		}
		slices.Sort(all)
		return slices.Compact(all), nil
	}
}

// keyOf returns where an address is.
func keyOf(prefix, address string) string { return strings.TrimSuffix(prefix, "/") + "/" + address }
