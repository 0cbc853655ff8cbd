// The live page: what the sessions of a process do now, from a stream of events.

import { el } from './details.js'

const byId = id => document.getElementById(id)
const KEPT = 60 // samples of a rate
const token = new URLSearchParams(location.hash.slice(1)).get('token')
const headers = token ? { Authorization: 'Bearer ' + token } : {}
const rates = new Map() // by session: samples
const unfolded = new Set(), folded = new Set()
let held = false, last = null, ending = new AbortController()

// read reads the stream until it ends, and begins again after a while.
async function read() {
  for (;;) {
    ending = new AbortController()
    try {
      const r = await fetch('events?every=' + byId('every').value, { headers, signal: ending.signal, cache: 'no-store' })
      if (!r.ok) {
        say((await r.text()).trim(), 'bad')
        if (r.status === 403) return
      } else {
        say('live', 'good')
        const reader = r.body.pipeThrough(new TextDecoderStream()).getReader()
        let text = ''
        for (;;) {
          const { value, done } = await reader.read()
          if (done) break
          text += value
          for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
            const event = text.slice(0, end)
            if (event.startsWith('data: ')) take(JSON.parse(event.slice(6)))
          }
        }
        say('the process has ended the stream', 'bad')
      }
    } catch (e) {
      if (e.name !== 'AbortError') say('not connected', 'bad')
      else continue
    }
    await new Promise(done => setTimeout(done, 2000))
  }
}

function say(text, cls) {
  byId('state').textContent = text
  byId('state').className = cls
}

function take(s) {
  for (const x of s.sessions) {
    if (!rates.has(x.name)) rates.set(x.name, [])
    const all = rates.get(x.name)
    all.push({ steps: x.steps, nodes: x.nodes, failed: x.failed, memory: x.memory })
    if (all.length > KEPT) all.shift()
  }
  last = s
  if (!held) show()
}

const count = x => x >= 1e9 ? +(x / 1e9).toPrecision(3) + ' G' : x >= 1e6 ? +(x / 1e6).toPrecision(3) + ' M' : x >= 1e4 ? +(x / 1e3).toPrecision(3) + ' k' : String(+x.toPrecision(3))
const bytes = x => x >= 2 ** 30 ? (x / 2 ** 30).toFixed(1) + ' GiB' : x >= 2 ** 20 ? (x / 2 ** 20).toFixed(1) + ' MiB' : x >= 1024 ? (x / 1024).toFixed(1) + ' KiB' : x + ' B'
const seconds = x => x >= 3600 ? (x / 3600).toFixed(1) + ' h' : x >= 60 ? (x / 60).toFixed(1) + ' min' : x >= 10 ? x.toFixed(0) + ' s' : x.toFixed(1) + ' s'

function show() {
  const s = last, into = byId('sessions')
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

function tile(into, name, text, values, bad) {
  const t = el('div', null, into, 'tile' + (bad ? ' bad' : ''))
  el('span', name, t, 'faint')
  el('strong', text, t)
  if (!values || values.length < 2) return
  const SVG = 'http://www.w3.org/2000/svg', svg = document.createElementNS(SVG, 'svg'), line = document.createElementNS(SVG, 'polyline')
  const most = Math.max(...values, 1e-9), w = 120, h = 26
  svg.setAttribute('viewBox', `0 0 ${w} ${h}`)
  svg.setAttribute('preserveAspectRatio', 'none')
  svg.setAttribute('aria-hidden', 'true')
  line.setAttribute('points', values.map((v, i) => `${(w * i / (KEPT - 1)).toFixed(1)},${(h - 2 - (h - 4) * v / most).toFixed(1)}`).join(' '))
  svg.append(line)
  t.append(svg)
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

function rows(into, names) {
  const table = el('table', null, into), head = el('tr', null, el('thead', null, table))
  for (const n of names) el('th', n, head).scope = 'col'
  return el('tbody', null, table)
}

function row(table, cells) {
  const tr = el('tr', null, table)
  for (const c of cells) { const td = el('td', typeof c === 'string' ? c : null, tr); if (typeof c !== 'string') td.append(c) }
}

function meter(part, label) {
  const m = document.createElement('meter')
  m.min = 0
  m.max = 1
  m.value = Math.max(0, Math.min(1, part))
  if (label) m.setAttribute('aria-label', label)
  return m
}

byId('every').addEventListener('change', () => ending.abort())
byId('hold').addEventListener('click', () => {
  held = !held
  byId('hold').setAttribute('aria-pressed', held)
  byId('hold').textContent = held ? 'go on' : 'hold'
  if (!held && last) show()
})
document.addEventListener('visibilitychange', () => { if (!document.hidden && last && !held) show() })
read()
