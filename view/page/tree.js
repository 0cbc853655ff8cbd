// The boxes of a graph: name scopes, frames or devices within one another, nodes as leaves.

// No box shows more than this many items at once: more are divided into runs, in the
// order in which they execute.
const MOST = 80
// Scopes are told apart down to this depth.
const DEEPEST = 40
const NONE = Object.freeze([])

export class Tree {
  // A tree of a graph. Within is the item whose function's body the graph is, or null.
  constructor(graph, by, within) {
    this.graph = graph
    this.by = by
    this.within = within
    this.root = new Item(this, null, graph.title, graph.title, 'graph')
    this.root.open = true
    this.leafOf = new Array(graph.size)
    this.build()
  }

  // build adds the nodes in an order of execution, in which the children of a box thus are.
  build() {
    const { graph, root } = this, { names } = graph, scopes = scopesOf(graph), boxes = new Map()
    const add = (parent, key, label, kind) => {
      const box = new Item(this, parent, key, label, kind)
      parent.children.push(box)
      return box
    }
    // outer is the box of a frame or device, and inner that of a scope in it.
    const outer = (parent, key, label, kind) => {
      if (!boxes.has(key)) boxes.set(key, add(parent, key, label, kind))
      return boxes.get(key)
    }
    const framed = f => {
      const chain = []
      for (; f > 0 && chain.length < DEEPEST; f = graph.frames[f][1]) chain.push(f)
      return chain.reduceRight((at, f) => outer(at, 'frame ' + f, 'frame ' + graph.frames[f][0], 'frame'), root)
    }
    const within = {
      scope: () => root,
      frame: i => framed(graph.frame(i)),
      device: i => { const device = graph.device(i) || 'no device'; return outer(root, 'device ' + device, device, 'device') },
    }[this.by]
    const inner = (outside, scope) => {
      if (!scope.above) return outside
      const known = outside.scopes ||= new Map()
      let box = known.get(scope)
      if (!box) known.set(scope, box = add(inner(outside, scope.above), scope.label, scope.label, 'scope'))
      return box
    }
    for (const i of graph.order) {
      const scope = scopes[i], outside = within(i), name = names[i], label = scope.end ? name.slice(scope.end) : name
      const same = scope.inner && scope.inner.get(label) // a node named as a scope is in it
      const at = inner(outside, same || scope), leaf = new Item(this, at, '', label || name, 'leaf')
      leaf.node = i
      this.leafOf[i] = leaf
      at.children.push(leaf)
    }
    this.shape()
  }

  // shape merges scopes that have nothing but another scope, divides large boxes, and
  // numbers the leaves so that those of a box are consecutive.
  shape() {
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
      box.count = 0
      for (const c of box.children) box.count += c.count
      this.divide(box)
    }
    this.leaves = []
    this.position = new Int32Array(this.graph.size)
    const visit = [this.root], left = []
    while (visit.length) {
      const at = visit.pop()
      at.from = this.leaves.length
      if (at.kind === 'leaf') {
        at.to = at.from + 1
        this.position[at.node] = at.from
        this.leaves.push(at)
      } else { left.push(at); for (let i = at.children.length - 1; i >= 0; i--) visit.push(at.children[i]) }
    }
    for (const box of left) box.to = box.from + box.count
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
      const run = new Item(this, box, '#' + part[0].own, part[0].label + ' \u2026 ' + part[part.length - 1].label, 'run')
      run.children = part
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
    const found = new Map(), g = this.graph, e = g.edges, { starts, all } = g.leaving
    const child = new Int32Array(box.to - box.from)
    box.children.forEach((c, i) => child.fill(i, c.from - box.from, c.to - box.from))
    for (let at = box.from; at < box.to; at++) {
      const { node } = this.leaves[at]
      for (let i = starts[node]; i < starts[node + 1]; i++) {
        const k = all[i], target = this.position[e.to[k]]
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

// scopesOf returns the scope of each node: the one that it is in, its label, where in a name
// it ends, and the scopes in it by their labels.
function scopesOf(graph) {
  const { names } = graph, { shared } = graph.nodes, top = { above: null, label: '', end: 0, inner: null }, found = new Array(names.length)
  let last = -1
  for (let i = 0; i < names.length; i++) {
    const name = names[i], slash = name.lastIndexOf('/')
    if (i && slash === last && shared[i] > slash) { found[i] = found[i - 1]; continue }
    let at = top
    for (let depth = 0; depth < DEEPEST; depth++) {
      const end = name.indexOf('/', at.end)
      if (end < 0) break
      const label = name.slice(at.end, end), inner = at.inner ||= new Map()
      let next = inner.get(label)
      if (!next) inner.set(label, next = { above: at, label, end: end + 1, inner: null })
      at = next
    }
    found[i] = at
    last = slash
  }
  return found
}

function join(found, key, from, to, g, k) {
  const e = g.edges
  let p = found.get(key)
  if (!p) found.set(key, p = { from, to, count: 0, control: true, back: true, text: '' })
  p.count++
  if (e.port[k] >= 0) {
    const text = g.output(e.from[k], e.port[k])
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
  // An item that is made in another, or for the root of a tree in none.
  constructor(tree, made, key, label, kind) {
    this.tree = tree
    this.made = made
    this.parent = made
    this.key = key
    this.label = label
    this.kind = kind // graph, scope, frame, device, run, leaf
    this.children = kind === 'leaf' ? NONE : []
    this.count = 1 // nodes in it
    this.from = 0 // its leaves are from here to to
    this.to = 0
    this.node = -1
    this.open = false
    this.dirty = true
    this.bodies = null // of a leaf that calls functions: their trees, once it was opened
    this.id_ = ''
  }

  // id tells the item from others, and is the same in each tree that has it. It does not
  // depend on which boxes were merged and divided.
  get id() {
    if (this.id_) return this.id_
    const { tree, made } = this
    if (!made) return tree.within ? this.id_ = tree.within.id + '\u21d2' + this.key : ''
    return this.id_ = made.id + '\u203a' + this.own
  }

  get own() { return this.kind === 'leaf' ? ':' + this.tree.graph.name(this.node) : this.key }

  get foldable() { return this.kind !== 'leaf' || this.tree.graph.calls(this.node).length > 0 }

  // parts are what an open item shows within it.
  get parts() {
    if (!this.open) return NONE
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
