package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/page"
)

// The page of a server of models shows them, and its forms run them.
func TestServePage(t *testing.T) {
	models := serve.New(serve.Options{})
	defer models.Close(context.Background())
	const name = `<b>digits`
	if err := models.Add(t.Context(), serve.Config{Name: name, Path: "../../examples/serve/digits"}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", serve.Handler(models, serve.HTTP{}))
	mux.Handle("/", page.Handler(models, page.Options{Title: "<i>models", Token: "t o"}))
	server := httptest.NewServer(mux)
	defer server.Close()
	defer server.CloseClientConnections()
	b := openFile(t, server.URL+"/#token=t%20o")
	if got := b.text("models"); !strings.Contains(got, name) || !strings.Contains(got, "AVAILABLE") || !strings.Contains(got, "requests a second") {
		t.Errorf("the page shows\n%s", got)
	}
	poll := func(what string) {
		t.Helper()
		b.do(chromedp.Poll(what, nil, chromedp.WithPollingInterval(20*time.Millisecond)))
	}
	// By keys: to the form, and open it.
	b.do(chromedp.Evaluate(`document.querySelector('.card summary').focus()`, nil), chromedp.KeyEvent("\r"))
	poll(`document.querySelector('.try input[type=file]')`)
	if got := eval[string](b, `document.querySelector('.try').innerText`); !strings.Contains(got, "image: float [?, 8, 8, 1]") || !strings.Contains(got, "output_0: float [?, 10]") {
		t.Errorf("the form shows\n%s", got)
	}
	run := func() string {
		b.do(chromedp.Evaluate(`document.querySelector('.answer').replaceChildren(); document.querySelector('.try').requestSubmit()`, nil))
		poll(`document.querySelector('.answer > *') && document.querySelector('.try button').textContent === 'run'`)
		return eval[string](b, `document.querySelector('.answer').innerText`)
	}
	if got := run(); !strings.Contains(got, "choose a picture") {
		t.Errorf("without a picture:\n%s", got)
	}
	picture, err := filepath.Abs("../../examples/serve/two.png")
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(".try input[type=file]", []string{picture}, chromedp.ByQuery))
	poll(`!document.querySelector('.try canvas').hidden`)
	// White is 255, and black 0.
	b.do(chromedp.Evaluate(`{ const all = [...document.querySelectorAll('.try fieldset input')]; all[all.length - 1].value = '255' }`, nil))
	run()
	if best := eval[string](b, `document.querySelector('.answer tbody td').textContent`); best != "2" {
		t.Errorf("the picture of a 2 is a %s:\n%s", best, eval[string](b, `document.querySelector('.answer').innerText`))
	}
	// As JSON, good and bad.
	b.do(chromedp.Evaluate(`{ const s = document.querySelector('.try fieldset select'); s.value = 1; s.dispatchEvent(new Event('change')) }`, nil))
	if got := run(); !strings.Contains(got, "answered in") {
		t.Errorf("zeros:\n%s", got)
	}
	b.do(chromedp.Evaluate(`document.querySelector('.try textarea').value = '["</p><img src=x>"]'`, nil))
	b.mu.Lock()
	b.errors = nil
	b.mu.Unlock()
	if got := run(); !strings.Contains(got, "400") || !strings.Contains(got, "<img src=x>") {
		t.Errorf("a string for numbers:\n%s", got)
	}
	b.mu.Lock()
	if len(b.errors) == 1 && strings.Contains(b.errors[0], "400") { // which the browser reports, too
		b.errors = nil
	}
	b.mu.Unlock()
	if eval[int](b, `document.querySelectorAll('.card b, .card img, header i').length`) > 0 {
		t.Error("text of the model became markup")
	}
	// Every control has a name.
	if n := eval[int](b, `[...document.querySelectorAll('input, select, textarea, canvas:not([hidden])')].filter(e => !e.labels?.length && !e.closest('label') && !e.ariaLabel).length`); n > 0 {
		t.Errorf("%d controls have no name", n)
	}
	poll(`[...document.querySelectorAll('.tile polyline')].length > 0`)
	if err := models.Remove(name); err != nil {
		t.Fatal(err)
	}
	poll(`document.getElementById('none')`)
}

// It is readable in light and in dark.
func TestServeColours(t *testing.T) {
	server := httptest.NewServer(page.Handler(serve.New(serve.Options{}), page.Options{}))
	defer server.Close()
	defer server.CloseClientConnections()
	b := openFile(t, server.URL)
	back := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		back[eval[string](b, `getComputedStyle(document.body).backgroundColor`)] = true
	}
	if len(back) != 2 {
		t.Errorf("the background is %v in light and dark", back)
	}
}
