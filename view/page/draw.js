// The drawing: what is unfolded, as SVG, which is moved and enlarged as a whole.

import { layout, absolute, path, curve, shorten, below } from './layout.js'
import { label } from './tree.js'

const SVG = 'http://www.w3.org/2000/svg'
const LABELLED = 600 // edges have labels and titles, if there are no more

export function make(name, attrs, parent, text) {
  const e = document.createElementNS(SVG, name)
  for (const k in attrs) e.setAttribute(k, attrs[k])
  if (text !== undefined) e.textContent = text
  if (parent) parent.append(e)
  return e
}

export class Drawing {
  // A drawing in an element. On has choose(item), toggle(item), and moved(), which are
  // called when a person does that.
  constructor(svg, on, arrow = 'arrow') {
    this.svg = svg
    this.arrow = arrow
    this.on = on
    this.x = 0
    this.y = 0
    this.k = 1
    const defs = make('defs', {}, svg)
    const head = make('marker', { id: arrow, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: 'auto-start-reverse' }, defs)
    make('path', { d: 'M0 0L8 4L0 8z', class: 'mark' }, head)
    this.world = make('g', { class: 'world' }, svg)
    this.elements = new Map()
    this.listen()
  }

  // show draws a tree, as far as it is unfolded.
  show(tree, chosen, marked) {
    this.tree = tree
    this.chosen = chosen
    layout(tree.root)
    const items = absolute(tree.root)
    this.items = items
    this.elements = new Map()
    // Boxes, then edges, which thus pass behind what is folded.
    const boxes = make('g', {}), edges = make('g', {}), folded = make('g', {}), labels = make('g', {})
    for (const item of items) if (item !== tree.root) this.draw(item, item.open ? boxes : folded, marked)
    this.edges = []
    const trees = new Set([tree])
    for (const item of items) if (item.open && item.bodies) for (const b of item.bodies) trees.add(b)
    const drawn = []
    for (const t of trees) drawn.push(...t.visible())
    for (const p of drawn) {
      const points = path(p.from, p.to)
      const e = make('path', { d: curve(points), class: 'edge' + (p.control ? ' control' : '') + (p.back ? ' back' : ''), 'marker-end': `url(#${this.arrow})` }, edges)
      const text = label(p)
      if (drawn.length <= LABELLED) make('title', {}, e, `${p.from.label} \u2192 ${p.to.label}${text ? ': ' + text : p.control ? ' (control)' : ''}`)
      if (text && drawn.length <= LABELLED && tree.graph.kind !== 'program') { // where tokens show values
        const [x, y] = points[points.length >> 1]
        make('text', { x, y: y + 3, class: 'type' }, labels, shorten(text, 28))
      }
      this.edges.push([p, e])
    }
    this.world.replaceChildren(boxes, edges, folded, labels)
    this.mark()
    this.move()
    this.svg.dataset.items = items.length - 1
    this.svg.dataset.edges = drawn.length
  }

  draw(item, into, marked) {
    const leaf = item.kind === 'leaf'
    const g = make('g', {
      class: `item ${item.kind}${leaf && item.foldable ? ' call' : ''}${leaf && marked && marked(item) ? ' new' : ''}`,
      transform: `translate(${item.ax.toFixed(1)} ${item.ay.toFixed(1)})`, role: 'treeitem', tabindex: -1,
      'aria-label': leaf ? `${item.tree.graph.name(item.node)}, ${item.tree.graph.op(item.node)}` : `${item.kind} ${item.label}, ${item.count} nodes`,
    }, into)
    if (item.foldable) g.setAttribute('aria-expanded', item.open)
    make('rect', { width: item.w.toFixed(1), height: item.h.toFixed(1), rx: leaf && !item.open ? 8 : 4 }, g)
    const title = shorten(item.label, item.open ? 60 : 32)
    make('text', { x: 9, y: item.open ? 16 : 15 }, g, title)
    if (!item.open) make('text', { x: 9, y: 28, class: 'op' }, g, below(item))
    if (item.foldable) {
      const button = make('g', { class: 'toggle' }, g)
      make('rect', { x: item.w - 24, y: 0, width: 24, height: 24, fill: 'transparent' }, button)
      make('text', { x: item.w - 17, y: 16, class: 'op' }, button, item.open ? '\u2212' : '+')
    }
    make('title', {}, g, leaf ? item.tree.graph.name(item.node) : item.label)
    g.item = item
    this.elements.set(item, g)
  }

  // choose marks an item, and what is joined with it.
  choose(item) {
    this.chosen = item
    this.mark()
  }

  mark() {
    for (const [item, e] of this.elements) {
      e.classList.toggle('chosen', item === this.chosen)
      e.setAttribute('aria-selected', item === this.chosen)
    }
    for (const [p, e] of this.edges || []) e.classList.toggle('chosen', p.from === this.chosen || p.to === this.chosen)
  }

  move() {
    this.world.setAttribute('transform', `translate(${this.x.toFixed(2)} ${this.y.toFixed(2)}) scale(${this.k.toFixed(4)})`)
    this.svg.classList.toggle('far', this.k < 0.55)
  }

  // The drawing is in the middle of a sheet, which is three times as wide and high as the pane
  // that it is scrolled in.
  get pane() { return this.svg.parentNode.parentNode }

  rest() { this.pane.scrollTo(this.pane.clientWidth, this.pane.clientHeight) }

  // drag scrolls the sheet, as painted, which costs nothing for what is on it; drop then moves
  // what is on it. A transform would do the same, but has the browser sort layers in each frame.
  drag(held) { this.pane.scrollTo(this.pane.clientWidth - held.dx, this.pane.clientHeight - held.dy) }

  drop(held) {
    this.x += held.dx
    this.y += held.dy
    this.rest()
    this.move()
    this.on.moved()
  }

  zoom(factor, x, y) {
    const r = this.svg.getBoundingClientRect()
    if (x === undefined) { x = r.width / 2; y = r.height / 2 }
    const k = Math.min(4, Math.max(0.01, this.k * factor))
    this.x = x - (x - this.x) * k / this.k
    this.y = y - (y - this.y) * k / this.k
    this.k = k
    this.move()
    this.on.moved()
  }

  // fit shows an item, or without one all.
  fit(item) {
    this.rest()
    const r = this.svg.getBoundingClientRect(), of = item || this.tree.root
    this.k = Math.min(1.2, Math.max(0.01, Math.min((r.width - 20) / of.w, (r.height - 20) / of.h)))
    // What would be too small to read is shown from its beginning.
    if (this.k < 0.35) this.k = Math.min(0.8, Math.max(0.35, (r.width - 20) / of.w))
    this.x = Math.max(10, (r.width - of.w * this.k) / 2)
    if (of.w * this.k > r.width) this.x = (r.width - of.w * this.k) / 2
    this.y = Math.max(10, (r.height - of.h * this.k) / 2)
    if (item) {
      this.x -= item.ax * this.k
      this.y -= item.ay * this.k
    }
    this.move()
    this.on.moved()
  }

  center(item) {
    const r = this.svg.getBoundingClientRect()
    if (this.k < 0.6) this.k = 0.9
    this.x = r.width / 2 - (item.ax + Math.min(item.w, r.width / this.k) / 2) * this.k
    this.y = r.height / 2 - (item.ay + Math.min(item.h, r.height / this.k) / 2) * this.k
    this.move()
    this.on.moved()
  }

  focus(item) {
    const e = this.elements.get(item)
    if (e) e.focus({ preventScroll: true })
  }

  listen() {
    const svg = this.svg
    const itemAt = e => { const g = e.target.closest('.item'); return g && g.item }
    svg.addEventListener('wheel', e => {
      e.preventDefault()
      const r = svg.getBoundingClientRect()
      this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015)), e.clientX - r.left, e.clientY - r.top)
    }, { passive: false })
    // What scrolls otherwise, such as a search of the browser, moves the drawing.
    this.rest()
    new ResizeObserver(() => this.rest()).observe(this.pane)
    this.pane.addEventListener('scrollend', () => {
      const dx = this.pane.clientWidth - this.pane.scrollLeft, dy = this.pane.clientHeight - this.pane.scrollTop
      if (!held && (Math.abs(dx) > 1 || Math.abs(dy) > 1)) this.drop({ dx, dy })
    })
    let held = null
    svg.addEventListener('pointerdown', e => { if (e.button === 0) held = { x: e.clientX, y: e.clientY, dx: 0, dy: 0, moved: false } })
    svg.addEventListener('pointermove', e => {
      if (!held) return
      held.dx = e.clientX - held.x
      held.dy = e.clientY - held.y
      if (!held.moved && Math.hypot(held.dx, held.dy) < 4) return
      if (!held.moved) svg.setPointerCapture(e.pointerId)
      held.moved = true
      this.drag(held)
    })
    svg.addEventListener('pointerup', e => {
      const was = held
      held = null
      if (!was) return
      if (was.moved) { this.drop(was); return }
      const item = itemAt(e)
      if (item && e.target.closest('.toggle')) this.on.toggle(item)
      else this.on.choose(item)
    })
    svg.addEventListener('pointercancel', () => { if (held && held.moved) this.drop(held); held = null })
    svg.addEventListener('dblclick', e => { const item = itemAt(e); if (item && !e.target.closest('.toggle')) this.on.toggle(item) })
    svg.addEventListener('keydown', e => {
      const item = itemAt(e) || this.chosen
      const next = to => { if (to && this.elements.has(to)) { e.preventDefault(); this.on.choose(to); this.center(to); this.focus(to) } }
      if (e.ctrlKey || e.metaKey || e.altKey) return
      switch (e.key) {
        case '+': this.zoom(1.25); break
        case '-': this.zoom(0.8); break
        case '0': this.fit(); break
        case 'Escape': this.on.choose(null); break
        case 'Enter': if (item) this.on.choose(item); break
        case ' ': if (item) { e.preventDefault(); this.on.toggle(item) } break
        case 'ArrowDown': next(this.neighbour(item, 1)); break
        case 'ArrowUp': next(this.neighbour(item, -1)); break
        case 'ArrowRight': next(item && item.open ? item.parts[0] : this.sibling(item, 1)); break
        case 'ArrowLeft': next(this.sibling(item, -1) || item && item.above); break
      }
    })
  }

  // neighbour is a consumer of an item that is shown, or what it consumes.
  neighbour(item, direction) {
    if (!item) return this.tree.root.parts[0]
    const p = this.edges.find(([p]) => (direction > 0 ? p.from : p.to) === item)
    return p && (direction > 0 ? p[0].to : p[0].from)
  }

  sibling(item, direction) {
    if (!item) return this.tree.root.parts[0]
    const all = item.above ? item.above.parts : []
    return all[all.indexOf(item) + direction]
  }
}
