package main

import (
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/troupe-go/troupe/files"
)

const pageStyle = `<style>
:root{color-scheme:light dark;--faint:#d8dde2}
@media(prefers-color-scheme:dark){:root{--faint:#3a4149}}
body{font:15px/1.5 system-ui,"Liberation Sans",Arial,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;font-size:13px}td,th{padding:.2rem .6rem;text-align:right;border-bottom:1px solid var(--faint);white-space:nowrap}
td:first-child,th:first-child{text-align:left}.t{overflow-x:auto}svg{width:100%;height:auto}small{opacity:.75}
</style>`

// page writes a page with the chart, the table of the largest sizes with confidence intervals, and
// what each problem is.
func (t table) page(file string) error {
	chart, err := t.svg()
	if err != nil {
		return err
	}
	var w strings.Builder
	w.WriteString("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>The laboratory</title>" + pageStyle + "</head><body>\n")
	w.WriteString("<h1>The laboratory</h1>\n<p>Classical concurrency problems as graphs and as programs: nanoseconds a unit of the largest size, medians.</p>\n" + chart)
	for _, cores := range []int{1, 2} {
		fmt.Fprintf(&w, "<h2>GOMAXPROCS=%d</h2>\n<div class=\"t\"><table><tr><th>ns</th>", cores)
		for _, name := range t.columns() {
			fmt.Fprintf(&w, "<th>%s</th>", html.EscapeString(name))
		}
		w.WriteString("</tr>\n")
		for _, b := range t.rows() {
			fmt.Fprintf(&w, "<tr><td>%s, %s</td>", html.EscapeString(b.name), html.EscapeString(b.unit))
			for _, name := range t.columns() {
				c := t[b.name][name]
				f := c.OneCore
				if cores == 2 {
					f = c.TwoCores[2]
				}
				fmt.Fprintf(&w, "<td>%s", html.EscapeString(f.String()))
				if s := f.Statistics; s != nil && s.Mean > 0 {
					fmt.Fprintf(&w, " <small title=\"mean %s, 95%%: %s to %s; %d runs of %d processes\">±%.0f%%</small>",
						figure{NS: s.Mean}, figure{NS: s.Low}, figure{NS: s.High}, s.Runs, s.Processes, 100*(s.High-s.Mean)/s.Mean)
				}
				w.WriteString("</td>")
			}
			w.WriteString("</tr>\n")
		}
		w.WriteString("</table></div>\n")
	}
	w.WriteString("<h2>The problems</h2>\n<dl>\n")
	for _, b := range t.rows() {
		fmt.Fprintf(&w, "<dt><b>%s</b></dt><dd>%s</dd>\n", html.EscapeString(b.name), html.EscapeString(b.spec))
	}
	w.WriteString("</dl>\n</body></html>\n")
	return files.WriteFile(file, func(to io.Writer) error { _, err := io.WriteString(to, w.String()); return err })
}
