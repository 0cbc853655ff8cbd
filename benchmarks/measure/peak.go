package main

import (
	"archive/zip"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor/npy"
)

// peak compares models with what the machine multiplies at most:
//
//	go run ./benchmarks/measure peak MODEL...
//
// A row is a model: the multiplications of its products and convolutions, and the fraction of
// the machine's rate that they come to, in the shortest run on one thread and on several. The machine's rate is that of
// instructions that multiply and add on registers, measured before and after each model. The
// other columns are a profile on one thread, in which kernels run one after another and not in
// tiles: the part of the time that kinds of work take, and the fraction of the machine's rate
// while they do.
func peak() *cobra.Command {
	threads, seconds := runtime.NumCPU(), 1.0
	cmd := &cobra.Command{
		Use:   "peak MODEL...",
		Short: "Compare SavedModels with what the machine multiplies at most",
		Long: `Peak runs the signature serving_default of SavedModels and prints which fraction of the
machine's multiplications they come to. Inputs are those of MODEL/inputs.npz, or a ramp.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rate(1) == 0 {
				return errors.New("this machine has no instructions that multiply and add, or they are not known here")
			}
			fmt.Printf("| model | multiplications, 10⁹ | one thread, ms | of the peak | %d threads, ms | of the peak | products | depthwise | the rest |\n", threads)
			fmt.Println("|---|---|---|---|---|---|---|---|---|")
			for _, dir := range args {
				row, err := compare(cmd.Context(), dir, threads, time.Duration(seconds*float64(time.Second)))
				if err != nil {
					return fmt.Errorf("%s: %w", dir, err)
				}
				fmt.Println(row)
			}
			fmt.Printf("\nThe peak: %.1f·10⁹ multiplications a second on one thread, %.1f on %d.\n", highest[1], highest[threads], threads)
			return nil
		},
	}
	cmd.Flags().IntVar(&threads, "threads", threads, "the other number of `N` threads")
	cmd.Flags().Float64Var(&seconds, "seconds", seconds, "run each model for `N` seconds in each way")
	return cmd
}

// highest is the highest rate that was measured, by threads, in multiplications a nanosecond.
var highest = map[int]float64{}

// rate returns how many multiplications so many threads make in a nanosecond, at best: for 30 ms.
func rate(threads int) float64 {
	sums := make([]float64, threads)
	var all sync.WaitGroup
	for i := range sums {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			for end := time.Now().Add(30 * time.Millisecond); time.Now().Before(end); {
				begin := time.Now()
				n := multiplyAdd(1 << 25)
				sums[i] = max(sums[i], float64(n)/float64(time.Since(begin)))
			}
		})
	}
	all.Wait()
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	highest[threads] = max(highest[threads], sum)
	return sum
}

// compare returns a model's row.
func compare(ctx context.Context, dir string, threads int, long time.Duration) (string, error) {
	one, err := ready(dir, &tf.SessionOptions{Threads: 1})
	if err != nil {
		return "", err
	}
	defer one.close()
	work, err := workOf(ctx, one.call, one.feeds, one.in)
	if err != nil {
		return "", err
	}
	total := work[products] + work[depthwise]
	row := fmt.Sprintf("| %s | %.2f |", filepath.Base(dir), total/1e9)
	for _, n := range []int{1, threads} {
		m := one
		if n != 1 {
			if m, err = ready(dir, &tf.SessionOptions{Threads: n}); err != nil {
				return "", err
			}
			defer m.close()
		}
		before := rate(n)
		took, err := m.time(ctx, long)
		if err != nil {
			return "", err
		}
		row += fmt.Sprintf(" %.2f | %.0f%% |", float64(took)/1e6, 100*total/float64(took)/max(before, rate(n)))
	}
	parts, err := one.parts(ctx, work, long)
	return row + parts, err
}

// A running is a signature that is ready to run.
type running struct {
	model *tf.SavedModel
	call  *tf.Callable
	feeds []tf.Output
	in    []*tf.Tensor
	out   []*tf.Tensor
}

func (r *running) close() { r.model.Session.Close() }

// ready loads a SavedModel.
func ready(dir string, options *tf.SessionOptions) (*running, error) {
	m, err := tf.LoadSavedModel(dir, []string{"serve"}, options)
	if err != nil {
		return nil, err
	}
	r := &running{model: m}
	sig, ok := m.Signatures["serving_default"]
	if !ok {
		return nil, errors.New("no signature serving_default")
	}
	given, err := inputs(filepath.Join(dir, "inputs.npz"))
	if err != nil {
		return nil, err
	}
	var fetches []tf.Output
	for _, name := range sorted.Keys(sig.Inputs) {
		info := sig.Inputs[name]
		o, err := m.Graph.Find(info.Name)
		if err != nil {
			return nil, err
		}
		t := given[name]
		if t == nil {
			if t, err = ramp(info); err != nil {
				return nil, fmt.Errorf("input %s: %w", name, err)
			}
		}
		r.feeds, r.in = append(r.feeds, o), append(r.in, t)
	}
	for _, name := range sorted.Keys(sig.Outputs) {
		o, err := m.Graph.Find(sig.Outputs[name].Name)
		if err != nil {
			return nil, err
		}
		fetches = append(fetches, o)
	}
	r.out = make([]*tf.Tensor, len(fetches))
	r.call, err = m.Session.MakeCallable(r.feeds, fetches, nil)
	return r, err
}

// inputs returns the arrays of a file, if it is there.
func inputs(file string) (map[string]*tf.Tensor, error) {
	z, err := zip.OpenReader(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer z.Close()
	all := map[string]*tf.Tensor{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		t, err := npy.Read(bufio.NewReader(r), 1<<32)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		all[strings.TrimSuffix(f.Name, ".npy")] = t
	}
	return all, nil
}

// ramp returns an input in which element i is i mod 97 / 97 − 0.5, or i mod 97, with 1 for sizes that are not
// known.
func ramp(info tf.TensorInfo) (*tf.Tensor, error) {
	dims, n := []int64{}, int64(1)
	for i := range info.Shape.NumDimensions() {
		d := max(info.Shape.Size(i), 1)
		dims, n = append(dims, d), n*d
	}
	switch info.DType {
	case tf.Float:
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(i%97)/97 - 0.5
		}
		return tf.FromSlice(x, dims...)
	case tf.Int32:
		x := make([]int32, n)
		for i := range x {
			x[i] = int32(i % 97)
		}
		return tf.FromSlice(x, dims...)
	}
	return nil, fmt.Errorf("a ramp of type %v", info.DType)
}

// workOf counts the multiplications of a run.
func workOf(ctx context.Context, call *tf.Callable, feeds []tf.Output, in []*tf.Tensor) (sum [classes]float64, err error) {
	var run tf.RunMetadata
	if _, err := call.CallWithOptions(ctx, tf.RunOptions{Metadata: &run, Profile: true}, in...); err != nil {
		return sum, err
	}
	defs, err := call.GraphDefs(ctx)
	if err != nil {
		return sum, err
	}
	if len(defs) != 1 {
		return sum, fmt.Errorf("%d devices", len(defs))
	}
	g := tf.NewGraph()
	if err := g.Import(defs[0], ""); err != nil {
		return sum, err
	}
	c := counting{g, run.Stats, map[string]*tf.Tensor{}}
	for i, o := range feeds {
		c.fed[o.String()] = in[i]
	}
	return c.all()
}

// time returns the shortest time of a run, once it has been found out what is computed in tiles.
func (r *running) time(ctx context.Context, long time.Duration) (time.Duration, error) {
	least := time.Duration(math.MaxInt64)
	for begin, n := time.Now(), 0; time.Since(begin) < long || n < 30; n++ {
		start := time.Now()
		if err := r.call.RunInto(ctx, r.out, r.in...); err != nil {
			return 0, err
		}
		least = min(least, time.Since(start))
	}
	return least, nil
}

// parts returns the rest of a row: what takes the time.
func (r *running) parts(ctx context.Context, work [classes]float64, long time.Duration) (string, error) {
	var sampler tf.Sampler
	before := rate(1)
	for begin := time.Now(); time.Since(begin) < long; {
		if _, err := r.call.CallWithOptions(ctx, tf.RunOptions{Sampler: &sampler}, r.in...); err != nil {
			return "", err
		}
	}
	most := max(before, rate(1))
	m := sampler.Model()
	var took [classes]float64
	all := 0.0
	var rest []profile.OpStats
	for _, o := range m.ByOp() {
		t := float64(o.Total) / float64(m.Runs)
		of := classOf(o.Op)
		took[of] += t
		if all += t; of == other && len(rest) < 3 {
			rest = append(rest, o)
		}
	}
	text := ""
	for _, of := range []class{products, depthwise} {
		if took[of] == 0 {
			text += " |"
			continue
		}
		text += fmt.Sprintf(" %.0f%% at %.0f%% |", 100*took[of]/all, 100*work[of]/took[of]/most)
	}
	text += fmt.Sprintf(" %.0f%%", 100*took[other]/all)
	for i, o := range rest {
		if share := 100 * float64(o.Total) / float64(m.Runs) / all; share >= 1 {
			text += fmt.Sprintf("%s %s %.0f%%", map[bool]string{true: ":", false: ","}[i == 0], o.Op, share)
		}
	}
	return text + " |", nil
}
