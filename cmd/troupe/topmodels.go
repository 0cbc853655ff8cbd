package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/troupe-go/troupe/serve/page"
)

// modelsText draws what a server does with its models: a line for each with the version that
// is served, and below it other versions, and the requests that run or wait.
func modelsText(s *page.State, width int, colour bool) string {
	w := &topWriter{width: width, colour: colour}
	ready := ""
	if !s.Ready {
		ready = "not ready, "
	}
	w.line(inkBold, fmt.Sprintf("%s  %s  %s%d goroutines, heap %s", s.Title, s.At.Format("15:04:05"), ready, s.Goroutines, size(int64(s.Heap))))
	if len(s.Models) == 0 {
		w.line(inkFaint, "no model is served")
		return w.String()
	}
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	var names []string // which are aligned on the left
	column := 0
	for i := range s.Models {
		m := &s.Models[i]
		served := "none"
		if v := servedVersion(m); v != nil {
			served = v.Number
			if len(v.Labels) > 0 {
				served += " (" + strings.Join(v.Labels, ", ") + ")"
			}
		}
		names = append(names, m.Name, served)
	}
	longest := [2]int{len("MODEL"), len("VERSION")}
	for i, name := range names {
		column = i % 2
		longest[column] = min(max(longest[column], len([]rune(name))), 40)
	}
	fmt.Fprint(t, "REQUESTS/S\tFAILED/S\tREFUSED/S\tP50\tP99\tRUN\tWAIT\t\n")
	for _, m := range s.Models {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t\n", rounded(m.Requests), rounded(m.Failed), rounded(m.Refused), latency(m.P50), latency(m.P99), m.Running, m.Waiting)
	}
	t.Flush()
	rows := strings.Split(strings.TrimSuffix(table.String(), "\n"), "\n")
	row := func(model, version, rest string) string {
		return fmt.Sprintf("%-*.40s  %-*.40s  %s", longest[0], model, longest[1], version, strings.TrimPrefix(rest, "  "))
	}
	w.line("", "")
	w.line(inkFaint, row("MODEL", "VERSION", rows[0]))
	for i := range s.Models {
		w.model(&s.Models[i], row(names[2*i], names[2*i+1], rows[i+1]))
	}
	if s.More > 0 {
		w.line(inkFaint, fmt.Sprintf("and %s", count(s.More, "more model")))
	}
	return w.String()
}

// servedVersion returns the greatest version that is available; nil if there is none.
func servedVersion(m *page.Model) *page.Version {
	for i := range m.Versions {
		if m.Versions[i].State == "AVAILABLE" {
			return &m.Versions[i]
		}
	}
	return nil
}

func (w *topWriter) model(m *page.Model, line string) {
	served := servedVersion(m)
	style := inkGood
	if m.Failed+m.Refused > 0 || served == nil {
		style = inkBad
	}
	w.line(style, line)
	for i := range m.Versions {
		v := &m.Versions[i]
		if v == served {
			continue
		}
		text, style := fmt.Sprintf("  version %s %s", v.Number, v.State), inkFaint
		if len(v.Labels) > 0 {
			text += " (" + strings.Join(v.Labels, ", ") + ")"
		}
		if v.Error != "" {
			text, style = text+": "+v.Error, inkBad
		}
		w.line(style, text)
	}
	const few = 8
	more := m.More
	for i, r := range m.Present {
		if i == few {
			more += len(m.Present) - few
			break
		}
		does, style := "waits", ""
		if r.Runs {
			does, style = "runs", inkCalm
		}
		w.line(style, fmt.Sprintf("  %s of version %s %s, %v, %s", r.Signature, r.Version, does, time.Duration(r.Seconds*1000)*time.Millisecond, r.From))
	}
	if more > 0 {
		w.line(inkFaint, "  and "+count(more, "more request"))
	}
}

// latency is a time of requests, of which there are none if it is 0.
func latency(seconds float64) string {
	if seconds == 0 {
		return "-"
	}
	d := time.Duration(seconds * float64(time.Second))
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}
