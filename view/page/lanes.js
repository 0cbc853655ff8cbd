// A run as a chart: by time, with a row for each thread and depth of calls; by order, with
// a row for each iteration; or as messages, with a column for each node.

import { nanos, short } from './run.js'
import { hue } from './tokens.js'

const ROW = 16, HEAD = 18, MOST = 400
export const views = { time: 'flame chart', order: 'iterations', messages: 'messages' }

export class Lanes {
  // On has jump(moment).
  constructor(canvas, on) {
    this.canvas = canvas
    this.on = on
    this.view = 'order'
    this.from = 0
    this.to = 1
    this.boxes = []
    this.listen()
    new ResizeObserver(() => this.draw()).observe(canvas)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw())
  }

  show(run, moment) {
    if (run !== this.run) { this.run = run; this.rows = null; this.reset() }
    this.moment = moment
    this.follow()
    this.draw()
  }

  choose(view) { this.view = view; this.rows = null; this.reset(); this.follow(); this.draw() }

  reset() {
    this.from = 0
    this.to = this.view === 'time' ? Math.max(1, this.run ? this.run.duration : 1) * 1.02 : Math.max(1, Math.min(this.run ? this.run.moments : 1, 160))
    this.top = 0
  }

  // x of the moment, in units of the axis.
  at(moment) {
    if (this.view !== 'time') return moment
    const r = this.run
    for (let m = moment - 1; m >= 0; m--) {
      const e = r.at[m]
      if (r.end(e)) return r.ends[m] || r.done(e) === r.begun(e) ? r.end(e) : r.begin(e)
    }
    return 0
  }

  // follow moves the chart so that the moment is seen.
  follow() {
    const x = this.at(this.moment), size = this.to - this.from
    if (x >= this.from && x <= this.to) return
    this.from = Math.max(0, x - size / 2)
    this.to = this.from + size
  }

  // place returns rows: {label, boxes: [[from, to, event]]}.
  place() {
    if (this.rows) return this.rows
    const r = this.run, groups = new Map()
    if (this.view === 'time') {
      for (let e = 0; e < r.size; e++) {
        if (!r.end(e)) continue
        const thread = r.thread(e), key = r.depths[r.step(e)] * 1e6 + (thread < 0 ? 9e5 : thread)
        if (!groups.has(key)) groups.set(key, [])
        groups.get(key).push([r.begin(e), r.end(e), e])
      }
      this.rows = []
      for (const [key, boxes] of [...groups].sort((a, b) => a[0] - b[0])) {
        boxes.sort((a, b) => a[0] - b[0])
        const rows = [] // those that overlap are below each other
        for (const b of boxes) {
          let row = rows.find(row => row.last <= b[0])
          if (!row) rows.push(row = { boxes: [], last: 0, label: '' })
          row.boxes.push(b)
          row.last = b[1]
        }
        const depth = Math.floor(key / 1e6), thread = key % 1e6
        rows[0].label = (depth ? `call ${depth}: ` : '') + (thread === 9e5 ? 'elsewhere' : thread ? 'worker ' + thread : 'step')
        this.rows.push(...rows)
      }
    } else {
      for (let e = 0; e < r.size; e++) {
        const key = r.step(e) + ' ' + r.tag(e)
        if (!groups.has(key)) groups.set(key, { boxes: [], label: (r.depths[r.step(e)] ? 'call of ' + r.name(r.steps[r.step(e)].caller) + ' ' : '') + (r.tagText(r.tag(e)) || 'outside of loops') })
        groups.get(key).boxes.push([r.begun(e), Math.max(r.begun(e) + 1, r.done(e) < 0 ? r.moments : r.done(e) + 1), e])
      }
      this.rows = [...groups.values()]
    }
    if (this.rows.length > MOST) this.rows.length = MOST
    return this.rows
  }

  draw() {
    const c = this.canvas, r = this.run
    if (!r || !c.clientWidth) return
    const scale = devicePixelRatio || 1, w = c.clientWidth, h = c.clientHeight
    c.width = w * scale
    c.height = h * scale
    const g = c.getContext('2d'), css = getComputedStyle(c)
    this.color = name => css.getPropertyValue('--' + name)
    g.scale(scale, scale)
    g.font = '11px system-ui, sans-serif'
    g.textBaseline = 'middle'
    this.hits = []
    if (this.view === 'messages') this.messages(g, w, h)
    else this.bars(g, w, h)
  }

  bars(g, w, h) {
    const r = this.run, rows = this.place(), left = Math.min(170, w * 0.25), X = x => left + (x - this.from) / (this.to - this.from) * (w - left)
    g.fillStyle = this.color('faint')
    // The axis.
    const each = step((this.to - this.from) / Math.max(2, (w - left) / 90), this.view !== 'time')
    for (let x = Math.ceil(this.from / each) * each; x <= this.to; x += each) {
      g.globalAlpha = 0.25
      g.fillRect(X(x), HEAD, 1, h)
      g.globalAlpha = 1
      g.fillText(this.view === 'time' ? nanos(Math.round(x)) : String(Math.round(x)), X(x) + 3, HEAD / 2)
    }
    const current = this.moment > 0 ? r.at[this.moment - 1] : -1
    rows.forEach((row, k) => {
      const y = HEAD + k * ROW - this.top
      if (y < HEAD - ROW || y > h) return
      g.save()
      g.beginPath(); g.rect(0, HEAD, left - 6, h); g.clip()
      g.fillStyle = this.color('faint')
      g.fillText(row.label, 8, y + ROW / 2)
      g.restore()
      g.save()
      g.beginPath(); g.rect(left, HEAD, w - left, h); g.clip()
      let last = -1
      for (const [a, b, e] of row.boxes) {
        if (b < this.from || a > this.to) continue
        const x = X(a), width = Math.max(1, X(b) - x - (X(b) - x > 4 ? 1 : 0))
        if (x + width < last + 1 && e !== current) continue
        last = x + width
        const dead = r.dead(e)
        g.fillStyle = dead ? this.color('line') : r.failed.has(e) ? this.color('bad') : `hsl(${this.view === 'time' ? opHue(r.op(e)) : hue(r, r.tag(e))} 55% ${this.dark ? 38 : 72}%)`
        g.fillRect(x, y + 1, width, ROW - 2)
        if (e === current) { g.strokeStyle = this.color('chosen'); g.lineWidth = 2; g.strokeRect(x, y + 1, width, ROW - 2) }
        if (width > 26) {
          g.save(); g.beginPath(); g.rect(x, y, width, ROW); g.clip()
          g.fillStyle = this.color('text')
          g.fillText(r.name(e).replace(/^.*\//, ''), x + 3, y + ROW / 2 + 0.5)
          g.restore()
        }
        this.hits.push([x, y, width, ROW, e])
      }
      g.restore()
    })
    g.fillStyle = this.color('chosen')
    const x = X(this.at(this.moment))
    if (x >= left) g.fillRect(x - 1, 0, 2, h)
  }

  // messages draws the tokens of the moments around this one: from the column of the node
  // that sent to the column of the node that takes.
  messages(g, w, h) {
    const r = this.run, around = Math.max(6, Math.floor((h - 30) / 15)), first = Math.max(0, Math.min(this.moment - Math.floor(around * 0.6), r.moments - around)), last = Math.min(r.moments, first + around)
    const columns = new Map(), column = (s, n) => { const key = s + ' ' + n; if (!columns.has(key)) columns.set(key, { at: columns.size, name: r.graphOf(s).name(n) }); return columns.get(key) }
    for (let m = first; m < last; m++) column(r.step(r.at[m]), r.node(r.at[m]))
    const tokens = r.tokens.filter(t => t.taken >= first && t.taken < last && t.sent < last && t.taken !== Infinity)
    const each = Math.max(14, Math.min(120, (w - 80) / columns.size)), X = c => 70 + c.at * each + each / 2, Y = m => 26 + (m - first) * 15 + 8
    for (const c of columns.values()) {
      g.fillStyle = this.color('line'); g.fillRect(X(c), 22, 1, h)
      g.save()
      g.beginPath(); g.rect(X(c) - each / 2 + 2, 0, each - 4, 22); g.clip()
      g.fillStyle = this.color('faint')
      const text = short(c.name.replace(/^.*\//, ''), Math.max(2, Math.floor(each / 6.2)))
      g.textAlign = 'center'; g.fillText(text, X(c), 12); g.textAlign = 'left'
      g.restore()
    }
    for (let m = first; m < last; m++) {
      const e = r.at[m], now = m === this.moment - 1
      if (now) { g.fillStyle = this.color('leaf'); g.fillRect(0, Y(m) - 7, w, 15) }
      g.fillStyle = this.color('faint')
      g.fillText(String(m + 1), 8, Y(m))
      this.hits.push([0, Y(m) - 7, w, 15, e, m])
    }
    for (const t of tokens) {
      const a = columns.get(t.step + ' ' + t.a), b = columns.get(t.step + ' ' + t.b)
      if (!b) continue
      const y = Y(t.taken), x0 = a ? X(a) : 60, x1 = X(b), y0 = a && t.sent >= first ? Y(t.sent) : y
      g.strokeStyle = g.fillStyle = t.live ? `hsl(${hue(r, r.tag(t.to))} 70% 45%)` : this.color('edge')
      g.setLineDash(t.live ? [] : [3, 3])
      g.globalAlpha = t.taken < this.moment ? 1 : 0.35
      g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y); g.stroke()
      g.setLineDash([])
      const d = Math.sign(x1 - x0) || 1
      g.beginPath(); g.moveTo(x1, y); g.lineTo(x1 - 7 * d, y - 3); g.lineTo(x1 - 7 * d, y + 3); g.fill()
      const text = t.live ? short(t.text, 12) : ''
      if (text && Math.abs(x1 - x0) > 40) { g.fillText(text, x1 - d * 12 - (d > 0 ? g.measureText(text).width : 0), y - 5) }
      g.globalAlpha = 1
    }
    for (let m = first; m < last; m++) {
      const e = r.at[m], c = columns.get(r.step(e) + ' ' + r.node(e))
      g.globalAlpha = m < this.moment ? 1 : 0.35
      g.fillStyle = r.failed.has(e) ? this.color('bad') : r.dead(e) ? this.color('back') : `hsl(${hue(r, r.tag(e))} 70% 50%)`
      g.strokeStyle = this.color('edge')
      g.beginPath(); g.arc(X(c) + 0.5, Y(m), 4.5, 0, 7); g.fill(); g.stroke()
      g.globalAlpha = 1
    }
  }

  get dark() { return matchMedia('(prefers-color-scheme: dark)').matches }

  hit(x, y) { return this.hits && this.hits.findLast(([a, b, w, h]) => x >= a - 1 && x <= a + w + 1 && y >= b && y < b + h) }

  listen() {
    const c = this.canvas
    const point = e => { const r = c.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top] }
    let held = null
    c.addEventListener('pointerdown', e => { held = { x: e.clientX, y: e.clientY, from: this.from, to: this.to, top: this.top, moved: false }; c.setPointerCapture(e.pointerId) })
    c.addEventListener('pointermove', e => {
      if (!this.run) return
      if (held) {
        const dx = e.clientX - held.x
        if (!held.moved && Math.hypot(dx, e.clientY - held.y) < 4) return
        held.moved = true
        const d = dx / c.clientWidth * (held.to - held.from)
        this.from = Math.max(0, held.from - d)
        this.to = this.from + held.to - held.from
        this.top = Math.max(0, Math.min((this.rows || []).length * ROW - 40, held.top - (e.clientY - held.y)))
        this.draw()
        return
      }
      const h = this.hit(...point(e)), r = this.run
      c.title = h ? `${r.id(h[4])} (${r.op(h[4])})${r.dead(h[4]) ? ', dead' : ''}${r.end(h[4]) ? ', ' + nanos(r.end(h[4]) - r.begin(h[4])) : ''}` : ''
    })
    c.addEventListener('pointerup', e => {
      const was = held
      held = null
      if (!was || was.moved || !this.run) return
      const h = this.hit(...point(e))
      if (h) this.on.jump(h[5] !== undefined ? h[5] + 1 : this.run.begun(h[4]) + 1)
    })
    c.addEventListener('pointercancel', () => { held = null })
    c.addEventListener('wheel', e => {
      if (!this.run || this.view === 'messages') return
      e.preventDefault()
      const [x] = point(e), left = Math.min(170, c.clientWidth * 0.25), part = Math.max(0, (x - left) / (c.clientWidth - left)), size = this.to - this.from
      const next = Math.max(this.view === 'time' ? 100 : 5, size * Math.exp(e.deltaY * 0.002))
      this.from = Math.max(0, this.from + (size - next) * part)
      this.to = this.from + next
      this.draw()
    }, { passive: false })
  }
}

// step is a round distance of marks on an axis.
function step(x, whole) {
  const p = 10 ** Math.floor(Math.log10(Math.max(x, 1e-9))), f = x / p
  const s = (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10) * p
  return whole ? Math.max(1, Math.round(s)) : s
}

function opHue(op) {
  let n = 7
  for (const c of op) n = (n * 31 + c.codePointAt(0)) % 360
  return n
}
