// Command service reads numbers that are written by hand, digit by digit, and says which
// digits a person should look at. It embeds two models: one recognizes digits, the other
// says how doubtful that is. Clients of the service see neither; those who operate it can
// ask the models themselves, replace them while it runs, and read its metrics.
//
//	go -C examples run ./service
//	curl -d '{"digits": [[[0,0,…],…],…]}' localhost:8080/number
//
// The models are called by generated code, which runs them wherever they are: with --digits
// the first one is another server's.
//
//	troupe serve examples/serve/digits &
//	go -C examples run ./service --digits grpc://localhost:8500/digits
//
// The model "doubt" was written by service/write.
package main

//go:generate go -C ../.. run ./cmd/troupe generate examples/serve/digits --package digits --signature serving_default --output examples/service/models/digits
//go:generate go -C ../.. run ./cmd/troupe generate examples/service/doubt --package doubt --output examples/service/models/doubt

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
	"github.com/troupe-go/troupe/examples/service/models/digits"
	"github.com/troupe-go/troupe/examples/service/models/doubt"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/client"
	"github.com/troupe-go/troupe/serve/metrics"
)

func main() {
	address := flag.String("address", "localhost:8080", "`address` to listen on")
	remote := flag.String("digits", "", "recognize digits by the model at this `address`, such as grpc://localhost:8500/digits")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *address, *remote); err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends, and then ends the requests that it has.
func run(ctx context.Context, address, remote string) error {
	s, err := load(ctx, "serve/digits", "service/doubt")
	if err != nil {
		return err
	}
	if remote != "" {
		m, err := client.Open(ctx, remote, client.Options{})
		if err != nil {
			return errors.Join(err, s.models.Close(ctx))
		}
		defer m.Close()
		s.digits = digits.New(m)
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

// A service has its models, their signatures as Go methods, and their metrics.
type service struct {
	models  *serve.Manager
	digits  digits.Signatures
	doubt   doubt.Signatures
	metrics *metrics.Set
}

// load loads the models.
func load(ctx context.Context, recognizer, judge string) (*service, error) {
	m := metrics.New()
	models := serve.New(serve.Options{Timeout: time.Second, Observer: m})
	m.Watch(models)
	for name, path := range map[string]string{"digits": recognizer, "doubt": judge} {
		if err := models.Add(ctx, serve.Config{Name: name, Path: path}); err != nil {
			models.Close(ctx)
			return nil, err
		}
	}
	return &service{
		models:  models,
		digits:  digits.New(models.Runner(serve.Spec{Model: "digits"})),
		doubt:   doubt.New(models.Runner(serve.Spec{Model: "doubt"})),
		metrics: m,
	}, nil
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
func (s *service) read(ctx context.Context, images [][8][8]float32) (number int64, look []int, err error) {
	var pixels []float32
	for _, image := range images {
		for _, row := range image {
			pixels = append(pixels, row[:]...)
		}
	}
	scores, err := s.digits.ServingDefault(ctx, digits.ServingDefaultInputs{Image: pixels})
	if err != nil {
		return 0, nil, err
	}
	judged, err := s.doubt.ServingDefault(ctx, doubt.ServingDefaultInputs{Scores: scores.Output0})
	if err != nil {
		return 0, nil, err
	}
	look = []int{}
	for i, digit := range judged.Digit {
		number = 10*number + digit
		if judged.Doubt[i] > 0.2 {
			look = append(look, i)
		}
	}
	return number, look, nil
}
