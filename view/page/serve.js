// The page of a server of models: what each model does, from a stream of events, and its
// signatures as forms.

import { el } from './details.js'
import { KEPT, bytes, count, follow, row, rows, seconds, tile } from './events.js'
import { trial } from './trial.js'

const byId = id => document.getElementById(id)
const rates = new Map() // by model: samples
const cards = new Map() // by model

const short = x => x >= 10 ? seconds(x) : x >= 1 ? x.toFixed(2) + ' s' : x >= 1e-3 ? +(x * 1e3).toPrecision(3) + ' ms' : x > 0 ? Math.round(x * 1e6) + ' \u00b5s' : '\u2013'

function take(s) {
  for (const m of s.models) {
    if (!rates.has(m.name)) rates.set(m.name, [])
    const all = rates.get(m.name)
    all.push(m)
    if (all.length > KEPT) all.shift()
  }
  const names = new Set(s.models.map(m => m.name))
  for (const name of rates.keys()) if (!names.has(name)) rates.delete(name)
}

function show(s) {
  const into = byId('models')
  byId('title').textContent = document.title = s.title
  byId('process').textContent = `${s.ready ? 'ready' : 'not ready'}, ${s.goroutines} goroutines, heap ${bytes(s.heap)}`
  if (s.live) {
    byId('live').hidden = false
    byId('live').href = s.live + location.hash
  }
  const names = new Set(s.models.map(m => m.name))
  for (const [name, c] of cards) if (!names.has(name)) { c.card.remove(); cards.delete(name) }
  for (const m of s.models) {
    if (!cards.has(m.name)) cards.set(m.name, card(m.name, s.rest))
    const c = cards.get(m.name)
    if (!c.card.isConnected) into.append(c.card)
    fill(c, m)
  }
  byId('none')?.remove()
  if (!s.models.length || s.more) el('p', s.more ? `and ${s.more} more models` : 'There is no model.', into, 'faint').id = 'none'
  document.documentElement.dataset.ready = 'yes'
}

// card returns a model's card, whose form stays while the rest is filled again.
function card(name, rest) {
  const card = el('section', null, null, 'card')
  card.setAttribute('aria-label', name)
  const head = el('div', null, card, 'head')
  el('h2', name, head)
  const states = el('span', null, head, 'faint')
  const tiles = el('div', null, card, 'tiles'), versions = el('div', null, card), present = el('div', null, card)
  const c = { card, states, tiles, versions, present, last: '' }
  const d = el('details', null, card)
  el('summary', 'try it', d)
  d.addEventListener('toggle', () => {
    if (d.open && !c.trial) c.trial = trial(el('div', null, d), name, rest)
    if (d.open) c.trial.versions(c.available)
  })
  c.folded = d
  return c
}

function fill(c, m) {
  const all = rates.get(m.name)
  c.available = m.versions.filter(v => v.state === 'AVAILABLE').map(v => v.version)
  c.states.textContent = c.available.length ? 'serves version ' + c.available.join(', ') : 'no version is available'
  c.tiles.replaceChildren()
  tile(c.tiles, 'requests a second', count(m.requests), all.map(r => r.requests))
  tile(c.tiles, 'errors a second', count(m.failed), all.map(r => r.failed), m.failed > 0)
  tile(c.tiles, 'refused a second', count(m.refused), all.map(r => r.refused), m.refused > 0)
  tile(c.tiles, 'latency, median', short(m.p50), all.map(r => r.p50))
  tile(c.tiles, 'latency, 99%', short(m.p99), all.map(r => r.p99))
  tile(c.tiles, 'steps that run', count(m.running), all.map(r => r.running))
  tile(c.tiles, 'steps that wait', count(m.waiting), all.map(r => r.waiting))

  const text = JSON.stringify(m.versions)
  if (text !== c.last) {
    c.last = text
    c.versions.replaceChildren()
    const table = rows(c.versions, ['version', 'state', 'labels', 'error'])
    for (const v of m.versions) row(table, [v.version, v.state, (v.labels || []).join(', '), v.error || ''])
    if (c.trial) c.trial.versions(c.available)
  }
  c.present.replaceChildren()
  const n = m.present.length + (m.more || 0)
  if (!n) return
  el('h3', `requests (${n})`, c.present)
  const table = rows(c.present, ['from', 'signature', 'version', 'state', 'since'])
  for (const r of m.present) row(table, [r.from, r.signature, r.version, r.runs ? 'runs' : 'waits', short(r.seconds)])
  if (m.more) el('p', `and ${m.more} more`, c.present, 'faint')
}

follow(take, show)
