// Package lookup holds the operations on tables that map keys to values. Those
// whose handle is a reference to a string are of the first format of graphs; the
// others, of which most are called V2, use resources.
//
// Programs import it for its effect, which is to register these operations.
package lookup
