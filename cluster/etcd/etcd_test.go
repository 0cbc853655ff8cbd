package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/cluster/etcd"
	_ "github.com/troupe-go/troupe/ops/all"
)

// client is one of an etcd that TestMain has started.
var client *clientv3.Client

func TestMain(m *testing.M) {
	os.Exit(withServer(m.Run))
}

// withServer starts etcd, of Debian's package etcd-server, and runs the tests.
func withServer(run func() int) int {
	program, err := exec.LookPath("etcd")
	if err != nil {
		fmt.Println("NOT CHECKED: there is no etcd (apt-get install etcd-server)")
		return 0
	}
	folder, err := os.MkdirTemp("", "etcd")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	peer, own := free(), free()
	server := exec.Command(program, "--name=test", "--data-dir="+folder, "--initial-cluster=test="+peer, "--initial-advertise-peer-urls="+peer,
		"--listen-peer-urls="+peer, "--listen-client-urls="+own, "--advertise-client-urls="+own, "--logger=zap", "--unsafe-no-fsync")
	server.Env = append(os.Environ(), "ETCD_UNSUPPORTED_ARCH=arm64")
	if err := server.Start(); err != nil {
		panic(err)
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	client, err = clientv3.New(clientv3.Config{Endpoints: []string{own}, Logger: zap.NewNop()})
	if err != nil {
		panic(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if _, err := client.Get(ctx, "ready"); err != nil {
		panic(err)
	}
	return run()
}

// free returns the URL of a port that nobody has.
func free() string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	return (&url.URL{Scheme: "http", Host: l.Addr().String()}).String()
}

// announced announces an address, and returns what ends that.
func announced(t *testing.T, prefix, address string) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	there, done := make(chan error, 100), make(chan error)
	go func() {
		done <- etcd.Announce(ctx, client, prefix, address, etcd.DefaultTTL, func(err error) { there <- err })
	}()
	if err := <-there; err != nil {
		t.Error(err)
	}
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// TestWorkers: a session's process finds workers that were announced.
func TestWorkers(t *testing.T) {
	const prefix = "test/workers/"
	var addresses []string
	for _, o := range []cluster.WorkerOptions{{Job: "ps"}, {}, {Task: 1}} {
		w, err := cluster.NewWorker(o)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		addresses = append(addresses, w.Address())
		defer announced(t, prefix, w.Address())()
	}
	d := &cluster.Discovery{LookUp: etcd.LookUp(client, prefix), Tasks: map[string]int{"ps": 1, "worker": 2}}
	found, err := d.Find(t.Context())
	want := map[string][]string{"ps": addresses[:1], "worker": addresses[1:]}
	if err != nil || !reflect.DeepEqual(found, want) {
		t.Errorf("%v, %v; want %v", found, err, want)
	}
}

// TestLeaseRunsOut: an address whose lease etcd has forgotten is written again, and one whose
// announcement has ended is not there.
func TestLeaseRunsOut(t *testing.T) {
	const prefix, address = "test/lease", "10.0.0.1:2222"
	ctx, cancel := context.WithCancel(t.Context())
	reports, done := make(chan error, 100), make(chan error)
	go func() {
		done <- etcd.Announce(ctx, client, prefix, address, time.Second, func(err error) { reports <- err })
	}()
	if err := <-reports; err != nil {
		t.Fatal(err)
	}
	leases, err := client.Leases(ctx)
	if err != nil || len(leases.Leases) != 1 {
		t.Fatalf("%v, %v", leases, err)
	}
	if _, err := client.Revoke(ctx, leases.Leases[0].ID); err != nil {
		t.Fatal(err)
	}
	if err := <-reports; err == nil {
		t.Error("nobody noticed that the lease had run out")
	}
	if err := <-reports; err != nil {
		t.Fatal(err)
	}
	all := etcd.LookUp(client, prefix)
	if got, err := all(t.Context()); err != nil || !reflect.DeepEqual(got, []string{address}) {
		t.Errorf("%q, %v", got, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got, err := all(t.Context()); err != nil || len(got) > 0 {
		t.Errorf("afterwards %q, %v", got, err)
	}
}

// TestRefused: what can never succeed is an error, and an etcd that is not there is reported until
// the caller gives up.
func TestRefused(t *testing.T) {
	others := goleak.IgnoreCurrent()
	for _, address := range []string{"", "10.0.0.1", "10.0.0.1:", "10.0.0.1:0"} {
		if err := etcd.Announce(t.Context(), client, "test", address, time.Second, nil); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
			t.Errorf("%q: %v", address, err)
		}
	}
	if err := etcd.Announce(t.Context(), client, "test", "10.0.0.1:2222", 0, nil); err == nil {
		t.Error("a lease of no time")
	}
	absent, err := clientv3.New(clientv3.Config{Endpoints: []string{free()}, Logger: zap.NewNop()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var said error
	err = etcd.Announce(ctx, absent, "test", "10.0.0.1:2222", time.Second, func(err error) {
		said = err
		cancel()
	})
	if err != nil || !errors.Is(said, context.DeadlineExceeded) {
		t.Error(err, said)
	}
	asked, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := etcd.LookUp(absent, "test")(asked); err == nil {
		t.Error("addresses of an etcd that is not there")
	}
	absent.Close()
	goleak.VerifyNone(t, others)
}

func ExampleLookUp() {
	ctx, cancel := context.WithCancel(context.Background())
	there, done := make(chan error, 1), make(chan error)
	go func() { // beside a worker
		done <- etcd.Announce(ctx, client, etcd.DefaultPrefix, "10.0.0.2:2222", etcd.DefaultTTL, func(err error) { there <- err })
	}()
	if err := <-there; err != nil {
		fmt.Println(err)
	}
	fmt.Println(etcd.LookUp(client, etcd.DefaultPrefix)(ctx))
	cancel()
	<-done
	// Output: [10.0.0.2:2222] <nil>
}
