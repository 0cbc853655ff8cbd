package access_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/troupe-go/troupe/serve/access"
)

// Requests need a token.
func ExampleGate_HTTP() {
	gate := access.New(access.Rules{Token: "secret", Rate: 100})
	h := gate.HTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Println("served") }))
	for _, token := range []string{"other", "secret"} {
		r := httptest.NewRequest("GET", "/v1/models/digits", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// 401
	// served
	// 200
}
