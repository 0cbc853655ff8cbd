// The live page: what the sessions of a process do now, from a stream of events.

import { el } from './details.js'
import { KEPT, bytes, count, follow, headers, meter, row, rows, say, seconds, tile } from './events.js'

const byId = id => document.getElementById(id)
const rates = new Map() // by session: samples
const unfolded = new Set(), folded = new Set()

function take(s) {
  for (const x of s.sessions) {
    if (!rates.has(x.name)) rates.set(x.name, [])
    const all = rates.get(x.name)
    all.push({ steps: x.steps, nodes: x.nodes, failed: x.failed, memory: x.memory })
    if (all.length > KEPT) all.shift()
  }
}

function show(s) {
  const into = byId('sessions')
  byId('title').textContent = document.title = s.title
  byId('process').textContent = `${s.goroutines} goroutines, heap ${bytes(s.heap)}`
  const keep = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.key : null
  const top = into.scrollTop
  into.replaceChildren()
  if (!s.sessions.length) el('p', 'No session is open.', into, 'faint')
  for (const x of s.sessions) session(into, x, s)
  into.scrollTop = top
  if (keep) { const e = into.querySelector(`[data-key="${CSS.escape(keep)}"]`); if (e) e.focus() }
  document.documentElement.dataset.ready = 'yes'
}

function session(into, x, s) {
  const card = el('section', null, into, 'card'), all = rates.get(x.name)
  card.setAttribute('aria-label', x.name)
  const head = el('div', null, card, 'head')
  el('h2', x.name, head)
  el('span', x.engine, head, 'faint')
  const tiles = el('div', null, card, 'tiles')
  tile(tiles, 'steps a second', count(x.steps), all.map(r => r.steps))
  tile(tiles, 'nodes a second', count(x.nodes), all.map(r => r.nodes))
  tile(tiles, 'failures a second', count(x.failed), all.map(r => r.failed), x.failed > 0)
  tile(tiles, x.limit > 0 ? `memory of ${bytes(x.limit)}` : 'memory', bytes(x.memory), all.map(r => r.memory))
  tile(tiles, 'programs', bytes(x.programs))

  part(card, x, 'running', `running steps (${x.running.length + (x.more || 0)})`, true, body => {
    if (!x.running.length) el('p', 'None reports. Short steps end between two looks; engines other than actors and tokens do not report.', body, 'faint')
    for (const r of x.running) step(body, x, r, s)
    if (x.more) el('p', `and ${x.more} more`, body, 'faint')
  })
  const queues = x.resources.filter(r => r.kind !== 'Variable'), variables = x.resources.filter(r => r.kind === 'Variable')
  if (queues.length) part(card, x, 'queues', `queues (${queues.length})`, true, body => {
    const table = rows(body, ['queue', 'kind', 'elements', 'fill', 'memory'])
    for (const q of queues) {
      const fill = q.capacity > 0 ? q.elements / q.capacity : 0
      row(table, [q.name, q.kind + (q.closed ? ', closed' : ''), q.elements + (q.capacity > 0 ? ' of ' + q.capacity : ''), q.capacity > 0 ? meter(fill, `${q.elements} of ${q.capacity}`) : '', bytes(q.bytes)])
    }
  })
  if (variables.length) part(card, x, 'variables', `variables (${variables.length}, ${bytes(variables.reduce((n, v) => n + v.bytes, 0))})`, false, body => {
    const table = rows(body, ['variable', 'type', 'memory', ''])
    const most = Math.max(1, ...variables.map(v => v.bytes))
    for (const v of variables.toSorted((a, b) => b.bytes - a.bytes).slice(0, 200)) row(table, [v.name, v.type, bytes(v.bytes), meter(v.bytes / most, '')])
  })
  if (x.devices.length) part(card, x, 'devices', 'devices', true, body => {
    const table = rows(body, ['device', 'in use', 'kept', 'limit', 'fill'])
    for (const d of x.devices) row(table, [d.name, bytes(d.inUse), bytes(d.kept), d.limit > 0 ? bytes(d.limit) : 'none', d.limit > 0 ? meter(d.inUse / d.limit, '') : ''])
  })
  if (x.failures.length) part(card, x, 'failures', `last failures (${x.failures.length})`, true, body => {
    const list = el('ol', null, body, 'failures')
    for (const f of x.failures) {
      const li = el('li', null, list)
      el('time', new Date(f.at).toLocaleTimeString(), li, 'faint')
      el('span', f.text, li, 'pre')
    }
  })
}

// part is a part of a card that can be folded.
function part(card, x, key, title, open, fill) {
  const id = x.name + '/' + key, d = el('details', null, card)
  d.open = open ? !folded.has(id) : unfolded.has(id)
  const summary = el('summary', title, d)
  summary.dataset.key = id
  d.addEventListener('toggle', () => { (d.open ? unfolded : folded).add(id); (d.open ? folded : unfolded).delete(id) })
  fill(el('div', null, d))
}

function step(into, x, r, s) {
  const id = x.name + '/' + r.step, d = el('div', null, into, 'step')
  const line = el('div', null, d, 'line')
  el('strong', r.step, line)
  el('span', `seen for ${seconds(r.seconds)}`, line)
  if (r.node) el('span', 'at ' + r.node + (r.nodeFor >= 1 ? ` for ${seconds(r.nodeFor)}` : ''), line)
  if (r.iterations > 0) el('span', count(r.iterations) + ' iterations a second', line)
  if (r.ready) el('span', `${r.ready} ready`, line)
  if (s.abort) {
    const b = el('button', 'abort', line)
    b.dataset.key = id
    b.addEventListener('click', async () => {
      if (!confirm(`Abort ${r.step}?`)) return
      const answer = await fetch('abort', { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify({ session: x.name, step: r.step }) })
      if (!answer.ok) say((await answer.text()).trim(), 'bad')
    })
  }
  if (!r.kernels.length && !r.waiting.length) return
  const list = el('ul', null, d)
  for (const k of r.kernels) { const li = el('li', null, list); el('span', k.text + ' runs or waits', li, 'runs'); el('span', ' ' + seconds(k.seconds), li, 'faint') }
  for (const k of r.waiting) { const li = el('li', null, list); el('span', k.text, li); el('span', ' ' + seconds(k.seconds), li, 'faint') }
  if (r.more) el('li', 'and more', list, 'faint')
}

follow(take, show)
