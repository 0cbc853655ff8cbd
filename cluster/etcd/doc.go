// Package etcd finds workers of a cluster in etcd: a process beside each worker announces its
// address, and who opens a session looks the addresses up.
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"10.0.0.9:2379"}})
//	…
//	d := &cluster.Discovery{LookUp: etcd.LookUp(client, etcd.DefaultPrefix), Tasks: map[string]int{"ps": 1, "worker": 2}}
//	found, err := d.Find(ctx)
//
// It is about addresses only. Whether a worker lives, and in which incarnation, is a matter of
// the cluster's own heartbeats: an address that etcd still has may be of a worker that is gone,
// and one that etcd has lost may be of a worker that runs steps.
//
// The package is a module of its own, so that programs which do not use it do not build etcd's
// client. Command troupe-etcd does the same for shells and containers.
package etcd
