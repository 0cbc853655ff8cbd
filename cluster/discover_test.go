package cluster_test

import (
	"context"
	"net"
	"reflect"
	"strconv"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// startDNS starts a DNS server that has SRV records of names, each for ports of localhost, and
// returns a resolver that asks it.
func startDNS(t *testing.T, ports map[string][]uint16) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(b[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			for _, port := range ports[q.Name.String()] {
				m.Answers = append(m.Answers, dnsmessage.Resource{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: dnsmessage.TypeSRV, Class: dnsmessage.ClassINET, TTL: 1},
					Body:   &dnsmessage.SRVResource{Port: port, Target: dnsmessage.MustNewName("localhost.")},
				})
			}
			if len(m.Answers) == 0 {
				m.RCode = dnsmessage.RCodeNameError
			}
			if reply, err := m.Pack(); err == nil {
				conn.WriteTo(reply, from)
			}
		}
	}()
	t.Cleanup(func() {
		conn.Close()
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func portOf(t *testing.T, w *cluster.Worker) uint16 {
	_, port, err := net.SplitHostPort(w.Address())
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return uint16(n)
}

// TestLookUp: addresses may come from elsewhere, several times and in any order.
func TestLookUp(t *testing.T) {
	a, b := startWorker(t, cluster.WorkerOptions{}), startWorker(t, cluster.WorkerOptions{Task: 1})
	lists := [][]string{nil, {b.Address()}, {b.Address(), a.Address(), b.Address()}}
	d := &cluster.Discovery{Tasks: map[string]int{"worker": 2}, LookUp: func(context.Context) ([]string, error) {
		list := lists[0]
		lists = lists[min(1, len(lists)-1):]
		return list, nil
	}}
	found, err := d.Find(t.Context())
	if want := map[string][]string{"worker": {a.Address(), b.Address()}}; err != nil || !reflect.DeepEqual(found, want) {
		t.Errorf("%v, %v; want %v", found, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	d.LookUp = func(context.Context) ([]string, error) {
		cancel()
		return nil, nil
	}
	if _, err := d.Find(ctx); status.CodeOf(err) != status.Unavailable {
		t.Error("without workers:", err)
	}
}

func TestDiscovery(t *testing.T) {
	ps := startWorker(t, cluster.WorkerOptions{Job: "ps"})
	a, b := startWorker(t, cluster.WorkerOptions{}), startWorker(t, cluster.WorkerOptions{Task: 1})
	const service, all, twice, hole = "_cluster._tcp.worker.test.", "all.test.", "twice.test.", "hole.test."
	twin := startWorker(t, cluster.WorkerOptions{Task: 1})
	resolver := startDNS(t, map[string][]uint16{
		"ps.test.": {portOf(t, ps)}, service: {portOf(t, b), portOf(t, a)}, all: {portOf(t, ps), portOf(t, a), portOf(t, b)},
		twice: {portOf(t, b), portOf(t, twin)}, hole: {portOf(t, b)},
	})
	find := func(names []string, tasks map[string]int, patience time.Duration) (map[string][]string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		d := &cluster.Discovery{Names: names, Tasks: tasks, Resolver: resolver, Cluster: session.ClusterOptions{Bound: bound}}
		return d.Find(ctx)
	}
	want := map[string][]string{"ps": {ps.Address()}, "worker": {a.Address(), b.Address()}}
	for _, names := range [][]string{{"ps.test.", service}, {all}, {all, service}} {
		got, err := find(names, map[string]int{"worker": 2}, time.Minute)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, %v", names, got, err)
		}
	}
	for _, c := range []struct {
		name     string
		tasks    map[string]int
		patience time.Duration
		code     status.Code
		says     string
	}{
		{"nothing.test.", nil, 5 * time.Second, status.Unavailable, "nothing.test."},
		{all, map[string]int{"worker": 3}, 5 * time.Second, status.Unavailable, "2 of 3 tasks"},
		{hole, nil, 5 * time.Second, status.Unavailable, "number 0"},
		{twice, nil, time.Minute, status.AlreadyExists, "task:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // it waits for what does not come
			_, err := find([]string{c.name}, c.tasks, c.patience)
			wants(t, err, c.code, c.says)
		})
	}
	_, err := find(nil, nil, time.Minute)
	wants(t, err, status.InvalidArgument)
}
