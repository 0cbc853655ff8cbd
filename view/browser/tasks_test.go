package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe/view"
)

// The tests of this file are tasks of docs/design/2026-11-27-ten-tasks-in-a-browser.md for
// which something was mended.

// shows checks that the details have texts.
func (b *tab) shows(what string, wants ...string) {
	b.Helper()
	d := b.details()
	for _, want := range wants {
		if !strings.Contains(d, want) {
			b.Errorf("%s: %q is missing in\n%s", what, want, d)
		}
	}
}

// Where the time goes is listed as the page opens, and again once no node is chosen.
func TestSlowLoop(t *testing.T) {
	b := openFile(t, example(t, "04-nested-frames", false))
	b.shows("at first", "loops", "inner", "outer", "iterations", "nodes that took longest")
	b.do(chromedp.Evaluate(`document.querySelector('#details table.executions button').click()`, nil))
	b.shows("the slowest node", "executions (")
	b.do(chromedp.Evaluate(`document.getElementById('drawing').dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))`, nil))
	b.shows("after Escape", "nodes that took longest")
}

// A dead node leads to what chose another way.
func TestWhyDead(t *testing.T) {
	b := openFile(t, example(t, "02-a-dead-branch", false))
	dead := eval[string](b, `[...document.querySelectorAll('.item.leaf')].map(g => g.item.label).find(name => name === 'yes')`)
	b.click(dead, "rect")
	b.shows("a dead node", "dead because switch chose output")
	b.do(chromedp.Evaluate(`[...document.querySelectorAll('#details p button')].at(-1).click()`, nil))
	if got := b.text("now"); !strings.Contains(got, "switch acts") {
		t.Errorf("the cause leads to %s", got)
	}
}

// A node that a pass removed names the graph in which it is gone.
func TestGone(t *testing.T) {
	b := open(t, "gone", func(p *view.Page) {
		p.AddGraph("graph", graphOf(t, "x = Placeholder() {dtype=DT_FLOAT}\ny = Neg(x)\nz = Abs(y)"))
		first := graphOf(t, "x = Placeholder() {dtype=DT_FLOAT}\ny = Neg(x)\nz = Abs(y)\n")
		p.AddRun("after pass prune", first, first.Nodes(), "")
		second := graphOf(t, "x = Placeholder() {dtype=DT_FLOAT}\nz = Abs(x)\n")
		p.AddRun("after pass fold", second, second.Nodes(), "")
	})
	b.click("y", "rect")
	b.shows("a node that was removed", "gone in: after pass fold")
}
