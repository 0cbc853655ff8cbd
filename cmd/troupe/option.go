package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/status"
)

// An optionFlag is text for a field of SessionOptions, which is checked when the flag is read.
type optionFlag struct {
	to    *string
	field func(*troupe.SessionOptions) *string
}

func (f optionFlag) Type() string   { return "string" }
func (f optionFlag) String() string { return *f.to }

// Set takes what a session takes.
func (f optionFlag) Set(text string) error {
	var o troupe.SessionOptions
	*f.field(&o) = text
	s, err := troupe.NewSession(troupe.NewGraph(), &o)
	if err != nil {
		return errors.New(status.From(err).Message)
	}
	*f.to = text
	return s.Close()
}

// A choiceFlag is one of some words.
type choiceFlag struct {
	to    *string
	words []string
}

func (f choiceFlag) Type() string   { return "string" }
func (f choiceFlag) String() string { return *f.to }

// Set takes one of the words.
func (f choiceFlag) Set(text string) error {
	if !slices.Contains(f.words, text) {
		last := len(f.words) - 1
		return fmt.Errorf("unknown %q: use %s or %s", text, strings.Join(f.words[:last], ", "), f.words[last])
	}
	*f.to = text
	return nil
}

// engineFlag adds the flag that chooses an engine.
func engineFlag(cmd *cobra.Command, engine *string) {
	*engine = "actors"
	cmd.Flags().Var(optionFlag{engine, func(o *troupe.SessionOptions) *string { return &o.Engine }}, "engine",
		"`ENGINE` that runs steps: actors, tokens, messages, messages:N, seeded:N, schedule:ORDER or sequential")
	complete(cmd, "engine", "actors", "tokens", "messages", "seeded:1", "sequential")
}

// rewriteFlag adds the flag that chooses passes of rewriting.
func rewriteFlag(cmd *cobra.Command, rewrite *string) {
	cmd.Flags().Var(optionFlag{rewrite, func(o *troupe.SessionOptions) *string { return &o.Rewrite }}, "rewrite",
		"rewrite the graph with these `PASSES` before it runs: default, none, all, a list such as fold,common, or changes to the default such as +batchnorm,-hoist; +winograd makes 3×3 convolutions faster and costs digits")
}

// unitsFlag adds the flag that chooses the passes that make units.
func unitsFlag(cmd *cobra.Command, units *string) {
	cmd.Flags().Var(optionFlag{units, func(o *troupe.SessionOptions) *string { return &o.Units }}, "units",
		"compile loops and programs into units with these `PASSES`: default, none, a list such as band,chain, or changes to the default such as -chain,-band")
}
