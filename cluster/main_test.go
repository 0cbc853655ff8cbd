package cluster_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"

	_ "github.com/troupe-go/troupe" // all operations
)

// workerVariable holds the options of a worker as JSON: the test binary is one then.
const workerVariable = "TROUPE_TEST_WORKER"

// bound is long enough for a busy machine.
const bound = 20 * time.Second

func TestMain(m *testing.M) {
	if o := os.Getenv(workerVariable); o != "" {
		if err := beWorker(o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(bareVariable) != "" {
		if err := beBare(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// beWorker runs a worker until standard input ends.
func beWorker(options string) error {
	var p processOptions
	if err := json.Unmarshal([]byte(options), &p); err != nil {
		return err
	}
	o := cluster.WorkerOptions{Listen: p.Listen, Advertise: p.Advertise, Task: p.Task, Bound: p.Bound, Files: anyTempFile()}
	if os.Getenv("TROUPE_TEST_LOG") != "" {
		log := zerolog.New(os.Stderr)
		o.Logger = &log
	}
	w, err := cluster.NewWorker(o)
	if err != nil {
		return err
	}
	fmt.Println(w.Address())
	io.Copy(io.Discard, os.Stdin)
	return w.Close()
}

func anyTempFile() *files.Policy {
	return &files.Policy{Read: []string{os.TempDir()}, Write: []string{os.TempDir()}}
}

// A process is a worker in a process of its own.
type process struct {
	*exec.Cmd
	stdin   io.Closer
	address string
}

// processOptions are those of [cluster.WorkerOptions] that tests give a process.
type processOptions struct {
	Listen, Advertise string // "" for any port
	Task              int
	Bound             time.Duration
}

// startProcess starts a worker process.
func startProcess(t testing.TB, o processOptions) *process {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return spawn(t, workerVariable+"="+string(text))
}

// spawn starts a process of this binary, which prints its address, with a variable that says what
// it is.
func spawn(t testing.TB, variable string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), variable)
	var err error
	p.Stderr = os.Stderr
	if p.stdin, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.stdin.Close()
		p.Process.Kill()
		p.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the worker did not start: %v", err)
	}
	p.address = strings.TrimSpace(line)
	return p
}

// kill ends the process at once.
func (p *process) kill() {
	p.Process.Kill()
	p.Wait()
}

// startWorker starts a worker in this process.
func startWorker(t testing.TB, o cluster.WorkerOptions) *cluster.Worker {
	t.Helper()
	o.Bound = max(o.Bound, 0)
	if o.Bound == 0 {
		o.Bound = bound
	}
	o.Files = anyTempFile()
	w, err := cluster.NewWorker(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// startWorkers starts workers in this process, and returns their target.
func startWorkers(t testing.TB, n int) (all []*cluster.Worker, target string) {
	t.Helper()
	var addresses []string
	for i := range n {
		w := startWorker(t, cluster.WorkerOptions{Task: i})
		all, addresses = append(all, w), append(addresses, w.Address())
	}
	return all, "troupe://" + strings.Join(addresses, ",")
}

// wants fails the test unless err has a code and contains words.
func wants(t testing.TB, err error, code status.Code, words ...string) {
	t.Helper()
	if status.CodeOf(err) != code {
		t.Errorf("got %v, want %v", err, code)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q is not in %v", w, err)
		}
	}
}
