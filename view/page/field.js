// Fields for the inputs of a signature.

import { el } from './details.js'

const INTEGERS = new Set(['int8', 'int16', 'int32', 'int64', 'uint8', 'uint32', 'uint64'])
const FLOATS = new Set(['float', 'double'])
const NUMBER = /^\s*-?(\d+\.?\d*([eE][+-]?\d+)?|NaN|Infinity)\s*$/
const MOST = 4096 // elements that are filled in
const LARGEST = 4096 // pixels of a side

let forms = 0

// labelled adds a control with its label.
export function labelled(into, text, control, cls) {
  const p = el('p', null, into, cls || 'field'), label = el('label', text, p)
  control.id = control.id || `f${++forms}`
  label.htmlFor = control.id
  p.append(control)
  return control
}

// option adds an item to a list.
export function option(select, text, value) {
  const o = el('option', text, select)
  o.value = value
  return o
}

// field adds the field of an input, and returns what returns its value as JSON text.
export function field(into, label, type, dims) {
  const set = el('fieldset', null, into)
  el('legend', label, set)
  if (type !== 'string' && type !== 'bool' && !INTEGERS.has(type) && !FLOATS.has(type)) {
    el('p', `JSON has no values of ${type}: this input can be sent over gRPC and /v2 only.`, set, 'faint')
    return async () => { throw new Error(`JSON has no values of ${type}`) }
  }
  const rows = dims && dims[0] === -1, inner = rows ? dims.slice(1) : dims
  if (inner && !inner.length) {
    const one = scalar(set, type)
    return async () => rows ? `[${await one()}]` : one()
  }
  const size = inner && type !== 'string' && type !== 'bool' ? picture(inner) : null
  const ways = []
  if (size) ways.push(['a picture', body => pixels(body, type, size, rows)])
  ways.push(['JSON', body => json(body, type, dims)])
  let value
  if (ways.length > 1) {
    const way = labelled(set, 'from', document.createElement('select')), body = el('div', null, set)
    for (const [i, [name]] of ways.entries()) option(way, name, i)
    const build = () => { body.replaceChildren(); value = ways[way.value][1](body) }
    way.addEventListener('change', build)
    build()
  } else value = ways[0][1](el('div', null, set))
  return () => value()
}

// picture returns how an array is a picture: its height, width and channels; null if it is not.
function picture(inner) {
  const [h, w, c] = inner, side = d => d === -1 || d >= 4 && d <= LARGEST
  if (inner.length === 3 && side(h) && side(w) && [-1, 1, 3, 4].includes(c)) return { h, w, c: c === -1 ? 3 : c, flat: false }
  if (inner.length === 2 && h >= 8 && w >= 8 && h <= LARGEST && w <= LARGEST && h === w) return { h, w, c: 1, flat: true }
  return null
}

function scalar(into, type) {
  if (type === 'bool') {
    const box = document.createElement('input')
    box.type = 'checkbox'
    labelled(into, 'true', box)
    return async () => String(box.checked)
  }
  const input = document.createElement('input')
  input.autocomplete = 'off'
  input.spellcheck = false
  labelled(into, type === 'string' ? 'text' : 'number', input)
  if (type !== 'string') {
    input.inputMode = 'decimal'
    input.value = '0'
    return async () => {
      if (!NUMBER.test(input.value)) throw new Error(`${input.value} is no number`)
      return input.value.trim()
    }
  }
  const file = document.createElement('input')
  file.type = 'file'
  labelled(into, 'or the contents of a file', file)
  return async () => {
    if (!file.files.length) return JSON.stringify(input.value)
    const b = new Uint8Array(await file.files[0].arrayBuffer())
    let text = ''
    for (let i = 0; i < b.length; i += 0x8000) text += String.fromCharCode(...b.subarray(i, i + 0x8000))
    return JSON.stringify({ b64: btoa(text) })
  }
}

function json(into, type, dims) {
  const text = labelled(into, 'JSON', document.createElement('textarea'))
  text.spellcheck = false
  const known = dims ? dims.map(d => d < 0 ? 1 : d) : []
  if (known.reduce((n, d) => n * d, 1) <= MOST) {
    const zero = type === 'string' ? '' : type === 'bool' ? false : 0
    const fill = level => level === known.length ? zero : Array.from({ length: known[level] }, () => fill(level + 1))
    text.value = JSON.stringify(fill(0))
  }
  return async () => {
    if (!text.value.trim()) throw new Error('there is no value')
    return text.value
  }
}

// pixels is a picture as an array, whose elements are between two numbers.
function pixels(into, type, { h, w, c, flat }, rows) {
  const file = document.createElement('input')
  file.type = 'file'
  file.accept = 'image/*'
  labelled(into, 'picture', file)
  const black = labelled(into, 'black is', document.createElement('input')), white = labelled(into, 'white is', document.createElement('input'))
  black.value = '0'
  white.value = INTEGERS.has(type) ? type === 'int8' ? '127' : '255' : '1'
  for (const i of [black, white]) { i.inputMode = 'decimal'; i.size = 6 }
  const canvas = el('canvas', null, into, 'picture')
  canvas.hidden = true
  canvas.setAttribute('role', 'img')
  const pen = () => canvas.getContext('2d', { willReadFrequently: true })
  file.addEventListener('change', async () => {
    canvas.hidden = true
    if (!file.files.length) return
    try {
      const bitmap = await createImageBitmap(file.files[0])
      canvas.width = w < 0 ? Math.min(bitmap.width, LARGEST) : w
      canvas.height = h < 0 ? Math.min(bitmap.height, LARGEST) : h
      canvas.setAttribute('aria-label', `${file.files[0].name}, ${canvas.width} by ${canvas.height} pixels`)
      pen().drawImage(bitmap, 0, 0, canvas.width, canvas.height)
      bitmap.close()
      canvas.hidden = false
    } catch {
      file.value = ''
      canvas.setAttribute('aria-label', 'The file is no picture that this browser knows.')
    }
  })
  return async () => {
    if (canvas.hidden) throw new Error('choose a picture')
    const lo = Number(black.value), hi = Number(white.value)
    if (!Number.isFinite(lo) || !Number.isFinite(hi)) throw new Error('black and white are numbers')
    const { width, height } = canvas, data = pen().getImageData(0, 0, width, height).data
    const scale = v => { const x = lo + (hi - lo) * v / 255; return INTEGERS.has(type) ? Math.round(x) : +x.toFixed(6) }
    const all = []
    for (let y = 0; y < height; y++) {
      const line = []
      for (let x = 0; x < width; x++) {
        const at = 4 * (y * width + x)
        if (c === 1) {
          const gray = scale(0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2])
          line.push(flat ? gray : [gray])
        } else line.push(Array.from(data.subarray(at, at + c), scale))
      }
      all.push(line)
    }
    return JSON.stringify(rows ? [all] : all)
  }
}
