// Package notation reads and writes graphs as text for people, one node a line
// ([Format], [Parse], [Add]), and draws them ([DOT]).
package notation
