// Pictures makes pictures of a page of package view in Chromium, light and dark:
//
//	troupe run MODEL --record run.html
//	go -C view/browser run ./pictures -page $PWD/run.html -moment 40 -o $PWD/docs/pictures/run
//
// writes run-light.png and run-dark.png.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

func main() {
	page := flag.String("page", "", "the page, a `FILE`")
	moment := flag.Int("moment", 0, "the moment of its run that is shown, `N`")
	out := flag.String("o", "picture", "the `NAME` of the files, before -light.png and -dark.png")
	width := flag.Int64("width", 1200, "the width of the window, in pixels")
	height := flag.Int64("height", 600, "the height of the window, in pixels")
	flag.Parse()
	if err := shoot(*page, *moment, *out, *width, *height); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

func shoot(page string, moment int, out string, width, height int64) error {
	page, err := filepath.Abs(page)
	if err != nil {
		return err
	}
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if browser == "" {
			browser, _ = exec.LookPath(name)
		}
	}
	if browser == "" {
		return fmt.Errorf("there is no Chromium in the PATH")
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.DisableGPU)...)
	defer stop()
	ctx, end := chromedp.NewContext(allocator)
	defer end()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for _, scheme := range []string{"light", "dark"} {
		var shot []byte
		err := chromedp.Run(ctx,
			chromedp.EmulateViewport(width, height),
			emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}),
			chromedp.Navigate("about:blank"),
			chromedp.Navigate("file://"+page),
			chromedp.Poll(`document.documentElement.dataset.ready === "yes"`, nil),
			chromedp.Evaluate(fmt.Sprintf(`(() => {
				const s = document.getElementById('moment')
				document.getElementById('player').style.height = '9em'
				document.getElementById('fit').click()
				s.value = %d
				s.dispatchEvent(new Event('input'))
				return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))
			})()`, moment), nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }),
			chromedp.CaptureScreenshot(&shot),
		)
		if err != nil {
			return err
		}
		if err := os.WriteFile(out+"-"+scheme+".png", shot, 0o666); err != nil {
			return err
		}
	}
	return nil
}
