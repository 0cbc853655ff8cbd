package strings

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("RegexFullMatch").
		Input("input: string").Input("pattern: string").Output("output: bool").
		Doc("Tells whether whole strings match a regular expression in RE2's syntax.")
	registry.Define("RegexReplace").
		Input("input: string").Input("pattern: string").Input("rewrite: string").Output("output: string").
		Attr("replace_global: bool = true").
		Doc(`Replaces what matches a regular expression in RE2's syntax.

rewrite: The replacement, in which \1 to \9 stand for groups and \0 for the match.
replace_global: Whether all matches are replaced, or the first.`)
	registry.Define("StaticRegexFullMatch").
		Input("input: string").Output("output: bool").
		Attr("pattern: string").
		Doc("Tells whether whole strings match a regular expression that is an attribute.")
	registry.Define("StaticRegexReplace").
		Input("input: string").Output("output: string").
		Attr("pattern: string").
		Attr("rewrite: string").
		Attr("replace_global: bool = true").
		Doc(`Replaces what matches a regular expression that is an attribute.

rewrite: The replacement, in which \1 to \9 stand for groups and \0 for the match.
replace_global: Whether all matches are replaced, or the first.`)
}
