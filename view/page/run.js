// A recorded run: what acted when, and the tokens between that.

const STEP = 0, NODE = 1, TAG = 2, DEAD = 3, PORT = 4, AT = 5, DONE = 6, BEGIN = 7, END = 8, THREAD = 9, IN = 10
const ALL = -1

// Kinds of nodes that move tokens between iterations.
const ENTER = 1, EXIT = 2, NEXT = 3
const kinds = { Enter: ENTER, RefEnter: ENTER, Exit: EXIT, RefExit: EXIT, NextIteration: NEXT, RefNextIteration: NEXT }

export class Run {
  constructor(model, data, index) {
    this.model = model
    this.data = data
    this.index = index
    this.title = data.title
    this.engine = data.engine
    this.steps = data.steps
    this.events = data.events
    this.size = data.events.length
    this.moments = data.moments
    this.tags = data.tags
    this.left = data.left || 0
    this.failed = new Set(data.steps.map(s => s.failed).filter(e => e >= 0))
    // What happens in each moment: an event that begins, or the end of one that took longer.
    this.at = new Int32Array(this.moments)
    this.ends = new Uint8Array(this.moments)
    this.events.forEach((e, i) => {
      this.at[e[AT]] = i
      if (e[DONE] > e[AT]) { this.at[e[DONE]] = i; this.ends[e[DONE]] = 1 }
    })
    this.depths = this.steps.map(() => 0)
    this.steps.forEach((s, i) => { if (s.caller >= 0) this.depths[i] = this.depths[this.events[s.caller][STEP]] + 1 })
  }

  step(e) { return this.events[e][STEP] }
  graph(e) { return this.graphOf(this.step(e)) }
  graphOf(step) { return this.model.graphs[this.steps[step].graph] }
  node(e) { return this.events[e][NODE] }
  name(e) { return this.graph(e).name(this.node(e)) }
  op(e) { return this.graph(e).op(this.node(e)) }
  tag(e) { return this.events[e][TAG] }
  dead(e) { return this.events[e][DEAD] === 1 }
  port(e) { return this.events[e][PORT] }
  begun(e) { return this.events[e][AT] }
  done(e) { return this.events[e][DONE] }
  begin(e) { return this.events[e][BEGIN] }
  end(e) { return this.events[e][END] }
  thread(e) { return this.events[e][THREAD] }
  value(e, k) { const list = this.events[e][IN]; return list && k < list.length ? this.data.texts[list[k]] : '' }
  index_(tag) { return this.tags[tag][2] }

  // tagText names an iteration: "outer[2]/inner[0]", "" outside of loops.
  tagText(tag) {
    let text = ''
    for (; tag > 0; tag = this.tags[tag][0]) text = `${this.tags[tag][1]}[${this.tags[tag][2]}]` + (text ? '/' + text : '')
    return text
  }

  // id names an event as schedules do.
  id(e) { const t = this.tagText(this.tag(e)); return this.name(e) + (t ? '@' + t : '') }

  // stack lists the events that call the step of an event, the innermost first.
  stack(e) {
    const list = []
    for (let s = this.steps[this.step(e)]; s.caller >= 0; s = this.steps[this.step(s.caller)]) list.push(s.caller)
    return list
  }

  // cause is the event for which an event is dead: that which chose another of its outputs,
  // -1 if none is recorded.
  cause(e) {
    const dead = new Map()
    for (const t of this.tokens) if (!t.live && t.to >= 0 && !dead.has(t.to)) dead.set(t.to, t.from)
    for (const seen = new Set(); e !== undefined && this.dead(e) && !seen.has(e);) { seen.add(e); e = dead.get(e) }
    return e === undefined || this.dead(e) ? -1 : e
  }

  // costs are the times of kernels by node and by frame, each {graph, node or frame, count,
  // iterations, time}, the longest first.
  get costs() {
    if (this.summed) return this.summed
    const nodes = new Map(), frames = new Map()
    this.events.forEach((_, e) => {
      const key = this.steps[this.step(e)].graph + ' ' + this.node(e), time = this.end(e) - this.begin(e)
      const n = nodes.get(key) || { graph: this.graph(e), node: this.node(e), count: 0, time: 0 }
      nodes.set(key, n)
      n.count++
      n.time += time
      if (this.tag(e) === 0) return
      const frame = this.tags[this.tag(e)][1], f = frames.get(frame) || { frame, count: 0, time: 0, tags: new Set() }
      frames.set(frame, f)
      f.count++
      f.time += time
      f.tags.add(this.tag(e))
    })
    const sorted = all => [...all.values()].sort((a, b) => b.time - a.time || b.count - a.count)
    return this.summed = { nodes: sorted(nodes), frames: sorted(frames) }
  }

  // tokens are {from, to, a, b, port, slot, live, sent, taken, text, step}: events (to is -1
  // if no consumer acted), nodes, the output and the input (-1 of control edges), moments.
  get tokens() {
    if (this.found) return this.found
    const found = this.found = []
    const tags = this.tags.length, children = Array.from({ length: tags }, () => new Map())
    for (let t = 1; t < tags; t++) {
      const [parent, frame, index] = this.tags[t], of = children[parent]
      if (!of.has(frame)) of.set(frame, [])
      of.get(frame)[index] = t
    }
    const sibling = (t, d) => { const [parent, frame, index] = this.tags[t]; const all = children[parent].get(frame); return all && all[index + d] !== undefined ? all[index + d] : -1 }
    const facts = new Map() // by graph
    const factsOf = g => {
      let f = facts.get(g)
      if (!f) {
        f = { kind: Uint8Array.from({ length: g.size }, (_, i) => kinds[g.op(i)] || 0), constant: new Set(g.data.constant || []) }
        facts.set(g, f)
      }
      return f
    }
    const sizes = this.steps.map((_, s) => this.graphOf(s).size)
    const base = []
    sizes.reduce((sum, n, s) => { base[s] = sum; return sum + n }, 0)
    const place = (s, node, tag) => (base[s] + node) * tags + tag
    const events = new Map(), left = new Map() // events by place; Exits by where they send to
    this.events.forEach((e, i) => {
      events.set(place(e[STEP], e[NODE], e[TAG]), i)
      if (factsOf(this.graphOf(e[STEP])).kind[e[NODE]] === EXIT && e[TAG] > 0) {
        const key = place(e[STEP], e[NODE], this.tags[e[TAG]][0])
        if (!left.has(key) || !e[DEAD] || this.events[left.get(key)][DEAD]) left.set(key, i)
      }
    })
    // producer is the event that sent to an event over an edge, or -1.
    const producer = (s, f, a, tag) => {
      let at = tag
      switch (f.kind[a]) {
        case ENTER:
          if (tag === 0 || !f.constant.has(a) && this.index_(tag) > 0) return -1
          at = this.tags[tag][0]
          break
        case NEXT:
          if (tag === 0 || (at = sibling(tag, -1)) < 0) return -1
          break
        case EXIT: {
          const e = left.get(place(s, a, tag))
          return e === undefined ? -1 : e
        }
      }
      const e = events.get(place(s, a, at))
      return e === undefined ? -1 : e
    }
    const alive = (e, port) => !this.dead(e) && (port < 0 || this.port(e) === ALL || this.port(e) === port)
    // A loop invariant comes to an iteration when that begins.
    const begins = new Map()
    this.events.forEach(e => { const key = e[STEP] * tags + e[TAG]; if (!begins.has(key)) begins.set(key, e[AT]) })
    const push = (from, to, a, b, port, slot, live, text) => {
      let sent = this.done(from)
      if (to >= 0 && this.tag(to) !== this.tag(from) && this.index_(this.tag(to)) > 0 && factsOf(this.graph(from)).constant.has(a)) sent = Math.max(sent, begins.get(this.step(to) * tags + this.tag(to)))
      if (sent < 0 || this.failed.has(from)) return
      found.push({ from, to, a, b, port, slot, live, sent, taken: to < 0 ? Infinity : Math.max(this.begun(to), sent), text, step: this.step(from) })
    }
    this.events.forEach((e, i) => {
      const s = e[STEP], g = this.graphOf(s), f = factsOf(g), b = e[NODE]
      for (let k = 0; k < g.numInputs(b); k++) {
        const { node: a, port } = g.input(b, k)
        if (a < 0) continue
        const p = producer(s, f, a, e[TAG])
        if (p < 0) continue
        const live = alive(p, port)
        if (!live && f.kind[a] === NEXT) continue
        push(p, i, a, b, port, k, live, this.value(i, k))
      }
      for (const a of g.controls(b)) {
        const p = a < 0 ? -1 : producer(s, f, a, e[TAG])
        if (p >= 0) push(p, i, a, b, -1, -1, !this.dead(p), '')
      }
    })
    // What was sent and not taken.
    this.events.forEach((e, i) => {
      const s = e[STEP], g = this.graphOf(s), f = factsOf(g), a = e[NODE], edges = g.edges
      for (const k of g.consumers(a)) {
        const b = edges.to[k], port = edges.port[k], live = alive(i, port)
        let at = e[TAG]
        if (f.kind[a] === ENTER) {
          const of = children[at].get((g.frames[g.frame(a)] || [])[0])
          at = of && of[0] !== undefined ? of[0] : -1
        } else if (f.kind[a] === NEXT) {
          if (!live) continue
          at = sibling(at, 1)
        } else if (f.kind[a] === EXIT) {
          if (!live) continue
          at = this.tags[at][0]
        }
        if (at >= 0 && events.has(place(s, b, at))) continue
        if (this.left) continue // the consumer may not have been kept
        push(i, -1, a, b, port, edges.slot[k], live, '')
      }
    })
    return found
  }

  // flight returns the tokens that are under way after so many moments.
  flight(m) { return this.tokens.filter(t => t.sent < m && t.taken >= m) }

  // running returns the events that have begun and not ended.
  running(m) {
    const list = []
    for (let i = 0; i < this.size && this.begun(i) < m; i++) if (this.done(i) < 0 || this.done(i) >= m) list.push(i)
    return list
  }

  // executions are the events of a node.
  executions(graph, node) {
    const list = []
    for (let i = 0; i < this.size; i++) if (this.node(i) === node && this.graph(i) === graph) list.push(i)
    return list
  }

  // times are the nanoseconds that the nodes of a graph took.
  times(graph) {
    const all = new Float64Array(graph.size)
    for (let i = 0; i < this.size; i++) if (this.graph(i) === graph) all[this.node(i)] += this.end(i) - this.begin(i)
    return all
  }

  get duration() { return this.events.reduce((most, e) => Math.max(most, e[END]), 0) }
}

// parting returns the first moments in which two runs differ: in who acts, in which
// iteration, dead or with other values; or where one of them ends.
export function parting(a, b) {
  const most = Math.min(a.moments, b.moments)
  for (let m = 0; m < most; m++) {
    const x = a.at[m], y = b.at[m]
    if (a.ends[m] !== b.ends[m] || a.id(x) !== b.id(y)) return { moment: m, why: 'order' }
    if (a.dead(x) !== b.dead(y)) return { moment: m, why: 'deadness' }
    const n = a.graph(x).numInputs(a.node(x)) || 1
    for (let k = 0; k < n; k++) if (a.value(x, k) !== b.value(y, k)) return { moment: m, why: 'values' }
  }
  return a.moments === b.moments ? null : { moment: most, why: 'length' }
}

// short is a value's text without its type, and without the shape if elements are known.
export function short(text, most) {
  const m = /^(\S+)(?: (\[[\d,]*\]))?(?: (.*))?$/s.exec(text)
  if (!m) return text
  const s = m[3] || m[2] || m[1]
  return s.length > most ? s.slice(0, most - 1) + '\u2026' : s
}

export function nanos(n) {
  if (n < 1000) return n + ' ns'
  if (n < 1e6) return +(n / 1e3).toPrecision(3) + ' \u00b5s'
  if (n < 1e9) return +(n / 1e6).toPrecision(3) + ' ms'
  return +(n / 1e9).toPrecision(3) + ' s'
}
