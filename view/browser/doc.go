// Package browser tests the pages of package view in a Chromium. It is a module of its
// own, with the command bundle, which makes the page's script, so that nothing that these
// need is required by the programs that import Troupe.
package browser
