// The boxes of a graph: name scopes, frames or devices within one another, nodes as leaves.

// No box shows more than this many items at once: more are divided into runs, in the
// order in which they execute.
const MOST = 80
// Scopes are told apart down to this depth.
const DEEPEST = 40

export class Tree {
  // A tree of a graph. Within is the item whose function's body the graph is, or null.
  constructor(graph, by, within) {
    this.graph = graph
    this.by = by
    this.within = within
    this.root = new Item(this, within ? within.id + '\u21d2' + graph.title : '', graph.title, 'graph', null)
    this.root.open = true
    this.leafOf = new Array(graph.size)
    this.build()
  }

  build() {
    const { graph, root } = this
    const scopes = new Set()
    for (let i = 0; i < graph.size; i++) {
      const name = graph.name(i), end = name.lastIndexOf('/')
      if (end > 0 && !scopes.has(name.slice(0, end))) for (let at = name.indexOf('/'), depth = 0; at >= 0 && depth < DEEPEST; at = name.indexOf('/', at + 1), depth++) scopes.add(name.slice(0, at))
    }
    const boxes = new Map()
    const into = (parent, key, label, kind) => {
      const id = parent.id + '\u203a' + key
      let box = boxes.get(id)
      if (!box) {
        box = new Item(this, id, label, kind, parent)
        parent.children.push(box)
        boxes.set(id, box)
      }
      return box
    }
    for (let i = 0; i < graph.size; i++) {
      let at = root
      if (this.by === 'frame') {
        const chain = []
        for (let f = graph.frame(i); f > 0 && chain.length < DEEPEST; f = graph.frames[f][1]) chain.push(f)
        for (const f of chain.reverse()) at = into(at, 'frame ' + f, 'frame ' + graph.frames[f][0], 'frame')
      } else if (this.by === 'device') {
        const device = graph.device(i) || 'no device'
        at = into(at, 'device ' + device, device, 'device')
      }
      const name = graph.name(i), last = name.lastIndexOf('/') + 1
      const outside = at, known = outside.inner ||= new Map(), scope = name.slice(0, last)
      let begin = 0
      const same = known.get(scope)
      if (same) [at, begin] = same
      else for (let depth = 0; depth < DEEPEST; depth++) {
        const end = name.indexOf('/', begin)
        if (end < 0) break
        at = into(at, name.slice(begin, end), name.slice(begin, end), 'scope')
        begin = end + 1
      }
      if (!same) known.set(scope, [at, begin])
      if (scopes.has(name)) at = into(at, name.slice(begin), name.slice(begin), 'scope') // a node named as a scope is in it
      const leaf = new Item(this, at.id + '\u203a:' + name, name.slice(begin) || name, 'leaf', at)
      leaf.node = i
      this.leafOf[i] = leaf
      at.children.push(leaf)
    }
    this.shape()
  }

  // shape merges scopes that have nothing but another scope, divides large boxes, and
  // numbers the leaves so that those of a box are consecutive.
  shape() {
    const order = this.graph.order
    const all = [this.root]
    for (let k = 0; k < all.length; k++) {
      const box = all[k]
      while (box !== this.root && box.children.length === 1 && box.children[0].kind === 'scope' && box.kind === 'scope') {
        box.label += '/' + box.children[0].label
        box.children = box.children[0].children
        for (const c of box.children) c.parent = box
      }
      for (const c of box.children) if (c.kind !== 'leaf') all.push(c)
    }
    for (let k = all.length - 1; k >= 0; k--) {
      const box = all[k]
      box.first = Infinity
      box.count = 0
      for (const c of box.children) {
        if (c.kind === 'leaf') { c.first = order[c.node]; c.count = 1 }
        box.first = Math.min(box.first, c.first)
        box.count += c.count
      }
      box.children.sort((a, b) => a.first - b.first)
      this.divide(box)
    }
    this.leaves = []
    const visit = [this.root]
    const left = []
    while (visit.length) {
      const at = visit.pop()
      at.from = this.leaves.length
      if (at.kind === 'leaf') this.leaves.push(at)
      else { left.push(at); for (let i = at.children.length - 1; i >= 0; i--) visit.push(at.children[i]) }
    }
    for (const box of left) box.to = box.from + box.count
    for (const leaf of this.leaves) leaf.to = leaf.from + 1
    this.position = new Int32Array(this.graph.size)
    for (const leaf of this.leaves) this.position[leaf.node] = leaf.from
  }

  // divide puts the children of a box that has too many into runs of the same length, and
  // divides these.
  divide(box) {
    const all = box.children
    if (all.length <= MOST) return
    let each = MOST
    while (Math.ceil(all.length / each) > MOST) each *= MOST
    each = Math.ceil(all.length / Math.ceil(all.length / each))
    box.children = []
    for (let k = 0; k < all.length; k += each) {
      const part = all.slice(k, k + each)
      const run = new Item(this, box.id + '\u203a#' + part[0].id.slice(box.id.length), part[0].label + ' \u2026 ' + part[part.length - 1].label, 'run', box)
      run.children = part
      run.first = part[0].first
      run.count = 0
      for (const c of part) { c.parent = run; run.count += c.count }
      box.children.push(run)
      this.divide(run)
    }
  }

  // pairs are what joins the children of a box: an array of {from, to, count, control,
  // back, text}. It is computed once.
  pairs(box) {
    if (box.joined) return box.joined
    const found = new Map(), g = this.graph, e = g.edges
    const child = new Int32Array(box.to - box.from)
    box.children.forEach((c, i) => child.fill(i, c.from - box.from, c.to - box.from))
    for (let at = box.from; at < box.to; at++) {
      for (const k of g.consumers[this.leaves[at].node]) {
        const target = this.position[e.to[k]]
        if (target < box.from || target >= box.to) continue
        const a = child[at - box.from], b = child[target - box.from]
        if (a === b) continue
        join(found, a * box.children.length + b, box.children[a], box.children[b], g, k)
      }
    }
    return box.joined = [...found.values()]
  }

  // visible returns the edges between the items that are shown now.
  visible() {
    const g = this.graph, e = g.edges, shown = []
    const at = new Int32Array(g.size)
    const visit = [this.root]
    while (visit.length) {
      const item = visit.pop()
      if (item.kind !== 'leaf' && item.open) { visit.push(...item.children); continue }
      at.fill(shown.length, item.from, item.to)
      shown.push(item)
    }
    const found = new Map()
    for (let k = 0; k < e.size; k++) {
      const a = at[this.position[e.from[k]]], b = at[this.position[e.to[k]]]
      if (a !== b || e.back.has(k) && shown[a].kind === 'leaf') join(found, a * shown.length + b, shown[a], shown[b], g, k)
    }
    return [...found.values()]
  }

  // reveal opens what a node is in.
  reveal(node) {
    const leaf = this.leafOf[node]
    for (let at = leaf.parent; at; at = at.parent) at.setOpen(true)
    for (let at = this.within; at; at = at.parent) at.setOpen(true)
    return leaf
  }
}

function join(found, key, from, to, g, k) {
  const e = g.edges
  let p = found.get(key)
  if (!p) found.set(key, p = { from, to, count: 0, control: true, back: true, text: '' })
  p.count++
  if (e.port[k] >= 0) {
    const text = g.outputs(e.from[k])[e.port[k]] || ''
    if (p.control) p.text = text
    else if (p.text !== text) p.text = null
    p.control = false
  }
  if (!e.back.has(k)) p.back = false
}

// label is what is written on an edge.
export function label(p) {
  if (p.control) return ''
  if (p.count === 1) return p.text
  return p.text ? p.count + ' \u00d7 ' + p.text : p.count + ' tensors'
}

export class Item {
  constructor(tree, id, label, kind, parent) {
    this.tree = tree
    this.id = id
    this.label = label
    this.kind = kind // graph, scope, frame, device, run, leaf
    this.parent = parent
    this.children = []
    this.open = false
    this.dirty = true
    this.bodies = null // of a leaf that calls functions: their trees, once it was opened
  }

  get foldable() { return this.kind !== 'leaf' || this.tree.graph.calls(this.node).length > 0 }

  // parts are what an open item shows within it.
  get parts() {
    if (!this.open) return []
    if (this.kind !== 'leaf') return this.children
    return this.bodies.map(b => b.root)
  }

  setOpen(open) {
    if (this.open === open || !this.foldable) return
    if (open && this.kind === 'leaf' && !this.bodies) this.bodies = this.tree.graph.calls(this.node).map(g => new Tree(g, this.tree.by, this))
    this.open = open
    this.touch()
  }

  // touch has the layout of the item, and of what it is in, computed again.
  touch() {
    for (let at = this; at; at = at.above) at.dirty = true
  }

  // above is what the item is drawn in.
  get above() { return this.parent || this.tree.within }
}
