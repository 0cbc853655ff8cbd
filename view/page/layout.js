// Sizes and places of items. The children of a box are laid out on their own, so that a
// change concerns the box in which it happens and those around it.

import { Graph, layout as place } from './dagre/dagre.esm.js'
import { label } from './tree.js'

const HEIGHT = 34, HEAD = 24, PAD = 14
const MOST_SPANS = 300
const widths = new Map()

function width(text, size) {
  let w = 0
  for (const c of text) w += c > '\u2e80' ? size : 'ilj.,:;|!\'/[]()t'.includes(c) ? size * 0.36 : c >= 'A' && c <= 'Z' || c === 'm' || c === 'w' ? size * 0.76 : size * 0.6
  return w
}

export function shorten(text, most) { return text.length > most ? text.slice(0, most - 1) + '\u2026' : text }

// layout gives an item, and all within it that changed, w and h, and its parts x and y
// in it (their upper left corners).
export function layout(root) {
  const queue = [root], order = []
  while (queue.length) {
    const at = queue.pop()
    if (!at.dirty) continue
    order.push(at)
    queue.push(...at.parts)
  }
  for (const at of order.reverse()) {
    if (at.open) arrange(at)
    else size(at)
    at.dirty = false
  }
}

function size(at) {
  let w = widths.get(at)
  if (!w) widths.set(at, w = Math.max(width(shorten(at.label, 32), 12), width(below(at), 10.5)) + (at.foldable ? 34 : 18))
  at.w = w
  at.h = HEIGHT
}

// below is the second line of a folded item.
export function below(at) {
  if (at.kind !== 'leaf') return at.count + (at.count === 1 ? ' node' : ' nodes')
  return shorten(at.tree.graph.op(at.node), 34)
}

function arrange(at) {
  const parts = at.parts
  const pairs = at.kind === 'leaf' ? [] : at.tree.pairs(at)
  at.routes = new Map()
  const joined = new Set()
  for (const p of pairs) { joined.add(p.from); joined.add(p.to) }
  let w = 0, h = 0
  if (joined.size) {
    const few = pairs.length <= 150, ends = few && spans(at, parts, pairs) <= MOST_SPANS ? dagre(at, parts, pairs, joined, few) : layers(parts, pairs, joined)
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity
    const extend = (x, y) => { left = Math.min(left, x); top = Math.min(top, y); right = Math.max(right, x); bottom = Math.max(bottom, y) }
    for (const c of parts) if (joined.has(c)) { extend(c.x, c.y); extend(c.x + c.w, c.y + c.h) }
    for (const [p, points] of ends) {
      for (const [x, y] of points) extend(x, y)
      at.routes.set(key(p.from, p.to), points)
    }
    for (const c of parts) if (joined.has(c)) { c.x -= left; c.y -= top }
    for (const points of new Set(at.routes.values())) for (const q of points) { q[0] -= left; q[1] -= top }
    w = right - left
    h = bottom - top
  }
  const alone = parts.filter(c => !joined.has(c))
  if (alone.length) { // in rows
    const area = alone.reduce((sum, c) => sum + (c.w + 18) * (c.h + 14), 0)
    const most = Math.max(w, Math.sqrt(area) * 1.5, ...alone.map(c => c.w))
    let x = 0, y = h ? h + 22 : 0, row = 0
    for (const c of alone) {
      if (x && x + c.w > most) { x = 0; y += row + 14; row = 0 }
      c.x = x
      c.y = y
      x += c.w + 18
      row = Math.max(row, c.h)
      w = Math.max(w, c.x + c.w)
    }
    h = y + row
  }
  const head = at.above ? HEAD : 0
  for (const c of parts) { c.x += PAD; c.y += PAD + head }
  for (const points of new Set(at.routes.values())) for (const q of points) { q[0] += PAD; q[1] += PAD + head }
  at.w = Math.max(w + 2 * PAD, head ? width(shorten(at.label, 60), 12) + 40 : 0)
  at.h = h + 2 * PAD + head
}

// dagre has the library place parts, and returns the points of each pair's edge.
function dagre(at, parts, pairs, joined, few) {
  const g = new Graph({ multigraph: false })
  g.setGraph({ rankdir: 'TB', nodesep: 18, ranksep: few ? 34 : 26, edgesep: 8, ranker: few ? 'network-simplex' : 'longest-path', marginx: 0, marginy: 0 })
  g.setDefaultEdgeLabel(() => ({}))
  parts.forEach((c, i) => { if (joined.has(c)) { c.key = String(i); g.setNode(c.key, { width: c.w, height: c.h }) } })
  const both = new Map()
  for (const p of pairs) {
    let a = p.from.key, b = p.to.key
    const turned = p.back || g.hasEdge(b, a)
    if (turned) [a, b] = [b, a]
    if (!g.hasEdge(a, b)) {
      const text = few && at.tree.graph.kind !== 'program' ? label(p) : ''
      g.setEdge(a, b, text ? { width: Math.min(160, width(text, 10)), height: 12, labelpos: 'c' } : {})
    }
    both.set(p, [a, b, turned])
  }
  place(g)
  for (const c of joined) {
    const n = g.node(c.key)
    c.x = n.x - c.w / 2
    c.y = n.y - c.h / 2
  }
  const ends = new Map()
  for (const [p, [a, b, turned]] of both) {
    const points = g.edge(a, b).points.map(q => [q.x, q.y])
    ends.set(p, turned ? points.reverse() : points)
  }
  return ends
}

// ranked returns the row of each part, below those that it consumes, and the pairs as
// numbers of parts, each from the upper to the lower. Parts are in an order of execution, so
// a pair that leads to an earlier one closes a loop.
function ranked(parts, pairs) {
  const number = new Map(parts.map((c, i) => [c, i]))
  const edges = pairs.map(p => {
    const a = number.get(p.from), b = number.get(p.to)
    return a < b ? [a, b] : [b, a]
  })
  const into = parts.map(() => []), rank = new Int32Array(parts.length)
  for (const [a, b] of edges) into[b].push(a)
  for (let i = 0; i < parts.length; i++) for (const a of into[i]) rank[i] = Math.max(rank[i], rank[a] + 1)
  return { edges, rank }
}

// spans is how many places in rows edges pass, for which the library makes nodes.
function spans(at, parts, pairs) {
  const { edges, rank } = ranked(parts, pairs)
  let sum = 0
  for (const [a, b] of edges) sum += rank[b] - rank[a] - 1
  return sum
}

// layers places many pairs in a time that grows with their number alone: parts in rows,
// each near the mean of those that it is joined with, and straight edges.
function layers(parts, pairs, joined) {
  const { edges, rank } = ranked(parts, pairs), next = parts.map(() => []), rows = []
  for (const [a, b] of edges) { next[a].push(b); next[b].push(a) }
  const middle = new Float64Array(parts.length)
  parts.forEach((c, i) => { if (joined.has(c)) (rows[rank[i]] ||= []).push(i) })
  const mean = i => next[i].reduce((sum, j) => sum + middle[j], 0) / next[i].length
  const pack = row => { // from left to right, around the middle
    let x = -row.reduce((sum, i) => sum + parts[i].w + 18, 0) / 2
    for (const i of row) { middle[i] = x + parts[i].w / 2; x += parts[i].w + 18 }
  }
  rows.forEach(pack)
  for (let sweep = 0; sweep < 6; sweep++) {
    for (const row of sweep % 2 ? rows.toReversed() : rows) {
      const wish = new Map(row.map(i => [i, mean(i)]))
      row.sort((a, b) => wish.get(a) - wish.get(b))
      pack(row)
      const shift = row.reduce((sum, i) => sum + wish.get(i) - middle[i], 0) / row.length
      for (const i of row) middle[i] += shift
    }
  }
  let y = 0
  for (const row of rows) {
    let high = 0
    for (const i of row) { parts[i].x = middle[i] - parts[i].w / 2; parts[i].y = y; high = Math.max(high, parts[i].h) }
    y += high + 46
  }
  const ends = new Map()
  pairs.forEach((p, k) => {
    const [i, j] = edges[k], a = parts[i], b = parts[j], aside = (of, to) => middle[of] + Math.max(-0.4 * parts[of].w, Math.min(0.4 * parts[of].w, (middle[to] - middle[of]) * 0.2))
    const points = [[aside(i, j), a.y + a.h], [aside(j, i), b.y]]
    ends.set(p, p.from === a ? points : points.reverse())
  })
  return ends
}

export function key(from, to) { return from.id + '\u0000' + to.id }

// place gives items that are shown ax and ay, their places in the drawing.
export function absolute(root) {
  root.ax = 0
  root.ay = 0
  const shown = [], visit = [root]
  while (visit.length) {
    const at = visit.pop()
    shown.push(at)
    for (const c of at.parts) { c.ax = at.ax + c.x; c.ay = at.ay + c.y; visit.push(c) }
  }
  return shown
}

// path returns the points of an edge between two items that are shown.
export function path(from, to) {
  const above = new Map()
  for (let at = from, below = null; at; below = at, at = at.parent) above.set(at, below)
  let box = to, last = null
  while (box && !above.has(box)) { last = box; box = box.parent }
  const first = above.get(box)
  const start = [from.ax + from.w / 2, from.ay + from.h], end = [to.ax + to.w / 2, to.ay]
  const route = first && last && box.routes && box.routes.get(key(first, last))
  if (!route) { // a node that is its own consumer
    const x = from.ax + from.w + 14
    return [start, [x, start[1] + 8], [x, from.ay - 8], end]
  }
  const points = route.map(([x, y]) => [x + box.ax, y + box.ay])
  // Where it crosses the border of a box that it leads out of or into, it does so next to its
  // end, not in the middle, where it would meet the others.
  if (first !== from) {
    if (Math.abs(points[0][1] - first.ay - first.h) < 2) points[0] = [start[0], points[0][1]]
    points.unshift(start)
  }
  if (last !== to) {
    const k = points.length - 1
    if (Math.abs(points[k][1] - last.ay) < 2) points[k] = [end[0], points[k][1]]
    points.push(end)
  }
  return points
}

// curve is a path of SVG through points.
export function curve(points) {
  const r = x => x.toFixed(1)
  let d = `M${r(points[0][0])} ${r(points[0][1])}`
  for (let i = 1; i < points.length; i++) {
    const [a, b] = points[i - 1], [x, y] = points[i], m = (b + y) / 2
    d += Math.abs(y - b) < 2 ? `L${r(x)} ${r(y)}` : `C${r(a)} ${r(m)} ${r(x)} ${r(m)} ${r(x)} ${r(y)}`
  }
  return d
}
