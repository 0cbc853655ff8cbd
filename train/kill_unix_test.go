//go:build unix

package train_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/model"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

var kills = flag.Int("kills", 3, "how many processes TestKills kills")

// killed names the environment variable with the directory of a process that is to be
// killed.
const killed = "TROUPE_TEST_KILLED"

// TestKills kills processes with SIGKILL at random moments, while they save checkpoints
// and export the model. Each time the checkpoint before or the new one is restored, an
// export that has its name is whole, and the next save and export leave nothing else
// behind.
func TestKills(t *testing.T) {
	dir := t.TempDir()
	m, goal, v := counting()
	tr := start(t, m)
	random := rand.New(rand.NewPCG(1, 2))
	kept := &train.Checkpoints{Dir: filepath.Join(dir, "kept"), Keep: 2}
	plain := filepath.Join(dir, "plain")
	var found, left int
	for i := range *kills {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), killed+"="+dir)
		var problems bytes.Buffer
		child.Stderr = &problems
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		var saved int64 // by this child, completely
		first := false
		var timer *time.Timer
		for lines.Scan() {
			if _, err := fmt.Sscanf(lines.Text(), "saved %d", &saved); err == nil && !first {
				first = true
				timer = time.AfterFunc(time.Duration(random.Int64N(int64(60*time.Millisecond))), func() { child.Process.Kill() })
			} else if err != nil {
				fmt.Fprintln(&problems, lines.Text())
			}
		}
		err = child.Wait()
		if timer != nil {
			timer.Stop()
		}
		cancel()
		if !first || err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the child ended by itself: %v\n%s", err, &problems)
		}
		entries, err := os.ReadDir(kept.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.Contains(e.Name(), ".temp") {
				left++
			}
		}
		for _, restore := range []func() (bool, error){
			func() (bool, error) { return kept.RestoreBest(t.Context(), tr) },
			func() (bool, error) { return true, tr.Restore(t.Context(), plain) },
			func() (bool, error) { return kept.Restore(t.Context(), tr) },
		} {
			ok, err := restore()
			if err != nil || !ok {
				t.Fatalf("kill %d: restored %v, %v", i, ok, err)
			}
			found++
			if n := updates(t, tr, goal); n < saved-1 {
				t.Fatalf("kill %d: restored %d, %d was saved", i, n, saved)
			}
		}
		export := filepath.Join(dir, "export")
		if _, err := os.Stat(export); err == nil {
			model, err := model.Load(export, []string{"serve"}, nil)
			if err != nil {
				t.Fatalf("kill %d: %v", i, err)
			}
			model.Session.Close()
			if err := os.RemoveAll(export); err != nil {
				t.Fatal(err)
			}
		}
		if i%2 == 0 { // others go on with the leftovers
			continue
		}
		save(t, tr, goal, v, dir, int64(i))
		for _, dir := range []string{kept.Dir, filepath.Join(kept.Dir, "best")} {
			if left := leftovers(t, dir); left != nil {
				t.Fatalf("kill %d left %v", i, left)
			}
		}
		entries, err = os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 5 { // kept, plain.index, plain.data…, text, export
			t.Fatalf("kill %d left %v", i, entries)
		}
		if err := os.RemoveAll(export); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d kills, %d checkpoints restored, %d temporary files removed", *kills, found, left)
}

// save saves in all the ways there are.
func save(t *testing.T, tr *train.Trainer, goal *train.Goal, v *train.Variable, dir string, n int64) {
	kept := &train.Checkpoints{Dir: filepath.Join(dir, "kept"), Keep: 2}
	if err := kept.Save(t.Context(), tr, goal); err != nil {
		t.Fatal(err)
	}
	best, err := kept.Best()
	if err != nil {
		best = 0
	}
	if _, err := kept.SaveBest(t.Context(), tr, goal, best+1); err != nil {
		t.Fatal(err)
	}
	if err := tr.Save(t.Context(), filepath.Join(dir, "plain")); err != nil {
		t.Fatal(err)
	}
	if err := files.WriteFile(filepath.Join(dir, "text"), func(w io.Writer) error { _, err := fmt.Fprint(w, n); return err }); err != nil {
		t.Fatal(err)
	}
	export := filepath.Join(dir, "export")
	if _, err := os.Stat(export); err == nil {
		if err := os.Rename(export, filepath.Join(t.TempDir(), "old")); err != nil {
			t.Fatal(err)
		}
	}
	if err := tr.Export(t.Context(), export, map[string]model.ExportSignature{
		"serving_default": {Outputs: map[string]tf.Output{"v": v.Value}},
	}); err != nil {
		t.Fatal(err)
	}
}

// TestKilled is the process that is killed: it saves until then.
func TestKilled(t *testing.T) {
	dir := os.Getenv(killed)
	if dir == "" {
		t.Skip("for TestKills")
	}
	m, goal, v := counting()
	tr := start(t, m)
	kept := &train.Checkpoints{Dir: filepath.Join(dir, "kept"), Keep: 2}
	if _, err := kept.Restore(t.Context(), tr); err != nil {
		t.Fatal(err)
	}
	for {
		update(t, tr, goal, 1)
		n := updates(t, tr, goal)
		save(t, tr, goal, v, dir, n)
		save(t, tr, goal, v, dir, n) // in place of what has these names
		fmt.Printf("saved %d\n", n)
	}
}
