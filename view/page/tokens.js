// Tokens on the edges of a drawing, and what its nodes do at a moment.

import { short } from './run.js'
import { make } from './draw.js'

const STACK = 4 // tokens of an edge that are drawn one above the other
const HUES = [28, 205, 145, 285, 345, 60]

// hue is the colour of an iteration.
export function hue(run, tag) { return HUES[tag > 0 ? run.index_(tag) % HUES.length : 0] }

export class Tokens {
  constructor(drawing) {
    this.drawing = drawing
    this.layer = null
    this.quick = matchMedia('(prefers-reduced-motion: reduce)')
    this.frame = 0
  }

  // shown returns the item in which a node of the drawn graph is seen: its leaf, or the
  // outermost folded box around it.
  shown(tree, node) {
    let at = tree.leafOf[node], seen = at
    for (; at && at.parent; at = at.parent) if (!at.parent.open) seen = at.parent
    return seen
  }

  // show shows a run after m moments; now is the event of the latest moment, or -1, and step
  // the one whose tokens are shown. If moved, those that were just sent move to their places.
  show(run, m, now, step, moved) {
    const d = this.drawing, { tree } = d
    cancelAnimationFrame(this.frame)
    if (this.layer) this.layer.remove()
    for (const [, g] of d.elements) g.classList.remove('now', 'now-dead', 'runs', 'failed')
    for (const t of this.badges || []) t.remove()
    this.badges = []
    if (!run) return
    this.layer = make('g', { class: 'tokens' }, d.world)
    const graph = tree.graph, mine = run.graphOf(step) === graph
    const at = new Map()
    const itemOf = node => { let i = at.get(node); if (!i) at.set(node, i = this.shown(tree, node)); return i }
    // How often each has acted.
    const acted = new Map()
    for (let e = 0; e < run.size && run.begun(e) < m; e++) {
      if (run.step(e) !== step || !mine) continue
      const item = itemOf(run.node(e)), n = acted.get(item) || [0, 0]
      n[run.dead(e) ? 1 : 0]++
      acted.set(item, n)
    }
    for (const [item, [live, dead]] of acted) {
      const g = d.elements.get(item)
      if (!g || item.open) continue
      const text = (live ? live + '\u00d7' : '') + (dead ? (live ? ' ' : '') + dead + '\u2020' : '')
      this.badges.push(make('text', { x: item.w - 3, y: -3, class: 'badge' }, g, text))
    }
    if (!mine) return
    const mark = (e, name) => { const g = d.elements.get(itemOf(run.node(e))); if (g) g.classList.add(name) }
    for (const e of run.running(m)) if (run.step(e) === step) mark(e, 'runs')
    if (now >= 0 && run.step(now) === step) mark(now, run.dead(now) ? 'now-dead' : 'now')
    for (const e of run.failed) if (run.step(e) === step && run.begun(e) < m) mark(e, 'failed')
    const paths = new Map()
    for (const [p, e] of d.edges) paths.set(p.from.id + '\0' + p.to.id, e)
    const edges = new Map()
    for (const t of run.flight(m)) {
      if (t.step !== step) continue
      const a = itemOf(t.a), b = itemOf(t.b), path = paths.get(a.id + '\0' + b.id)
      if (!path) continue // both in one folded box
      if (!edges.has(path)) edges.set(path, [])
      edges.get(path).push(t)
    }
    const moving = []
    for (const [path, tokens] of edges) {
      const length = path.getTotalLength()
      tokens.slice(0, STACK).forEach((t, k) => {
        const to = path.getPointAtLength(length * 0.6)
        const g = make('g', { class: 'token' + (t.live ? '' : ' dead'), role: 'img', 'aria-label': this.text(run, t) }, this.layer)
        const circle = make('circle', { r: 5.5 }, g)
        if (t.live) circle.style.fill = `hsl(${hue(run, this.tagOf(run, t))} 80% 50%)`
        const label = t.live ? short(t.text, 14) : 'dead'
        if (label && t.port >= 0) make('text', { x: 9, y: 3.5 }, g, label)
        make('title', {}, g, this.text(run, t))
        const place = p => g.setAttribute('transform', `translate(${p.x.toFixed(1)} ${(p.y + 13 * k).toFixed(1)})`)
        if (moved && t.sent === m - 1 && !this.quick.matches) moving.push([path, length, place])
        else place(to)
      })
      if (tokens.length > STACK) {
        const p = path.getPointAtLength(length * 0.6)
        make('text', { x: p.x + 9, y: p.y + 13 * STACK, class: 'token' }, this.layer, `and ${tokens.length - STACK} more`)
      }
    }
    if (!moving.length) return
    const begin = performance.now(), most = 260
    const move = now => {
      const part = Math.min(1, (now - begin) / most), eased = 1 - (1 - part) ** 2
      for (const [path, length, place] of moving) place(path.getPointAtLength(length * (0.08 + 0.52 * eased)))
      if (part < 1) this.frame = requestAnimationFrame(move)
    }
    move(begin)
  }

  // tagOf is the iteration that a token is for.
  tagOf(run, t) { return run.tag(t.to >= 0 ? t.to : t.from) }

  text(run, t) {
    const g = run.graphOf(t.step), tag = run.tagText(this.tagOf(run, t))
    return `${t.live ? t.text || 'token' : 'dead token'} from ${g.name(t.a)} to ${g.name(t.b)}${tag ? ', ' + tag : ''}${t.to < 0 ? ', not taken' : ''}`
  }

  // heat colours nodes by the time that they took, or removes the colours.
  heat(times) {
    const sums = new Map()
    let most = 0
    if (times) for (const [item] of this.drawing.elements) {
      if (item.open || item.tree !== this.drawing.tree) continue
      let sum = 0
      for (let k = item.from; k < item.to; k++) sum += times[item.tree.leaves[k].node]
      sums.set(item, sum)
      most = Math.max(most, sum)
    }
    for (const [item, g] of this.drawing.elements) {
      const part = most ? (sums.get(item) || 0) / most : 0
      g.querySelector('rect').style.fill = part > 0 ? `color-mix(in srgb, var(--hot) ${Math.round(15 + 75 * Math.sqrt(part))}%, var(--leaf))` : ''
    }
  }
}
