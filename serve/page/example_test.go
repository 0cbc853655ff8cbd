package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/page"
)

// A service mounts the page next to the interface that its forms call.
func Example() {
	models := serve.New(serve.Options{})
	mux := http.NewServeMux()
	mux.Handle("/v1/", serve.Handler(models, serve.HTTP{}))
	mux.Handle("/", page.Handler(models, page.Options{Title: "my models"}))

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "<title>my models</title>"))
	// Output: 200 true
}
