// The answer of a model: scores as bars, pictures, and its text.

import { el } from './details.js'
import { meter, row, rows } from './events.js'

const MOST = 200_000 // characters that are shown
const BEST = 10 // scores that are shown

// answer shows a reply.
export function answer(into, status, text, ms) {
  const ok = status === 200
  el('p', `${ok ? 'answered' : status} in ${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`, into, ok ? 'faint' : 'bad')
  let value = null
  try { value = JSON.parse(text) } catch { /* it has NaN, say, and is shown as text */ }
  if (!ok) {
    el('p', value && value.error ? String(value.error) : text, into, 'bad pre')
    return
  }
  let shown = 0
  const outputs = value ? value.outputs : null
  if (outputs !== null && outputs !== undefined) {
    const named = typeof outputs === 'object' && !Array.isArray(outputs) ? Object.entries(outputs) : [['', outputs]]
    for (const [name, x] of named) if (output(into, name, x)) shown++
  }
  const d = el('details', null, into)
  d.open = !shown
  el('summary', 'as text', d)
  el('pre', text.length > MOST ? text.slice(0, MOST) + `\n\u2026 ${text.length - MOST} characters more` : text, d, 'pre')
}

// output shows what can be shown better than as text.
function output(into, name, x) {
  while (Array.isArray(x) && x.length === 1 && Array.isArray(x[0])) x = x[0]
  if (!Array.isArray(x)) return false
  if (x.length > 1 && x.length <= 10_000 && x.every(v => typeof v === 'number')) {
    if (name) el('h3', name, into)
    const most = Math.max(...x.map(Math.abs), 1e-30)
    const table = rows(into, ['index', 'value', ''])
    const order = x.map((v, i) => [v, i]).sort((a, b) => b[0] - a[0])
    for (const [v, i] of order.slice(0, BEST)) row(table, [String(i), String(+v.toPrecision(6)), meter(Math.max(0, v) / most, `index ${i}`)])
    if (x.length > BEST) el('p', `and ${x.length - BEST} smaller ones`, into, 'faint')
    return true
  }
  return image(into, name, x)
}

// image shows an array of rows of pixels of three channels, or of one.
function image(into, name, x) {
  const h = x.length, w = Array.isArray(x[0]) ? x[0].length : 0
  if (h < 8 || w < 8 || h > 4096 || w > 4096) return false
  const pixel = x[0][0], c = Array.isArray(pixel) ? pixel.length : 0
  if (c !== 0 && c !== 1 && c !== 3 || !x.every(line => Array.isArray(line) && line.length === w)) return false
  const flat = x.flat(c ? 2 : 1)
  if (flat.length !== h * w * Math.max(1, c) || !flat.every(v => typeof v === 'number')) return false
  if (name) el('h3', name, into)
  let lo = Infinity, hi = -Infinity
  for (const v of flat) { lo = Math.min(lo, v); hi = Math.max(hi, v) }
  if (lo >= 0) lo = 0
  hi = hi <= 1 ? 1 : hi <= 255 ? 255 : hi
  const canvas = el('canvas', null, into, 'picture'), data = new ImageData(w, h)
  canvas.width = w
  canvas.height = h
  canvas.setAttribute('role', 'img')
  canvas.setAttribute('aria-label', `${name || 'output'}, ${w} by ${h} pixels, ${lo} is black and ${hi} white`)
  for (let i = 0; i < h * w; i++) {
    for (let k = 0; k < 3; k++) data.data[4 * i + k] = 255 * (flat[c === 3 ? 3 * i + k : i] - lo) / (hi - lo)
    data.data[4 * i + 3] = 255
  }
  canvas.getContext('2d').putImageData(data, 0, 0)
  return true
}
