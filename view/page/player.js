// The player of recorded runs: a cursor over a run's moments, which the drawing, the chart
// and the list of what happens follow. Two runs may be next to each other.

import { Run, parting, nanos } from './run.js'
import { Tokens } from './tokens.js'
import { Lanes, views } from './lanes.js'
import { el } from './details.js'

const LISTED = 40
const byId = id => document.getElementById(id)

export class Player {
  // A player of the runs of models, the first of which is the page's. On has
  // show(pane, graph), redraw(), and go(tree, node).
  constructor(models, panes, on) {
    this.on = on
    this.panes = panes
    this.runs = models.flatMap((m, k) => m.runs.map((data, i) => new Run(m, data, i)).map(r => { r.earlier = k > 0; return r }))
    this.ready = this.runs.length > 0
    byId('player').hidden = !this.ready
    if (!this.ready) return
    for (const id of ['run', 'other']) {
      this.runs.forEach((r, i) => { el('option', `${r.earlier ? 'earlier page: ' : ''}${r.title} (${r.engine})`, byId(id)).value = i })
    }
    this.lanes = panes.map((p, k) => new Lanes(byId(k ? 'lanes-b' : 'lanes-a'), { jump: m => this.jump(k, m) }))
    this.tokens = panes.map(p => new Tokens(p.drawing))
    const own = models[0].runs.length, counts = models[0].recordings || [own]
    const first = counts.length > 1 ? counts[0] - 1 : own - 1
    const second = counts.length > 1 ? counts[1] - 1 : models.length > 1 ? this.runs.length - 1 : -1
    this.pair = [first, second]
    this.playing = 0
    this.listen()
  }

  get run() { return this.runs[this.pair[0]] }
  get other() { return this.runs[this.pair[1]] || null }

  // start shows the runs from where they begin, or where they part.
  start(moment) {
    byId('run').value = this.pair[0]
    byId('other').value = this.pair[1]
    this.parts = this.other ? parting(this.run, this.other) : null
    const b = byId('parting')
    b.hidden = !this.other
    if (this.other) b.textContent = this.parts ? `part at ${this.parts.moment + 1}` : 'the same'
    byId('part').hidden = !this.parts
    this.moment = -1
    this.graphs = [null, null]
    byId('moment').max = Math.max(this.run.moments, this.other ? this.other.moments : 0)
    this.set(moment !== undefined ? moment : this.parts ? this.parts.moment + 1 : 0)
  }

  set(m, moved) {
    const most = Number(byId('moment').max)
    this.moment = Math.max(0, Math.min(most, m))
    byId('moment').value = this.moment
    this.show(moved)
    this.on.moved()
  }

  jump(pane, m) { this.stop(); this.set(m) }

  // show has everything show the moment.
  show(moved) {
    const texts = []
    this.panes.forEach((pane, k) => {
      const run = k ? this.other : this.run
      if (!run) return
      const m = Math.min(this.moment, run.moments), now = m > 0 ? run.at[m - 1] : -1
      const step = now >= 0 ? run.step(now) : 0
      const graph = run.graphOf(step)
      if (byId('follow').checked && this.graphs[k] !== graph) {
        this.graphs[k] = graph
        this.on.show(pane, graph)
      }
      this.tokens[k].show(run, m, now, this.stepOf(run, pane, m, step), moved)
      if (k === 0 && byId('follow').checked && now >= 0 && this.moment > 0) this.keep(pane, run, now)
      this.tokens[k].heat(byId('heat').checked ? run.times(pane.tree.graph) : null)
      this.lanes[k].show(run, m)
      texts.push(this.what(run, m))
    })
    const where = `${this.moment} of ${byId('moment').max}`
    byId('where').textContent = where
    byId('moment').setAttribute('aria-valuetext', where + ': ' + texts.join('; '))
    this.list()
  }

  // stepOf is the step whose tokens a pane shows: that of the moment, or of the drawn graph the
  // latest one that has begun.
  stepOf(run, pane, m, step) {
    if (run.graphOf(step) === pane.tree.graph) return step
    for (let i = m - 1; i >= 0; i--) { const s = run.step(run.at[i]); if (run.graphOf(s) === pane.tree.graph) return s }
    const s = run.steps.findIndex((_, i) => run.graphOf(i) === pane.tree.graph)
    return s < 0 ? step : s
  }

  // keep moves the drawing so that the node of an event is in sight.
  keep(pane, run, e) {
    if (run.graph(e) !== pane.tree.graph) return
    const d = pane.drawing, item = this.tokens[0].shown(pane.tree, run.node(e)), r = d.svg.getBoundingClientRect()
    const x = d.x + item.ax * d.k, y = d.y + item.ay * d.k
    if (x >= 0 && y >= 0 && x + item.w * d.k <= r.width && y + item.h * d.k <= r.height) return
    d.x = r.width / 2 - (item.ax + item.w / 2) * d.k
    d.y = r.height / 2 - (item.ay + item.h / 2) * d.k
    d.move()
  }

  what(run, m) {
    if (m === 0) return 'nothing has run'
    const e = run.at[m - 1], tag = run.tagText(run.tag(e))
    const does = run.failed.has(e) && run.done(e) < m ? 'fails' : run.ends[m - 1] ? 'ends' : run.dead(e) ? 'is dead' : run.done(e) < 0 || run.done(e) >= m ? 'starts' : 'acts'
    return `${run.name(e)} ${does}${tag ? ' in ' + tag : ''}`
  }

  // list says what happens in the moment.
  list() {
    const into = byId('now')
    into.replaceChildren()
    into.hidden = false
    for (const [k, run] of [this.run, this.other].entries()) {
      if (!run) continue
      const m = Math.min(this.moment, run.moments), part = el('section', null, into)
      if (this.other) el('h3', `${k ? 'right' : 'left'}: ${run.title}`, part)
      el('h2', this.what(run, m), part)
      const e = m > 0 ? run.at[m - 1] : -1
      if (e >= 0) this.event(part, run, e, m, this.panes[k])
      const flight = run.flight(m), running = run.running(m)
      const live = flight.filter(t => t.live).length
      el('p', `${live} live and ${flight.length - live} dead ${flight.length === 1 ? 'token' : 'tokens'} under way${running.length ? `, ${running.length} ${running.length === 1 ? 'node runs' : 'nodes run'}` : ''}`, part, 'faint')
      if (m === run.moments) {
        const error = run.steps.map(s => s.error).find(Boolean)
        if (error) el('p', error, part, 'pre bad')
        else el('p', 'The run has ended.', part)
        if (run.left) el('p', `${run.left} later executions were not kept.`, part)
      }
      if (flight.length || running.length) {
        const more = el('details', null, part)
        more.open = this.listed || false
        more.addEventListener('toggle', () => { this.listed = more.open })
        el('summary', 'under way', more)
        const list = el('ul', null, more)
        for (const i of running.slice(0, LISTED)) {
          const li = el('li', null, list)
          this.link(li, run, run.graph(i), run.node(i), this.panes[k])
          const tag = run.tagText(run.tag(i))
          el('span', ` runs${tag ? ' in ' + tag : ''}`, li, 'faint')
        }
        for (const t of flight.slice(0, LISTED)) {
          const li = el('li', null, list), g = run.graphOf(t.step)
          el('span', (t.live ? t.text || 'token' : 'dead') + ' for ', li)
          this.link(li, run, g, t.b, this.panes[k])
          const tag = run.tagText(run.tag(t.to >= 0 ? t.to : t.from))
          el('span', ` from ${g.name(t.a)}${tag ? ', ' + tag : ''}${t.to < 0 ? ', not taken' : ''}`, li, 'faint')
        }
        const left = Math.max(0, running.length - LISTED) + Math.max(0, flight.length - LISTED)
        if (left) el('li', `and ${left} more`, list, 'faint')
      }
    }
  }

  event(into, run, e, m, pane) {
    const g = run.graph(e), i = run.node(e)
    const line = el('p', run.op(e) + (run.end(e) ? ` \u00b7 ${nanos(run.end(e) - run.begin(e))}` : '') + ' \u00b7 ', into)
    this.link(line, run, g, i, pane, 'show the node')
    const op = g.model.ops[g.op(i)] || {}, table = el('table', null, into)
    const n = Math.max(g.numInputs(i), (run.events[e][10] || []).length)
    for (let k = 0; k < Math.min(n, 12); k++) {
      const row = el('tr', null, table), from = k < g.numInputs(i) ? g.input(i, k) : null
      el('td', (op.inputs || []).length === n ? op.inputs[k] : n > 1 ? String(k) : 'in', row, 'faint')
      el('td', run.value(e, k) || (run.dead(e) ? 'dead' : '\u2014'), row)
      el('td', from && from.node >= 0 ? g.name(from.node).replace(/^.*\//, '') : '', row, 'faint')
    }
    if (run.port(e) >= 0) el('p', `to output ${run.port(e)}${(op.outputs || [])[run.port(e)] ? ' (' + op.outputs[run.port(e)].replace(/^output_/, '') + ')' : ''}; the others are dead`, into)
    const stack = run.stack(e)
    if (stack.length) {
      el('h3', 'called by', into)
      const list = el('ol', null, into, 'stack')
      for (const c of stack.slice(0, LISTED)) {
        const li = el('li', null, list), tag = run.tagText(run.tag(c))
        const b = el('button', run.name(c), li)
        b.addEventListener('click', () => this.jump(0, run.begun(c) + 1))
        el('span', ` ${run.op(c)}${tag ? ', ' + tag : ''}`, li, 'faint')
      }
      if (stack.length > LISTED) el('li', `and ${stack.length - LISTED} more`, list, 'faint')
    }
  }

  link(into, run, graph, node, pane, text) {
    const b = el('button', text || graph.name(node), into)
    b.addEventListener('click', () => this.on.go(pane, graph, node))
  }

  // costs lists where the time of the run went.
  costs(into) {
    if (!this.ready) return
    for (const [k, run] of [this.run, this.other].entries()) {
      if (!run) continue
      const side = this.other ? k ? ', right' : ', left' : '', { nodes, frames } = run.costs
      if (frames.length) {
        el('h3', 'loops' + side, into)
        const table = el('table', null, into, 'executions')
        for (const f of frames.slice(0, 10)) {
          const row = el('tr', null, table)
          el('td', f.frame, row)
          el('td', nanos(f.time), row)
          el('td', `${f.tags.size} iterations, ${f.count} executions`, row, 'faint')
        }
      }
      el('h3', 'nodes that took longest' + side, into)
      const table = el('table', null, into, 'executions')
      for (const n of nodes.slice(0, 10)) {
        const row = el('tr', null, table)
        this.link(el('td', null, row), run, n.graph, n.node, this.panes[k])
        el('td', nanos(n.time), row)
        el('td', n.count + '\u00d7', row, 'faint')
      }
    }
  }

  // executions lists what a node did in the run, below its details.
  executions(into, graph, node) {
    if (!this.ready) return
    for (const [k, run] of [this.run, this.other].entries()) {
      if (!run) continue
      const all = run.executions(graph, node)
      if (!all.length) continue
      el('h3', `executions${this.other ? k ? ', right' : ', left' : ''} (${all.length})`, into)
      const table = el('table', null, into, 'executions')
      for (const e of all.slice(0, 200)) {
        const row = el('tr', null, table)
        const b = el('button', String(run.begun(e) + 1), el('td', null, row))
        b.addEventListener('click', () => this.jump(k, run.begun(e) + 1))
        el('td', run.tagText(run.tag(e)) || 'outside of loops', row, 'faint')
        el('td', run.dead(e) ? 'dead' : run.end(e) ? nanos(run.end(e) - run.begin(e)) : '', row)
        const n = (run.events[e][10] || []).length
        el('td', Array.from({ length: Math.min(n, 3) }, (_, j) => run.value(e, j)).filter(Boolean).join(', '), row)
      }
      if (all.length > 200) el('p', `and ${all.length - 200} more`, into, 'faint')
      const dead = all.find(e => run.dead(e)), cause = dead === undefined ? -1 : run.cause(dead)
      if (cause >= 0) {
        const p = el('p', 'dead because ', into)
        const b = el('button', run.id(cause), p)
        b.addEventListener('click', () => this.jump(k, run.begun(cause) + 1))
        el('span', ` chose output ${run.port(cause)}` + (run.value(cause, 1) ? `, as its second input is ${run.value(cause, 1)}` : ''), p)
      }
    }
  }

  stop() {
    clearTimeout(this.playing)
    this.playing = 0
    byId('play').textContent = 'play'
    byId('play').setAttribute('aria-pressed', 'false')
  }

  play() {
    if (this.playing) { this.stop(); return }
    if (this.moment >= Number(byId('moment').max)) this.set(0)
    byId('play').textContent = 'pause'
    byId('play').setAttribute('aria-pressed', 'true')
    const tick = () => {
      this.set(this.moment + 1, true)
      if (this.moment >= Number(byId('moment').max)) { this.stop(); return }
      this.playing = setTimeout(tick, 1000 / Number(byId('speed').value))
    }
    this.playing = setTimeout(tick, 0)
  }

  // along moves to the next moment, or the one before, in which the chosen node acts.
  along(direction, graph, node) {
    const run = this.run
    for (let m = this.moment + direction; m >= 1 && m <= run.moments; m += direction) {
      const e = run.at[m - 1]
      if (run.node(e) === node && run.graph(e) === graph) { this.stop(); this.set(m); return }
    }
  }

  listen() {
    const on = (id, type, does) => byId(id).addEventListener(type, does)
    on('moment', 'input', () => { this.stop(); this.set(Number(byId('moment').value)) })
    on('first', 'click', () => { this.stop(); this.set(0) })
    on('back', 'click', () => { this.stop(); this.set(this.moment - 1) })
    on('play', 'click', () => this.play())
    on('forward', 'click', () => { this.stop(); this.set(this.moment + 1, true) })
    on('last', 'click', () => { this.stop(); this.set(Infinity) })
    on('part', 'click', () => { this.stop(); this.set(this.parts.moment + 1) })
    on('heat', 'change', () => this.show())
    on('follow', 'change', () => { this.graphs = [null, null]; this.show() })
    const change = () => {
      this.stop()
      this.pair = [Number(byId('run').value), Number(byId('other').value)]
      this.on.panes(this.other !== null)
      this.start(undefined)
    }
    on('run', 'change', change)
    on('other', 'change', change)
    const tabs = byId('views')
    for (const [view, title] of Object.entries(views)) {
      const b = el('button', title, tabs)
      b.setAttribute('role', 'tab')
      b.setAttribute('aria-selected', view === this.lanes[0].view)
      b.dataset.view = view
      b.addEventListener('click', () => {
        for (const t of tabs.children) t.setAttribute('aria-selected', t === b)
        byId('player').classList.toggle('tall', view === 'messages')
        for (const l of this.lanes) l.choose(view)
      })
    }
    addEventListener('keydown', e => {
      if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.id !== 'moment') return
      switch (e.key) {
        case '.': case 'n': this.stop(); this.set(this.moment + 1, true); break
        case ',': case 'p': this.stop(); this.set(this.moment - 1); break
        case 'Home': this.stop(); this.set(0); break
        case 'End': this.stop(); this.set(Infinity); break
        case 'k': this.play(); break
      }
    })
  }
}
