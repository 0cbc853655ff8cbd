package view

// columns are the nodes of a graph as the page reads them: a column for each property, as a
// browser reads a few long arrays of numbers several times as fast as many short ones.
// Operations, devices, outputs and attributes are indices of texts.
//
// What a node has several of stands in one column for all nodes, next to a column of how
// many each has.
type columns struct {
	// Shared is how many bytes of its name a node has in common with the node before it, all
	// of them ASCII, and Names is the rest of it.
	Shared  []int    `json:"shared"`
	Names   []string `json:"names"`
	Ops     []int    `json:"ops"`
	Devices []int    `json:"devices"`
	Frames  []int    `json:"frames"`
	// Inputs are pairs of node and output; a node of -1 is not part of the graph.
	Inputs   list `json:"inputs"`
	Controls list `json:"controls"`
	Outputs  list `json:"outputs"` // texts of type and shape
	Attrs    list `json:"attrs"`   // pairs of name and value
	// Back are pairs of a node and an input of it that closes a loop, and Calls pairs of a
	// node and the graph of a function that it calls, -1 if that is not shown.
	Back  []int  `json:"back"`
	Calls []*int `json:"calls"`

	last string // name
}

// A list is a column of which a node has any number of elements.
type list struct {
	Counts []int `json:"n"`
	All    []int `json:"all"`
}

func newColumns(n int) columns {
	some := func() []int { return make([]int, 0, n) }
	many := func() list { return list{some(), some()} }
	return columns{
		Shared: some(), Names: make([]string, 0, n), Ops: some(), Devices: some(), Frames: some(),
		Inputs: many(), Controls: many(), Outputs: many(), Attrs: many(), Back: []int{}, Calls: []*int{},
	}
}

// len returns how many nodes there are.
func (c *columns) len() int { return len(c.Names) }

// add begins a node. What it has several of is added to it with put, until the next begins.
func (c *columns) add(name string, op, device, frame int) {
	shared := 0
	for shared < min(len(name), len(c.last)) && name[shared] == c.last[shared] && name[shared] < 0x80 {
		shared++
	}
	c.last = name
	c.Shared, c.Names = append(c.Shared, shared), append(c.Names, name[shared:])
	c.Ops, c.Devices, c.Frames = append(c.Ops, op), append(c.Devices, device), append(c.Frames, frame)
	for _, l := range []*list{&c.Inputs, &c.Controls, &c.Outputs, &c.Attrs} {
		l.Counts = append(l.Counts, 0)
	}
}

// put adds elements to the node that was added last.
func (l *list) put(elements ...int) {
	l.Counts[len(l.Counts)-1] += len(elements)
	l.All = append(l.All, elements...)
}

// back says that an input of the latest node closes a loop.
func (c *columns) back(input int) { c.Back = append(c.Back, c.len()-1, input) }

// call adds a function that the latest node calls, and returns the place of its graph.
func (c *columns) call() *int {
	node, graph := c.len()-1, new(int)
	c.Calls = append(c.Calls, &node, graph)
	return graph
}
