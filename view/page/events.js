// The stream of events that a page reads, and what such pages are made of.

import { el } from './details.js'

const byId = id => document.getElementById(id)
export const KEPT = 60 // samples of a rate
const token = new URLSearchParams(location.hash.slice(1)).get('token')
export const headers = token ? { Authorization: 'Bearer ' + token } : {}
let ending = new AbortController()

// read reads the stream until it ends, and begins again after a while.
async function read(take) {
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

export function say(text, cls) {
  byId('state').textContent = text
  byId('state').className = cls
}

// follow calls take with each event, and show with the last one unless it is held.
export function follow(take, show) {
  let held = false, last = null
  byId('every').addEventListener('change', () => ending.abort())
  byId('hold').addEventListener('click', () => {
    held = !held
    byId('hold').setAttribute('aria-pressed', held)
    byId('hold').textContent = held ? 'go on' : 'hold'
    if (!held && last) show(last)
  })
  document.addEventListener('visibilitychange', () => { if (!document.hidden && last && !held) show(last) })
  read(s => {
    last = s
    take(s)
    if (!held) show(s)
  })
}

export const count = x => x >= 1e9 ? +(x / 1e9).toPrecision(3) + ' G' : x >= 1e6 ? +(x / 1e6).toPrecision(3) + ' M' : x >= 1e4 ? +(x / 1e3).toPrecision(3) + ' k' : String(+x.toPrecision(3))
export const bytes = x => x >= 2 ** 30 ? (x / 2 ** 30).toFixed(1) + ' GiB' : x >= 2 ** 20 ? (x / 2 ** 20).toFixed(1) + ' MiB' : x >= 1024 ? (x / 1024).toFixed(1) + ' KiB' : x + ' B'
export const seconds = x => x >= 3600 ? (x / 3600).toFixed(1) + ' h' : x >= 60 ? (x / 60).toFixed(1) + ' min' : x >= 10 ? x.toFixed(0) + ' s' : x.toFixed(1) + ' s'

export function tile(into, name, text, values, bad) {
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

export function rows(into, names) {
  const table = el('table', null, into), head = el('tr', null, el('thead', null, table))
  for (const n of names) el('th', n, head).scope = 'col'
  return el('tbody', null, table)
}

export function row(table, cells) {
  const tr = el('tr', null, table)
  for (const c of cells) { const td = el('td', typeof c === 'string' ? c : null, tr); if (typeof c !== 'string') td.append(c) }
}

export function meter(part, label) {
  const m = document.createElement('meter')
  m.min = 0
  m.max = 1
  m.value = Math.max(0, Math.min(1, part))
  if (label) m.setAttribute('aria-label', label)
  return m
}
