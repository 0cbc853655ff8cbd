// Command classifier reads handwritten digits over HTTP: a PNG, JPEG, GIF or BMP of
// one dark digit on light ground, posted to it, is answered with the digit and how sure
// the network is. The network is what the example digits has trained and exported.
//
//	go -C examples run ./digits -export /tmp/digits
//	go -C examples run ./classifier -model /tmp/digits
//	curl --data-binary @seven.png localhost:8080
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log"
	"net/http"
	"time"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
)

func main() {
	address := flag.String("address", "localhost:8080", "where to listen")
	model := flag.String("model", "", "the `folder` that the example digits has exported")
	flag.Parse()
	c, err := newClassifier(*model)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on %s", *address)
	log.Fatal(http.ListenAndServe(*address, c))
}

// A classifier answers requests, any number of them at the same time.
type classifier struct {
	model   *tf.SavedModel
	session *tf.Session  // that reads images
	read    *tf.Callable // bytes of a file to a row of pixels
}

// limits are for what strangers send.
var limits = &tf.SessionOptions{Timeout: 5 * time.Second, MemoryLimit: 256 << 20, Files: &tf.FilePolicy{}}

// newClassifier loads the model, and builds the graph that reads images.
func newClassifier(folder string) (*classifier, error) {
	model, err := tf.LoadSavedModel(folder, []string{"serve"}, limits)
	if err != nil {
		return nil, err
	}
	s := op.NewScope().WithUniqueNames()
	file := op.Placeholder(s, tf.String, op.PlaceholderShape(tf.ScalarShape()))
	image := op.DecodeImage(s, file, op.DecodeImageChannels(1), op.DecodeImageExpandAnimations(false))
	batch := op.ExpandDims(s, image, op.Const(s, int32(0)))
	small := op.ResizeArea(s, batch, op.Const(s, []int32{8, 8})) // 0, black, to 255
	ink := op.Sub(s, op.Const(s, float32(1)), op.Div(s, small, op.Const(s, float32(255))))
	pixels := op.Reshape(s, ink, op.Const(s, []int32{1, 64}))
	graph, err := s.Finalize()
	if err != nil {
		return nil, err
	}
	session, err := tf.NewSession(graph, limits)
	if err != nil {
		return nil, err
	}
	read, err := session.MakeCallable([]tf.Output{file}, []tf.Output{pixels}, nil)
	return &classifier{model, session, read}, err
}

func (c *classifier) close() {
	c.session.Close()
	c.model.Session.Close()
}

// An answer is what a request gets.
type answer struct {
	Digit int     `json:"digit"`
	Sure  float32 `json:"sure"`
}

func (c *classifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	file, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	a, err := c.classify(r.Context(), file)
	if e := (*tf.Error)(nil); errors.As(err, &e) && e.Code == tf.InvalidArgument { // it is no image
		http.Error(w, e.Message, http.StatusBadRequest)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(a)
}

// classify returns the digit that an image shows.
func (c *classifier) classify(ctx context.Context, file []byte) (answer, error) {
	bytes, err := tf.NewTensor(string(file))
	if err != nil {
		return answer{}, err
	}
	pixels, err := c.read.Call(ctx, bytes)
	if err != nil {
		return answer{}, err
	}
	out, err := c.model.Run(ctx, "serving_default", map[string]*tf.Tensor{"images": pixels[0]})
	if err != nil {
		return answer{}, err
	}
	probabilities := out["probabilities"].Value().([][]float32)[0]
	var a answer
	for digit, p := range probabilities {
		if p > a.Sure {
			a = answer{digit, p}
		}
	}
	return a, nil
}
