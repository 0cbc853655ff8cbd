// Command serve runs a SavedModel of Keras behind HTTP. A request is a JSON object of
// the signature's inputs, the response one of its outputs.
//
//	go -C examples run ./serve -model serve/digits
//	curl --data '{"image": [[[[0],[9],…]]]}' localhost:8080
//
// The model in the folder digits was trained and exported by digits.py.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log"
	"net/http"
	"time"

	tf "github.com/troupe-go/troupe"
)

func main() {
	address := flag.String("address", "localhost:8080", "`address` to listen on")
	folder := flag.String("model", "serve/digits", "`folder` of the SavedModel")
	flag.Parse()
	s, err := load(*folder)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("listening on %s", *address)
	log.Fatal(http.ListenAndServe(*address, s))
}

// A server runs one signature of a model. It is safe for concurrent requests.
type server struct {
	model   *tf.SavedModel
	predict *tf.SignatureCall
}

// load loads a model and compiles its signature, so that the first request is as fast
// as the others.
func load(folder string) (*server, error) {
	model, err := tf.LoadSavedModel(folder, []string{"serve"}, &tf.SessionOptions{
		Timeout:     time.Second, // of each request
		MemoryLimit: 1 << 30,     // of all requests together, in bytes
	})
	if err != nil {
		return nil, err
	}
	predict, err := model.Prepare(context.Background(), "serving_default")
	if err != nil {
		model.Session.Close()
		return nil, err
	}
	return &server{model, predict}, nil
}

func (s *server) close() error { return s.model.Session.Close() }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Image [][][][]float32 `json:"image"` // batch, height, width, channels
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 16<<20)).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	image, err := tf.NewTensor(request.Image)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	outputs, err := s.predict.Run(r.Context(), map[string]*tf.Tensor{"image": image})
	if err != nil {
		http.Error(w, err.Error(), httpStatus(err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	response := map[string]any{}
	for name, t := range outputs {
		response[name] = t.Value()
	}
	if err := json.NewEncoder(w).Encode(response); err != nil {
		log.Print(err)
	}
}

// httpStatus maps the code of a step's error to HTTP's.
func httpStatus(err error) int {
	var e *tf.Error
	if !errors.As(err, &e) {
		return http.StatusInternalServerError
	}
	switch e.Code {
	case tf.InvalidArgument:
		return http.StatusBadRequest
	case tf.DeadlineExceeded:
		return http.StatusGatewayTimeout
	case tf.ResourceExhausted:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}
