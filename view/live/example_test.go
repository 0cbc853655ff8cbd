package live_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/view/live"
)

// A service mounts the page next to its own paths.
func Example() {
	session, err := troupe.NewSession(troupe.NewGraph(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	mux := http.NewServeMux()
	mux.Handle("/live/", http.StripPrefix("/live", live.Handler(live.Of(session), live.Options{Title: "my service"})))

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/live/", nil))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "<title>my service</title>"))
	// Output: 200 true
}
