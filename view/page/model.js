// The data of the page as objects: graphs, nodes, what consumes what. Columns are described
// in columns.go.

export class Model {
  constructor(data) {
    this.title = data.title
    this.texts = data.texts || []
    this.ops = data.ops || {}
    this.omitted = data.omitted
    this.runs = data.runs || []
    this.recordings = data.recordings
    this.graphs = data.graphs.map((g, i) => new Graph(this, g, i))
  }
}

export class Graph {
  constructor(model, data, index) {
    this.model = model
    this.index = index
    this.data = data
    this.title = data.title
    this.kind = data.kind
    this.nodes = data.nodes
    this.frames = data.frames || []
    this.size = data.nodes.ops.length
    this.inputs_ = new List(data.nodes.inputs)
    this.controls_ = new List(data.nodes.controls)
    this.outputs_ = new List(data.nodes.outputs)
    this.attrs_ = new List(data.nodes.attrs)
  }

  get names() {
    if (this.names_) return this.names_
    const { shared, names } = this.nodes
    let last = ''
    return this.names_ = names.map((rest, i) => last = shared[i] ? last.slice(0, shared[i]) + rest : rest)
  }

  // named are the names of the nodes, and typed these with their operations.
  get named() { return this.named_ ||= new Set(this.names) }
  get typed() { return this.typed_ ||= new Set(this.names.map((name, i) => name + ' ' + this.op(i))) }

  // back are the inputs that close loops, by node.
  get back() {
    if (this.back_) return this.back_
    const all = this.nodes.back, found = this.back_ = new Map()
    for (let k = 0; k < all.length; k += 2) {
      if (!found.has(all[k])) found.set(all[k], [])
      found.get(all[k]).push(all[k + 1])
    }
    return found
  }

  // called are the functions that nodes call, by node.
  get called() {
    if (this.called_) return this.called_
    const all = this.nodes.calls, found = this.called_ = new Map()
    for (let k = 0; k < all.length; k += 2) {
      if (all[k + 1] < 0) continue
      if (!found.has(all[k])) found.set(all[k], [])
      found.get(all[k]).push(this.model.graphs[all[k + 1]])
    }
    return found
  }

  name(i) { return this.names[i] }
  op(i) { return this.model.texts[this.nodes.ops[i]] }
  device(i) { return this.model.texts[this.nodes.devices[i]] }
  frame(i) { return this.nodes.frames[i] }
  numInputs(i) { return this.inputs_.count(i) / 2 }
  input(i, k) {
    const back = this.back.get(i)
    return { node: this.inputs_.at(i, 2 * k), port: this.inputs_.at(i, 2 * k + 1), back: back !== undefined && back.includes(k) }
  }
  controls(i) { return this.controls_.of(i) }
  output(i, k) { return k < this.outputs_.count(i) ? this.model.texts[this.outputs_.at(i, k)] : '' }
  outputs(i) { return this.outputs_.of(i).map(t => this.model.texts[t]) }
  calls(i) { return this.called.get(i) || NONE }

  attrs(i) {
    const list = this.attrs_.of(i), found = []
    for (let k = 0; k < list.length; k += 2) found.push([this.model.texts[list[k]], this.model.texts[list[k + 1]]])
    return found
  }

  // value is a summary of the elements of a constant or variable.
  value(i) {
    const { of, all } = this.data.values
    for (let k = 0; of && k < of.length; k += 2) if (of[k] === i) return all[of[k + 1]]
  }

  // edges are those between nodes of the graph, as parallel arrays.
  get edges() {
    if (this.edges_) return this.edges_
    const ins = this.inputs_, controls = this.controls_, most = ins.all.length / 2 + controls.all.length
    const from = new Int32Array(most), to = new Int32Array(most), port = new Int32Array(most), slot = new Int32Array(most) // a port of -1 is a control edge
    const back = new Set()
    let size = 0
    for (let i = 0; i < this.size; i++) {
      const closes = this.back.get(i)
      for (let k = ins.starts[i]; k < ins.starts[i + 1]; k += 2) {
        if (ins.all[k] < 0) continue
        slot[size] = (k - ins.starts[i]) / 2
        if (closes && closes.includes(slot[size])) back.add(size)
        from[size] = ins.all[k]; to[size] = i; port[size++] = ins.all[k + 1]
      }
      for (let k = controls.starts[i]; k < controls.starts[i + 1]; k++) {
        if (controls.all[k] < 0) continue
        from[size] = controls.all[k]; to[size] = i; port[size] = -1; slot[size++] = -1
      }
    }
    return this.edges_ = { from, to, port, slot, back, size }
  }

  // leaving lists the edges that leave nodes: those of node i are at places starts[i] to
  // starts[i + 1] of all.
  get leaving() {
    if (this.leaving_) return this.leaving_
    const e = this.edges, starts = new Int32Array(this.size + 1), all = new Int32Array(e.size)
    for (let k = 0; k < e.size; k++) starts[e.from[k] + 1]++
    for (let i = 0; i < this.size; i++) starts[i + 1] += starts[i]
    const next = starts.slice()
    for (let k = 0; k < e.size; k++) all[next[e.from[k]]++] = k
    return this.leaving_ = { starts, all }
  }

  consumers(i) { return this.leaving.all.subarray(this.leaving.starts[i], this.leaving.starts[i + 1]) }

  // order lists the nodes such that edges lead to later ones but for those that close loops.
  get order() {
    if (this.order_) return this.order_
    const n = this.size, waits = new Int32Array(n), e = this.edges, { starts, all } = this.leaving
    for (let k = 0; k < e.size; k++) if (!e.back.has(k)) waits[e.to[k]]++
    const order = new Int32Array(n), placed = new Uint8Array(n)
    let size = 0
    const put = i => { order[size++] = i; placed[i] = 1 }
    for (let i = 0; i < n; i++) if (waits[i] === 0) put(i)
    for (let k = 0; k < size; k++) {
      for (let at = starts[order[k]]; at < starts[order[k] + 1]; at++) {
        const edge = all[at]
        if (!e.back.has(edge) && --waits[e.to[edge]] === 0) put(e.to[edge])
      }
    }
    for (let i = 0; i < n; i++) if (!placed[i]) put(i)
    return this.order_ = order
  }
}

const NONE = Object.freeze([])

// A List is a column of which nodes have any number of elements.
class List {
  constructor({ n, all }) {
    this.all = all
    const starts = this.starts = new Int32Array(n.length + 1)
    for (let i = 0; i < n.length; i++) starts[i + 1] = starts[i] + n[i]
  }

  count(i) { return this.starts[i + 1] - this.starts[i] }
  at(i, k) { return this.all[this.starts[i] + k] }
  of(i) { return this.all.slice(this.starts[i], this.starts[i + 1]) }
}
