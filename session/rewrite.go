package session

import (
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/wire"
)

// A RewritePass is the effect of one rewriting pass on a program; see
// [SessionOptions].Rewrite.
type RewritePass = plan.Stat

// passes returns what the options say of rewriting: themselves, or else their
// ConfigProto.
func (o *SessionOptions) passes() (rewrite.Passes, error) {
	if o.Rewrite != "" || len(o.Config) == 0 {
		return rewrite.Parse(o.Rewrite)
	}
	return passesOf(o.Config)
}

// The values of RewriterConfig.Toggle.
const (
	toggleOff        = 2
	toggleAggressive = 3
)

// rewriters is the toggles of a RewriterConfig, by number: the passes that each
// turns off, and those that it adds where it is aggressive.
var rewriters = map[int32]struct{ off, aggressive string }{
	1:  {off: "-transposes"}, // layout_optimizer
	3:  {off: "-fold"},
	7:  {off: "-arithmetic", aggressive: "+algebra"},
	9:  {off: "-hoist,-branches"},
	14: {off: "-epilogue,-elementwise", aggressive: "+batchnorm"},
	24: {off: "-common"},
}

// passesOf returns what a ConfigProto says of rewriting: none where
// graph_options.optimizer_options.opt_level is L0 or rewrite_options says
// disable_meta_optimizer, else the default but for the toggles of rewrite_options.
// The message has been decoded before.
func passesOf(config []byte) (rewrite.Passes, error) {
	const (
		graphOptions     = 10 // in ConfigProto
		optimizerOptions = 3  // in GraphOptions
		optLevel         = 3  // in OptimizerOptions
		rewriteOptions   = 10 // in GraphOptions
		disableAll       = 19 // in RewriterConfig
	)
	text, none := "", false
	c := wire.NewCursor("ConfigProto", config)
	for c.Next() {
		if !c.IsBytes(graphOptions) {
			continue
		}
		g := c.Message("GraphOptions")
		for g.Next() {
			switch {
			case g.IsBytes(optimizerOptions):
				o := g.Message("OptimizerOptions")
				for o.Next() {
					none = none || o.IsVarint(optLevel) && int32(o.Value) < 0
				}
				if err := o.Err(); err != nil {
					return 0, err
				}
			case g.IsBytes(rewriteOptions):
				r := g.Message("RewriterConfig")
				for r.Next() {
					none = none || r.IsVarint(disableAll) && r.Value != 0
					switch toggle := rewriters[int32(r.Num)]; {
					case !r.IsVarint(r.Num):
					case r.Value == toggleOff:
						text += "," + toggle.off
					case r.Value == toggleAggressive:
						text += "," + toggle.aggressive
					}
				}
				if err := r.Err(); err != nil {
					return 0, err
				}
			}
		}
		if err := g.Err(); err != nil {
			return 0, err
		}
	}
	if none {
		return 0, nil
	}
	return rewrite.Parse(text)
}
