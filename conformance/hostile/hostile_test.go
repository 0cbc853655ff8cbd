package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/status"
)

var (
	// Of all attacks, which take minutes, some of each kind.
	attacks = flag.String("attacks", "^(window_(lrn|avg_pool_grad)|nested_list_fetched_300k|function_twice_60|graph_(frames_deep|forever)|text_(split|add)|pile_join|hold_(list_floats|stack_text|table_text)|function_doubling_30|nested_list_serialized_20k|summary_assert|fft_prime|product_int64|gradient_of_itself|dataset_(taken_300k|repeat_nothing_often)|decode_(zlib|csv_fields)|beside_(fake_quant|sparse_segments)|table_(bicubic_wide_20M|bilinear_from_wide_20M|cropped_wide_60M)|picture_(gif_full_frames|gif_blocks|png_interlaced_wide_own)|unasked_(substr_bytes|multinomial_small|ctc_greedy)|size_(mfcc_coefficients|set_union|png|queue_rows|grams_wide|examples_of_defaults)|loop_(gamma_gradient|distances|quantized_avg_pool|candidates_unigram|dataset_sampled)|message_(many_shapes|long_op|conditionals)|file_(text_nested|npy_overflow))$", "carry out the attacks that match `PATTERN`")
	engine  = flag.String("engine", "actors", "the `ENGINE` that is attacked")
	survey  = flag.Bool("survey", false, "print what each attack came to")
)

var limits = Limits{Memory: 256 << 20, Deadline: time.Second}

const (
	// codePages is what the pages of the program itself take that are read for the first time
	// during an attack, which count as the process's: more or fewer, as other work on the machine
	// has driven them out of memory.
	codePages = 8 << 20
	// slackTime is how long after its deadline a step may return.
	slackTime = 500 * time.Millisecond
	killAfter = 20 * time.Second
	killAt    = 2 << 30 // bytes resident
	child     = "TROUPE_ATTACK"
)

func TestMain(m *testing.M) {
	flag.Parse()
	name := os.Getenv(child)
	if name == "" {
		os.Exit(m.Run())
	}
	l := limits
	l.Engine = *engine
	for _, a := range Attacks() {
		if a.Name == name {
			o, err := a.Run(l)
			if err == nil {
				err = json.NewEncoder(os.Stdout).Encode(o)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(2)
}

func TestAttacks(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel's account of a process is read from /proc")
	}
	if testing.Short() {
		t.Skip("limits of time and memory, which the race detector does not keep")
	}
	match := regexp.MustCompile(*attacks)
	for _, a := range Attacks() {
		if !match.MatchString(a.Name) {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			o, err := attack(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if *survey {
				t.Logf("%v in %v, %d MiB grown, %d left: %s", o.Code, o.Took.Round(time.Millisecond), o.Grown>>20, o.Left>>20, o.Message)
			}
			if o.Took > limits.Deadline+slackTime {
				t.Errorf("it took %v", o.Took)
			}
			if o.Grown > limits.Memory+slackMemory+codePages {
				t.Errorf("the process grew by %d MiB", o.Grown>>20)
			}
			switch o.Code {
			case status.OK, status.ResourceExhausted, status.DeadlineExceeded, status.InvalidArgument, status.Unimplemented, status.NotFound, status.DataLoss, status.FailedPrecondition:
			default:
				t.Errorf("%v: %s", o.Code, o.Message)
			}
			if strings.Contains(o.Message, "panic") {
				t.Errorf("it panicked: %s", o.Message)
			}
		})
	}
}

// attack carries an attack out in another process.
func attack(ctx context.Context, a Attack) (Outcome, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, killAfter, errors.New("it was still running"))
	defer cancel()
	var out, log bytes.Buffer
	cmd := exec.CommandContext(ctx, os.Args[0], "-engine", *engine)
	cmd.Env = append(os.Environ(), child+"="+a.Name)
	cmd.Stdout, cmd.Stderr = &out, &log
	if err := cmd.Start(); err != nil {
		return Outcome{}, err
	}
	watched := make(chan struct{})
	grown := false
	go func() {
		defer close(watched)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", cmd.Process.Pid))
			var size, pages int64
			if err != nil {
				return
			}
			if _, err := fmt.Sscan(string(b), &size, &pages); err == nil && pages*int64(os.Getpagesize()) > killAt {
				grown = true
				_ = cmd.Process.Kill()
				return
			}
		}
	}()
	err := cmd.Wait()
	late := ctx.Err() != nil
	cancel()
	<-watched
	switch {
	case grown:
		return Outcome{}, fmt.Errorf("the process grew beyond %d MiB", killAt>>20)
	case late:
		return Outcome{}, fmt.Errorf("it was running after %v", killAfter)
	case err != nil:
		text := log.String()
		return Outcome{}, fmt.Errorf("the process died: %w: %s", err, text[:min(len(text), 600)])
	}
	var o Outcome
	if err := json.NewDecoder(io.LimitReader(&out, 1<<20)).Decode(&o); err != nil {
		return o, fmt.Errorf("%w: %s", err, out.String()[:min(out.Len(), 200)])
	}
	return o, nil
}
