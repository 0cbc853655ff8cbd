package main

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// peers are programs in other languages. Such a program reads sizes, one a line, and writes
// for each the result and how many nanoseconds it took.
//
//go:embed peers
var peers embed.FS

// erlang returns the column of Erlang's processes; it needs escript.
func erlang() column {
	return column{"Erlang", func(b *benchmark, threads int) (solution, error) {
		return startPeer("lab.escript", func(script string) *exec.Cmd {
			cmd := exec.Command("escript", script, b.name)
			cmd.Env = append(os.Environ(), fmt.Sprintf("ERL_FLAGS=+S %d:%d", threads, threads))
			return cmd
		})
	}}
}

// tensorflow returns the column of TensorFlow on the graphs that Troupe runs, by a Python that has it.
func tensorflow(python string) column {
	return column{"TensorFlow", func(b *benchmark, threads int) (solution, error) {
		g, n, answer, err := b.build()
		if err != nil {
			return nil, err
		}
		return startPeer("lab.py", func(script string) *exec.Cmd {
			def := filepath.Join(filepath.Dir(script), "graph.pb")
			f, err := os.Create(def)
			if err == nil {
				_, err = g.WriteTo(f)
				err = errors.Join(err, f.Close())
			}
			if err != nil {
				return &exec.Cmd{Err: err}
			}
			return exec.Command(python, script, def, tensorName(n.Op.Name()), tensorName(answer.Op.Name()), strconv.Itoa(threads))
		})
	}}
}

func tensorName(operation string) string { return operation + ":0" }

// A peer is such a program while it runs.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	dir string
}

// startPeer starts the command that is made of the name of a file with the script.
func startPeer(script string, command func(script string) *exec.Cmd) (_ solution, err error) {
	p := &peer{}
	if p.dir, err = os.MkdirTemp("", "lab"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(p.dir)
		}
	}()
	text, err := peers.ReadFile("peers/" + script)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(p.dir, script)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	p.cmd = command(file)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	return p, p.cmd.Start()
}

func (p *peer) run(ctx context.Context, n int64) (answer int64, took time.Duration, err error) {
	defer context.AfterFunc(ctx, func() { p.cmd.Process.Kill() })()
	if _, err := fmt.Fprintln(p.in, n); err != nil {
		return 0, 0, err
	}
	if !p.out.Scan() {
		return 0, 0, errors.Join(errors.New("the program has ended"), p.out.Err(), ctx.Err())
	}
	_, err = fmt.Sscan(p.out.Text(), &answer, (*int64)(&took))
	return answer, took, err
}

func (p *peer) close() error {
	p.in.Close() // it ends at the end of its input
	err := p.cmd.Wait()
	return errors.Join(err, os.RemoveAll(p.dir))
}
