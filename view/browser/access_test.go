package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/page"
	"github.com/troupe-go/troupe/view"
	"github.com/troupe-go/troupe/view/live"
)

// accessible are the pages, each in a state with much on it.
func accessible(t *testing.T) map[string]func(*tab) string {
	p := view.New("graph")
	p.AddGraph("graph", graphOf(t, small))
	graph := filepath.Join(t.TempDir(), "graph.html")
	w, err := os.Create(graph)
	if err == nil {
		err = p.Write(w)
		w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	waits := graphOf(t, `
q = FIFOQueueV2() {component_types=list(type)[DT_INT32], capacity=4, shared_name="jobs"}
take = QueueDequeueV2(q) {component_types=list(type)[DT_INT32]}
y = Neg(take) {T=DT_INT32}
`)
	s, err := troupe.NewSession(waits, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ctx, abort := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		s.RunContext(ctx, nil, []troupe.Output{waits.Operation("y").Output(0)}, nil)
		close(ended)
	}()
	t.Cleanup(func() { abort(); <-ended })
	watch := httptest.NewServer(live.Handler(live.Of(s), live.Options{Abort: true}))
	t.Cleanup(watch.Close)
	t.Cleanup(watch.CloseClientConnections)
	models := serve.New(serve.Options{})
	t.Cleanup(func() { models.Close(context.Background()) })
	if err := models.Add(t.Context(), serve.Config{Name: "digits", Path: "../../examples/serve/digits"}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", serve.Handler(models, serve.HTTP{}))
	mux.Handle("/", page.Handler(models, page.Options{}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return map[string]func(*tab) string{
		"graph": func(b *tab) string {
			b.load("file://" + graph)
			b.search("dense")
			b.click("mul", "rect")
			return "#details"
		},
		"run": func(b *tab) string {
			b.load(example(t, "02-a-dead-branch", false))
			b.moment(6)
			return "#now"
		},
		"runs": func(b *tab) string {
			b.load(example(t, "05-a-race", true))
			return "#now"
		},
		"live": func(b *tab) string {
			b.load(watch.URL + "/")
			b.do(chromedp.WaitReady(".step"))
			return ".step"
		},
		"serve": func(b *tab) string {
			b.load(server.URL + "/")
			b.do(chromedp.WaitReady(".card"), chromedp.Evaluate(`document.querySelectorAll('.card details').forEach(d => { d.open = true })`, nil))
			return ".card"
		},
	}
}

// TestContrast computes the contrast of all text that is shown with what is behind it, in
// both schemes: at least 4.5 (WCAG 2.2, AA), and 3 for edges and the borders that mark.
func TestContrast(t *testing.T) {
	pages := accessible(t)
	for _, scheme := range []string{"light", "dark"} {
		for name, load := range pages {
			t.Run(name+" "+scheme, func(t *testing.T) {
				b := openFile(t, "about:blank", emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
				load(b)
				found := eval[[]string](b, contrast)
				slices.Sort(found)
				for _, f := range slices.Compact(found) {
					t.Error(f)
				}
				if n := eval[int](b, `window.contrasts`); n < 10 {
					t.Errorf("%d texts were looked at", n)
				}
			})
		}
	}
}

// contrast lists the texts, and the lines of the drawing, whose contrast is too low.
const contrast = `(() => {
	const parse = text => { const n = (text.match(/[\d.]+/g) || []).map(Number); return text.startsWith('rgb') ? { rgb: n.slice(0, 3), a: n.length > 3 ? n[3] : 1 } : null }
	const over = (top, a, under) => top.map((x, i) => x * a + under[i] * (1 - a))
	const light = rgb => { const [r, g, b] = rgb.map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b }
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) }
	const behind = e => {
		const layers = []
		for (let at = e; at; at = at.parentElement) {
			const item = at.classList?.contains('item') && at.querySelector(':scope > rect')
			const c = parse(item ? getComputedStyle(item).fill : getComputedStyle(at).backgroundColor)
			if (c && c.a > 0) { layers.push(c); if (c.a === 1) break }
		}
		return layers.reverse().reduce((under, c) => over(c.rgb, c.a, under), [255, 255, 255])
	}
	const bad = []
	let count = 0
	const look = (e, paint, alpha, least, what) => {
		const c = parse(paint)
		if (!c) return
		count++
		const under = behind(e), k = ratio(over(c.rgb, c.a * alpha, under), under)
		if (k < least) bad.push(what + ': ' + k.toFixed(2) + ' of ' + least + ', ' + paint + ' on ' + under.map(Math.round))
	}
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
	while (walk.nextNode()) {
		const e = walk.currentNode.parentElement, style = getComputedStyle(e)
		if (!walk.currentNode.data.trim() || /^(SCRIPT|STYLE|NOSCRIPT|title)$/.test(e.tagName) || !e.getClientRects().length || style.visibility === 'hidden' || e.disabled || e.closest('[disabled]')) continue
		look(e, e instanceof SVGElement ? style.fill : style.color, Number(style.opacity) || 1, 4.5, e.tagName + '.' + (e.getAttribute('class') || '') + ' ' + JSON.stringify(walk.currentNode.data.trim().slice(0, 30)))
	}
	for (const input of document.querySelectorAll('input, textarea')) if (input.placeholder) look(input, getComputedStyle(input, '::placeholder').color, 1, 4.5, 'placeholder ' + input.id)
	for (const e of document.querySelectorAll('.edge')) { const s = getComputedStyle(e); look(e, s.stroke, Number(s.strokeOpacity), 3, 'edge ' + e.getAttribute('class')) }
	for (const e of document.querySelectorAll('.item.chosen > rect, .item.now > rect, .item.runs > rect, .item.failed > rect, .item.new > rect')) look(e.parentElement.parentElement, getComputedStyle(e).stroke, 1, 3, 'border ' + e.parentElement.getAttribute('class'))
	window.contrasts = count
	return bad
})()`

// TestNames: whatever can be used has a role and a name, and is reached by keys.
func TestNames(t *testing.T) {
	for name, load := range accessible(t) {
		t.Run(name, func(t *testing.T) {
			b := openFile(t, "about:blank")
			load(b)
			for _, f := range eval[[]string](b, `(() => {
				const bad = [], shown = e => e.getClientRects().length > 0
				const named = e => (e.ariaLabel || e.getAttribute('aria-labelledby') || e.textContent.trim() || e.closest('label')?.textContent.trim() || [...(e.labels || [])].map(l => l.textContent).join('').trim())
				for (const e of document.querySelectorAll('button, input, select, textarea, summary, a, canvas, [role], svg')) {
					if (!shown(e) || e.role === 'status' || e.ariaHidden === 'true' || e.closest('[aria-hidden=true]')) continue
					if (!named(e)) bad.push('no name: ' + e.outerHTML.slice(0, 120))
				}
				for (const e of document.querySelectorAll('button, input, select, textarea, summary')) if (shown(e) && !e.disabled && e.tabIndex < 0 && e.getAttribute('role') !== 'tab') bad.push('no key leads to: ' + e.outerHTML.slice(0, 120))
				for (const e of document.querySelectorAll('svg.drawing')) if (shown(e) && e.tabIndex < 0) bad.push('no key leads to the drawing')
				if (!document.documentElement.lang) bad.push('no language')
				if (!document.querySelector('main')) bad.push('no main')
				const ids = new Set()
				for (const e of document.querySelectorAll('[id]')) { if (ids.has(e.id)) bad.push('two elements have the id ' + e.id); ids.add(e.id) }
				return bad
			})()`) {
				t.Error(f)
			}
		})
	}
}

// TestZoomed: at 200% in a window of 1280 by 900 nothing is cut off, and the drawing has
// place.
func TestZoomed(t *testing.T) {
	for name, load := range accessible(t) {
		t.Run(name, func(t *testing.T) {
			b := openFile(t, "about:blank", chromedp.EmulateViewport(640, 450, chromedp.EmulateScale(2)))
			seen := load(b)
			if n := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); n > 0 {
				t.Errorf("the page is %d pixels wider than the window", n)
			}
			for _, selector := range []string{"header", "main", seen} {
				got := eval[[]float64](b, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView(); const r = e.getBoundingClientRect(); return [Math.min(r.right, innerWidth) - Math.max(r.left, 0), Math.min(r.bottom, innerHeight) - Math.max(r.top, 0)] })()`, selector))
				if got[0] < 200 || got[1] < 30 {
					t.Errorf("%s: %.0f by %.0f pixels can be seen", selector, got[0], got[1])
				}
			}
			if eval[bool](b, `!!document.querySelector('svg.drawing')`) {
				if h := eval[float64](b, `document.querySelector('svg.drawing').getBoundingClientRect().height`); h < 140 {
					t.Errorf("the drawing is %.0f pixels high", h)
				}
			}
		})
	}
}
