// The data of the page as objects: graphs, nodes, what consumes what.

const NAME = 0, OP = 1, DEVICE = 2, FRAME = 3, INPUTS = 4, CONTROLS = 5, BACK = 6, OUTPUTS = 7, ATTRS = 8, CALLS = 9

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
    this.rows = data.nodes
    this.frames = data.frames || []
    this.size = data.nodes.length
  }

  // named are the names of the nodes.
  get named() { return this.names_ ||= new Set(this.rows.map(r => r[NAME])) }
  name(i) { return this.rows[i][NAME] }
  op(i) { return this.model.texts[this.rows[i][OP]] }
  device(i) { return this.model.texts[this.rows[i][DEVICE]] }
  frame(i) { return this.rows[i][FRAME] }
  numInputs(i) { return this.rows[i][INPUTS].length / 2 }
  input(i, k) { return { node: this.rows[i][INPUTS][2 * k], port: this.rows[i][INPUTS][2 * k + 1], back: this.rows[i][BACK].includes(k) } }
  controls(i) { return this.rows[i][CONTROLS] }
  outputs(i) { return this.rows[i][OUTPUTS].map(t => this.model.texts[t]) }
  calls(i) { return this.rows[i][CALLS].filter(c => c >= 0).map(c => this.model.graphs[c]) }

  attrs(i) {
    const list = this.rows[i][ATTRS], found = []
    for (let k = 0; k < list.length; k += 2) found.push([this.model.texts[list[k]], this.model.texts[list[k + 1]]])
    return found
  }

  value(i) { return (this.data.values || []).find(v => v.node === i) }

  // edges are those between nodes of the graph, as parallel arrays.
  get edges() {
    if (this.found) return this.found
    const from = [], to = [], port = [], slot = [] // a port of -1 is a control edge
    const back = new Set()
    this.rows.forEach((row, i) => {
      const ins = row[INPUTS]
      for (let k = 0; k < ins.length; k += 2) {
        if (ins[k] < 0) continue
        if (row[BACK].includes(k / 2)) back.add(from.length)
        from.push(ins[k]); to.push(i); port.push(ins[k + 1]); slot.push(k / 2)
      }
      for (const c of row[CONTROLS]) if (c >= 0) { from.push(c); to.push(i); port.push(-1); slot.push(-1) }
    })
    return this.found = { from, to, port, slot, back, size: from.length }
  }

  // consumers lists, by node, the edges that leave it.
  get consumers() {
    if (this.leaving) return this.leaving
    const all = this.leaving = Array.from({ length: this.size }, () => [])
    const e = this.edges
    for (let k = 0; k < e.size; k++) all[e.from[k]].push(k)
    return all
  }

  // order is a place for each node, such that edges lead to later places but for those
  // that close loops.
  get order() {
    if (this.places) return this.places
    const waits = new Int32Array(this.size), place = new Int32Array(this.size).fill(-1), e = this.edges
    for (let k = 0; k < e.size; k++) if (!e.back.has(k)) waits[e.to[k]]++
    const ready = []
    for (let i = 0; i < this.size; i++) if (waits[i] === 0) ready.push(i)
    let next = 0
    for (let k = 0; k < ready.length; k++) {
      place[ready[k]] = next++
      for (const c of this.consumers[ready[k]]) if (!e.back.has(c) && --waits[e.to[c]] === 0) ready.push(e.to[c])
    }
    for (let i = 0; i < this.size; i++) if (place[i] < 0) place[i] = next++
    return this.places = place
  }
}
