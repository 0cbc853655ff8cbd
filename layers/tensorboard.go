package layers

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
	"github.com/troupe-go/troupe/wire"
)

// TensorBoard is a [Callback] that writes event files, which the program tensorboard
// shows: Dir/train has loss and metrics of each epoch as they were trained, the learning
// rate and, with Updates, the loss of each update; Dir/validation has those of the
// validation. The files are complete up to the last epoch, and closed when Fit returns.
type TensorBoard struct {
	Dir     string
	Updates bool

	files map[string]*events
}

// Epoch writes the values of an epoch.
func (c *TensorBoard) Epoch(_ context.Context, e *Epoch) error {
	for _, name := range sorted.Keys(e.Values) {
		part, tag := "train", name
		if rest, ok := strings.CutPrefix(name, "val_"); ok {
			part, tag = "validation", rest
		}
		if err := c.scalar(part, "epoch_"+tag, int64(e.N), e.Values[name]); err != nil {
			return err
		}
	}
	if err := c.scalar("train", "epoch_learning_rate", int64(e.N), e.Rate); err != nil {
		return err
	}
	for _, f := range c.files {
		if err := f.flush(); err != nil {
			return err
		}
	}
	return nil
}

// Step writes the loss of an update.
func (c *TensorBoard) Step(_ context.Context, s train.Step) error {
	if !c.Updates {
		return nil
	}
	return c.scalar("train", "batch_loss", s.N, s.Loss)
}

// Close closes the files.
func (c *TensorBoard) Close() error {
	var first error
	for _, f := range c.files {
		err := f.flush()
		if e := f.file.Close(); err == nil && e != nil {
			err = status.FromFile(e)
		}
		if first == nil {
			first = err
		}
	}
	c.files = nil
	return first
}

// scalar writes a number to the file of a part.
func (c *TensorBoard) scalar(part, tag string, step int64, x float64) error {
	f := c.files[part]
	if f == nil {
		var err error
		if f, err = newEvents(filepath.Join(c.Dir, part)); err != nil {
			return err
		}
		if c.files == nil {
			c.files = map[string]*events{}
		}
		c.files[part] = f
	}
	// Summary.Value: tag = 1, simple_value = 2; Summary: value = 1; Event: summary = 5.
	value := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), tag)
	value = protowire.AppendFixed32(protowire.AppendTag(value, 2, protowire.Fixed32Type), math.Float32bits(float32(x)))
	summary := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), value)
	f.event(step, 5, summary)
	return nil
}

// events is an open file of events.
type events struct {
	file    *os.File
	waiting []byte
}

func newEvents(dir string) (*events, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, status.FromFile(err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	file, err := os.CreateTemp(dir, fmt.Sprintf("events.out.tfevents.%010d.%s.*", time.Now().Unix(), host))
	if err != nil {
		return nil, status.FromFile(err)
	}
	f := &events{file: file}
	f.event(0, 3, []byte("brain.Event:2"))
	return f, nil
}

// event appends an event: wall_time = 1, step = 2 and one more field.
func (f *events) event(step int64, field protowire.Number, content []byte) {
	now := float64(time.Now().UnixMicro()) / 1e6
	b := protowire.AppendFixed64(protowire.AppendTag(nil, 1, protowire.Fixed64Type), math.Float64bits(now))
	if step != 0 {
		b = protowire.AppendVarint(protowire.AppendTag(b, 2, protowire.VarintType), uint64(step))
	}
	b = protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), content)
	f.waiting = wire.AppendRecord(f.waiting, b)
}

func (f *events) flush() error {
	_, err := f.file.Write(f.waiting)
	f.waiting = f.waiting[:0]
	if err != nil {
		return status.FromFile(err)
	}
	return nil
}
