// Command cluster trains a network that reads handwritten digits, with its variables on a
// parameter server and its gradients computed by workers.
//
//	troupe worker --listen :2222 --job ps
//	troupe worker --listen :2223 --job worker --task 0
//	troupe worker --listen :2224 --job worker --task 1
//	go -C examples run ./cluster -ps localhost:2222 -workers localhost:2223,localhost:2224 -checkpoints /tmp/digits
//
// Without -sync each worker applies its gradients when it has them, to whatever the variables
// are then. With -sync each update waits for all workers, which share a batch, and the result
// is that of one process, to the bit. When a worker or the parameter server is lost, training
// goes on from the last checkpoint as soon as there is another one at its address. Without
// -ps it starts the three in this process.
//
// digits.py does the same from Python.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/examples/handwritten"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
)

// A setup is what the command is told.
type setup struct {
	ps          string   // address; "" for this process, without a cluster
	workers     []string // addresses
	sync        bool
	rounds      int // after each there is an evaluation, and a checkpoint
	updates     int // of each worker in a round; with sync of all together
	batch       int // examples for an update of a worker
	rate        float64
	checkpoints string        // where to keep them; "" for nowhere
	bound       time.Duration // within which a worker that fails is noticed; 0 is 2 s
	after       func(round int)
}

func main() {
	var c setup
	var workers string
	flag.StringVar(&c.ps, "ps", "", "`address` of the parameter server, /job:ps/task:0")
	flag.StringVar(&workers, "workers", "", "`addresses` of the workers, /job:worker/task:0 and so on, with commas")
	flag.BoolVar(&c.sync, "sync", false, "let each update wait for all workers")
	flag.IntVar(&c.rounds, "rounds", 10, "how often to train, evaluate and save")
	flag.IntVar(&c.updates, "updates", 50, "updates of each worker in a round")
	flag.IntVar(&c.batch, "batch", 32, "examples for an update")
	flag.Float64Var(&c.rate, "rate", 0.5, "learning rate")
	flag.StringVar(&c.checkpoints, "checkpoints", "", "go on from the last checkpoint in this `directory`, and keep new ones there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if workers != "" {
		c.workers = strings.Split(workers, ",")
	}
	if c.ps == "" {
		tasks, err := startTasks(0)
		if err != nil {
			log.Fatal(err)
		}
		defer tasks.Close()
		c.ps, c.workers = tasks[0].Address(), []string{tasks[1].Address(), tasks[2].Address()}
	}
	if _, err := run(ctx, os.Stdout, c); err != nil {
		log.Fatal(err)
	}
}

// A tasks is a parameter server and workers in this process.
type tasks []*cluster.Worker

// startTasks starts a parameter server and two workers.
func startTasks(bound time.Duration) (all tasks, err error) {
	for _, o := range []cluster.WorkerOptions{{Job: "ps"}, {Job: "worker"}, {Job: "worker", Task: 1}} {
		o.Bound = bound
		w, err := cluster.NewWorker(o)
		if err != nil {
			all.Close()
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// Close ends them.
func (t tasks) Close() {
	for _, w := range t {
		w.Close()
	}
}

// A replica is a network that trains with some of the workers, in a session of its own.
// Replicas share the variables, which belong to the parameter server.
type replica struct {
	*network
	session *tf.Session
	trainer *train.Trainer
	data    *train.Data
}

// replicas makes one replica for all workers, or one for each.
func (c *setup) replicas() (all []*replica, err error) {
	var shares [][]int
	for i := range c.workers {
		if c.sync && i > 0 {
			shares[0] = append(shares[0], i)
		} else {
			shares = append(shares, []int{i})
		}
	}
	for i, share := range shares {
		var devices []string
		addresses := []string{c.ps}
		for _, k := range share {
			devices = append(devices, fmt.Sprintf("/job:worker/task:%d", k))
			addresses = append(addresses, c.workers[k])
		}
		r := &replica{network: newNetwork(fmt.Sprint("replica", i), train.Fixed(c.rate), devices...)}
		o := &tf.SessionOptions{}
		if c.ps != "" {
			o.Target, o.Cluster.Bound = "troupe://"+strings.Join(addresses, ","), c.bound
		}
		if r.session, err = tf.NewSession(r.model.Graph(), o); err != nil {
			closeAll(all)
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func closeAll(all []*replica) {
	for _, r := range all {
		r.session.Close()
	}
}

// The images held out are always the same.
const (
	heldOut   = 360
	splitSeed = 20
)

// run trains the network and returns its accuracy on the images held out.
func run(ctx context.Context, w io.Writer, c setup) (accuracy float64, err error) {
	images, labels, err := handwritten.Read()
	if err != nil {
		return 0, err
	}
	all, err := c.replicas()
	if err != nil {
		return 0, err
	}
	defer closeAll(all)
	var test *train.Data
	for i, r := range all {
		data, err := train.NewData(train.Batch{r.images: images, r.labels: labels})
		if err != nil {
			return 0, err
		}
		held, rest, err := data.Split(heldOut, splitSeed)
		if err != nil {
			return 0, err
		}
		if r.data = rest; i == 0 {
			test = held
		}
	}
	kept := &train.Checkpoints{Dir: c.checkpoints}
	round, err := c.begin(ctx, w, all, kept)
	for err == nil && round < c.rounds {
		if accuracy, err = c.round(ctx, all, kept, round, test); err == nil {
			round++
			fmt.Fprintf(w, "round %d: %.1f%% of %d images that it has not seen are read right\n", round, 100*accuracy, heldOut)
			if c.after != nil {
				c.after(round)
			}
		} else if lost(err) {
			fmt.Fprintln(w, err)
			round, err = c.begin(ctx, w, all, kept)
		}
	}
	if err == nil && accuracy == 0 { // it was trained before
		accuracy, err = evaluate(ctx, all[0], test)
	}
	return accuracy, err
}

// lost reports whether an error is that of a process that has failed, or of what was lost
// with it.
func lost(err error) bool {
	switch status.CodeOf(err) {
	case status.Unavailable, status.Aborted, status.FailedPrecondition:
		return true
	}
	return false
}

// begin starts the trainers and goes on from the last checkpoint, as soon as all processes can
// be reached. It returns how many rounds have been trained.
func (c *setup) begin(ctx context.Context, w io.Writer, all []*replica, kept *train.Checkpoints) (round int, err error) {
	for {
		if round, err = c.tryBegin(ctx, all, kept); err == nil || !lost(err) {
			return round, err
		}
		fmt.Fprintln(w, "waiting:", err)
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (c *setup) tryBegin(ctx context.Context, all []*replica, kept *train.Checkpoints) (round int, err error) {
	for _, r := range all { // the first sets the variables that have no value
		if r.trainer, err = r.model.Start(ctx, r.session); err != nil {
			return 0, err
		}
	}
	first := all[0]
	if c.checkpoints != "" {
		if _, err := kept.Restore(ctx, first.trainer); err != nil {
			return 0, err
		}
	}
	n, err := first.trainer.Updates(ctx, first.goal)
	return int(n) / c.updates, err
}

// round trains each replica for a round, all at the same time, evaluates, and saves.
func (c *setup) round(ctx context.Context, all []*replica, kept *train.Checkpoints, round int, test *train.Data) (accuracy float64, err error) {
	var done sync.WaitGroup
	failed := make([]error, len(all))
	for i, r := range all {
		done.Go(func() { failed[i] = r.train(ctx, c.batches(r, i, round)) })
	}
	done.Wait()
	if err := errors.Join(failed...); err != nil {
		for _, err := range failed {
			if err != nil && !lost(err) {
				return 0, err
			}
		}
		return 0, status.Errorf(status.Unavailable, "%v", err)
	}
	if accuracy, err = evaluate(ctx, all[0], test); err != nil || c.checkpoints == "" {
		return accuracy, err
	}
	return accuracy, kept.Save(ctx, all[0].trainer, all[0].goal)
}

// batches returns what a replica trains with in a round: each has an order of its own.
func (c *setup) batches(r *replica, i, round int) iter.Seq[train.Batch] {
	size := c.batch
	if c.sync {
		size *= len(c.workers)
	}
	return r.data.Shuffled(size, uint64(i+1), int64(round*c.updates), int64((round+1)*c.updates))
}

// train makes an update for each batch.
func (r *replica) train(ctx context.Context, batches iter.Seq[train.Batch]) error {
	for _, err := range r.trainer.Steps(ctx, r.goal, batches) {
		if err != nil {
			return err
		}
	}
	return nil
}

// evaluate returns how many of the images held out are read right.
func evaluate(ctx context.Context, r *replica, test *train.Data) (float64, error) {
	means, err := r.trainer.Evaluate(ctx, test.Batches(heldOut), r.correct)
	if err != nil {
		return 0, err
	}
	return means[0], nil
}
