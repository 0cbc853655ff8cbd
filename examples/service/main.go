// Command service reads numbers that are written by hand, digit by digit, and says which
// digits a person should look at. It embeds two models: one recognizes digits, the other
// says how doubtful that is. Clients of the service see neither; those who operate it can
// ask the models themselves, replace them while it runs, and read its metrics.
//
//	go -C examples run ./service
//	curl -d '{"digits": [[[0,0,…],…],…]}' localhost:8080/number
//
// The model "doubt" was written by service/write.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/metrics"
)

func main() {
	address := flag.String("address", "localhost:8080", "`address` to listen on")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends, and then ends the requests that it has.
func run(ctx context.Context, address string) error {
	s, err := load(ctx, "serve/digits", "service/doubt")
	if err != nil {
		return err
	}
	tick := time.NewTicker(2 * time.Second)
	defer tick.Stop()
	go s.models.Watch(ctx, tick.C) // new versions are served as they come
	server := &http.Server{Addr: address, Handler: s.handler(), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan error, 1)
	go func() {
		<-ctx.Done()
		late, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		done <- errors.Join(server.Shutdown(late), s.models.Close(late))
	}()
	log.Printf("listening on %s", address)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-done
}

// A service has its models and their metrics.
type service struct {
	models  *serve.Manager
	metrics *metrics.Set
}

// load loads the models.
func load(ctx context.Context, digits, doubt string) (*service, error) {
	m := metrics.New()
	models := serve.New(serve.Options{Timeout: time.Second, Observer: m})
	m.Watch(models)
	for name, path := range map[string]string{"digits": digits, "doubt": doubt} {
		if err := models.Add(ctx, serve.Config{Name: name, Path: path}); err != nil {
			models.Close(ctx)
			return nil, err
		}
	}
	return &service{models, m}, nil
}

// handler returns the service's pages: its own, and those of the models.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /number", s.number)
	models := serve.Handler(s.models, serve.HTTP{})
	mux.Handle("/v1/", models)
	mux.Handle("/healthz", models)
	mux.Handle("/readyz", models)
	mux.Handle("/metrics", s.metrics.Handler())
	return mux
}

// number reads the digits of a number.
func (s *service) number(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Digits [][8][8]float32 // from 0, white, to 16
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if n := len(request.Digits); n == 0 || n > 18 {
		http.Error(w, fmt.Sprintf("a number has 1 to 18 digits, not %d", n), http.StatusBadRequest)
		return
	}
	number, look, err := s.read(r.Context(), request.Digits)
	if err != nil {
		code := http.StatusInternalServerError
		var e *tf.Error
		if errors.As(err, &e) && e.Code == tf.ResourceExhausted { // too many wait
			code = http.StatusServiceUnavailable
		}
		http.Error(w, err.Error(), code)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"number": number, "look": look})
}

// read returns the number that digits are, and the places of those that are doubtful.
func (s *service) read(ctx context.Context, digits [][8][8]float32) (number int64, look []int, err error) {
	pixels := make([][][][1]float32, len(digits))
	for i, d := range digits {
		for y := range d {
			row := make([][1]float32, 8)
			for x := range row {
				row[x][0] = d[y][x]
			}
			pixels[i] = append(pixels[i], row)
		}
	}
	image, err := tf.NewTensor(pixels)
	if err != nil {
		return 0, nil, err
	}
	scores, _, err := s.models.Predict(ctx, serve.Spec{Model: "digits"}, map[string]*tf.Tensor{"image": image})
	if err != nil {
		return 0, nil, err
	}
	doubt, _, err := s.models.Predict(ctx, serve.Spec{Model: "doubt"}, map[string]*tf.Tensor{"scores": scores["output_0"]})
	if err != nil {
		return 0, nil, err
	}
	digit, doubtful := doubt["digit"].Value().([]int64), doubt["doubt"].Value().([]float32)
	look = []int{}
	for i, d := range digit {
		number = 10*number + d
		if doubtful[i] > 0.2 {
			look = append(look, i)
		}
	}
	return number, look, nil
}
