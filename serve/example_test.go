package serve_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/serve"
)

// A Go service serves a model beside its own pages.
func Example() {
	ctx := context.Background()
	models := serve.New(serve.Options{})
	defer models.Close(ctx)
	if err := models.Add(ctx, serve.Config{Name: "digits", Path: "../examples/serve/digits"}); err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", serve.Handler(models, serve.HTTP{}))

	image := "[" + strings.TrimSuffix(strings.Repeat("["+strings.TrimSuffix(strings.Repeat("[0],", 8), ",")+"],", 8), ",") + "]"
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("POST", "/v1/models/digits:predict", strings.NewReader(`{"instances": [`+image+`]}`)))
	fmt.Println(w.Code, len(strings.Split(w.Body.String(), ",")), "scores")
	// Output: 200 10 scores
}
