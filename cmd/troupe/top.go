package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/page"
	"github.com/troupe-go/troupe/view/live"
)

// topFlags are the flags of `troupe top`.
type topFlags struct {
	every  time.Duration
	remote remoteFlags
	plain  bool
	once   bool
	width  int
}

func topCommand() *cobra.Command {
	var f topFlags
	cmd := &cobra.Command{
		Use:   "top ADDRESS",
		Short: "Show what a server or the sessions of a process are doing",
		Long: `Top shows what a process does, as its page in a browser does.

Of "troupe serve", or a service with package serve/page: the models with their versions,
requests a second, latencies, and the requests that run and wait.

Of "troupe serve --live", "troupe run --live", or a service with package view/live: the
steps that run, what waits for what and since when, rates, queues, memory and the last
errors.

ADDRESS is HOST:PORT or a URL; without a path it is /live/ or, if there is none, /. In a
terminal the picture is drawn again each --every, as wide and as high as the terminal;
otherwise, or with --plain, it is printed without colours, one after another. NO_COLOR in
the environment leaves out the colours alone.`,
		Example: `  troupe top localhost:8501
  troupe top localhost:8501 --once
  troupe top https://models.example:8501 --ca ca.pem --token-file token`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fl := cmd.Flags()
	fl.DurationVar(&f.every, "every", time.Second, "look again after this `DURATION`, 100ms to 1m")
	f.remote.add(fl)
	fl.BoolVar(&f.plain, "plain", false, "print without colours, one picture after another")
	fl.BoolVar(&f.once, "once", false, "print one picture, after --every, and end")
	fl.IntVar(&f.width, "width", 0, "draw `N` columns wide; 0: the terminal's width, or 80")
	return cmd
}

// liveURLs returns where the stream is, or may be.
func liveURLs(address string) ([]string, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%s is not an address: HOST:PORT or a URL", plain.Line(address))
	}
	paths := []string{u.Path}
	if u.Path == "" || u.Path == "/" {
		paths = []string{"/live/", "/"}
	}
	var all []string
	for _, path := range paths {
		u.Path = strings.TrimSuffix(path, "/") + "/events"
		all = append(all, u.String())
	}
	return all, nil
}

// open opens the stream.
func (f *topFlags) open(cmd *cobra.Command, address string) (*http.Response, error) {
	places, err := liveURLs(address)
	if err != nil {
		return nil, err
	}
	o, err := f.remote.options()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig, transport.DisableKeepAlives = o.TLS, true
	web := http.Client{Transport: transport}
	for i, where := range places {
		request, err := http.NewRequestWithContext(cmd.Context(), http.MethodGet, where+"?every="+f.every.String(), nil)
		if err != nil {
			return nil, err
		}
		if o.Token != "" {
			request.Header.Set("Authorization", "Bearer "+o.Token)
		}
		response, err := web.Do(request)
		if err != nil {
			return nil, failure{fmt.Errorf("%s: %w", plain.Line(address), errors.Unwrap(err))}
		}
		if response.StatusCode == http.StatusOK {
			return response, nil
		}
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1000))
		response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			return nil, failure{fmt.Errorf("%s: %s", plain.Line(where), plain.Line(strings.TrimSpace(string(text))))}
		}
		if i == len(places)-1 {
			break
		}
	}
	return nil, failure{fmt.Errorf("%s: neither a model server nor anything live is there: start it with --live", plain.Line(address))}
}

func (f *topFlags) run(cmd *cobra.Command, address string) error {
	response, err := f.open(cmd, address)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	out := cmd.OutOrStdout()
	moving := isTerminal(out) && !f.plain && !f.once && os.Getenv("TERM") != "dumb"
	colour := coloured(out) && !f.plain
	looks := 0
	err = f.each(response.Body, func(s *topState) bool {
		if looks++; f.once && looks < 2 { // rates are of two looks
			return true
		}
		width, height := terminalSize(out)
		if f.width > 0 {
			width = f.width
		}
		if width <= 0 {
			width = 80
		}
		text := s.text(width, colour)
		if moving {
			text = redrawn(text, height)
		}
		io.WriteString(raw(out), text)
		return !f.once
	})
	if cmd.Context().Err() != nil {
		return nil
	}
	if err != nil {
		return failure{err}
	}
	return nil
}

// redrawn is a picture that takes the place of the one before: each line erases what was
// right of it and the last what was below, so that nothing flickers.
func redrawn(text string, height int) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if height > 1 && len(lines) > height-1 {
		lines = append(lines[:height-2], "…")
	}
	return "\x1b[H" + strings.Join(lines, "\x1b[K\n") + "\x1b[K\n\x1b[J"
}

// each reads the events of a stream until f says no.
func (f *topFlags) each(r io.Reader, took func(*topState) bool) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var s topState
		if err := json.Unmarshal([]byte(data), &s); err != nil {
			return fmt.Errorf("the reply is not a state: %w", err)
		}
		if !took(&s) {
			return nil
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("the process has ended the stream")
}

// A topState is what a process does: its models if it serves them, or else its sessions.
type topState struct {
	sessions *live.State
	models   *page.State
}

func (s *topState) UnmarshalJSON(b []byte) error {
	var kind struct{ Models json.RawMessage }
	if err := json.Unmarshal(b, &kind); err != nil {
		return err
	}
	if kind.Models != nil {
		return json.Unmarshal(b, &s.models)
	}
	return json.Unmarshal(b, &s.sessions)
}

func (s *topState) text(width int, colour bool) string {
	switch {
	case s.models != nil:
		return modelsText(s.models, width, colour)
	case s.sessions != nil:
		return topText(s.sessions, width, colour)
	}
	return ""
}

// A topWriter draws lines of a width.
type topWriter struct {
	strings.Builder
	width  int
	colour bool
}

// line writes a line, cut to the width. Text is escaped.
func (w *topWriter) line(style, text string) {
	text = plain.Line(text)
	text = runewidth.Truncate(text, w.width, "…")
	if w.colour && style != "" {
		text = "\x1b[" + style + "m" + text + "\x1b[0m"
	}
	w.WriteString(text + "\n")
}

// topText draws a state.
func topText(s *live.State, width int, colour bool) string {
	w := &topWriter{width: width, colour: colour}
	w.line(inkBold, fmt.Sprintf("%s  %s  %d goroutines, heap %s", s.Title, s.At.Format("15:04:05"), s.Goroutines, size(int64(s.Heap))))
	for i := range s.Sessions {
		w.session(&s.Sessions[i])
	}
	if len(s.Sessions) == 0 {
		w.line(inkFaint, "no session is open")
	}
	return w.String()
}

func (w *topWriter) session(x *live.SessionState) {
	w.line("", "")
	w.line(inkBold, fmt.Sprintf("%s (%s)", x.Name, x.Engine))
	memory := size(max(0, x.MemoryInUse))
	if x.MemoryLimit > 0 {
		memory += " of " + size(x.MemoryLimit)
	}
	style := inkGood
	if x.Failed > 0 {
		style = inkBad
	}
	w.line(style, fmt.Sprintf("  %s steps/s  %s nodes/s  %s failures/s  memory %s  programs %s", rounded(x.Steps), rounded(x.Nodes), rounded(x.Failed), memory, size(max(0, x.ProgramMemory))))
	for _, r := range x.Running {
		text := fmt.Sprintf("  step %s, %s", r.Step, secondsText(r.Seconds))
		if r.At != "" {
			text += ", at " + r.At
			if r.AtSince >= 1 {
				text += " for " + secondsText(r.AtSince)
			}
		}
		if r.Rate > 0 {
			text += fmt.Sprintf(", %s iterations/s", rounded(r.Rate))
		}
		w.line(inkCalm, text)
		for _, k := range r.Kernels {
			w.line(inkHot, fmt.Sprintf("    %s runs or waits, %s", k.Text, secondsText(k.Seconds)))
		}
		for _, k := range r.Waiting {
			w.line("", fmt.Sprintf("    %s, %s", k.Text, secondsText(k.Seconds)))
		}
		if r.More {
			w.line(inkFaint, "    and more")
		}
	}
	if x.More > 0 {
		w.line(inkFaint, fmt.Sprintf("  and %s", count(x.More, "more step")))
	}
	variables, held := 0, int64(0)
	for _, r := range x.Resources {
		if r.Kind == "Variable" {
			variables, held = variables+1, held+r.Bytes
			continue
		}
		text := fmt.Sprintf("  %s %s: ", r.Kind, r.Name)
		if r.Capacity > 0 {
			text += bar(float64(r.Elements)/float64(r.Capacity)) + fmt.Sprintf(" %d of %d", r.Elements, r.Capacity)
		} else {
			text += count(r.Elements, "element")
		}
		if r.Closed {
			text += ", closed"
		}
		w.line("", text)
	}
	if variables > 0 {
		w.line("", fmt.Sprintf("  %s, %s", count(variables, "variable"), size(max(0, held))))
	}
	for _, d := range x.Devices {
		w.line("", fmt.Sprintf("  %s: %s in use, %s kept", d.Name, size(max(0, d.InUse)), size(max(0, d.Kept))))
	}
	for i, f := range x.Failures {
		if i == 3 {
			break
		}
		w.line(inkBad, fmt.Sprintf("  %s %s", f.At.Format("15:04:05"), f.Text))
	}
}

// bar is a part as ten characters.
func bar(part float64) string {
	n := int(math.Round(10 * min(1, max(0, part))))
	return "[" + strings.Repeat("#", n) + strings.Repeat(".", 10-n) + "]"
}

func secondsText(s float64) string {
	return (time.Duration(s*10) * (time.Second / 10)).String()
}
