// A form to try a signature of a served model: fields for its inputs, and its answer.

import { el } from './details.js'
import { headers } from './events.js'
import { answer } from './answer.js'
import { field, labelled, option } from './field.js'

// dims returns the dimensions of a tensor, -1 where they are unknown; null if the rank is.
const dims = info => info.tensor_shape?.unknown_rank ? null : (info.tensor_shape?.dim || []).map(d => Number(d.size))
const type = info => info.dtype.replace(/^DT_/, '').toLowerCase()
const written = info => `${type(info)} ${dims(info) ? '[' + dims(info).map(d => d < 0 ? '?' : d).join(', ') + ']' : 'of any shape'}`

const CLASSIFY = { 'tensorflow/serving/classify': 'classify', 'tensorflow/serving/regress': 'regress' }

// trial builds the form of a model.
export function trial(into, name, rest) {
  const at = rest + encodeURIComponent(name)
  const form = el('form', null, into, 'try')
  const version = labelled(form, 'version', document.createElement('select'))
  const signature = labelled(form, 'signature', document.createElement('select'))
  const inputs = el('div', null, form), line = el('p', null, form)
  const send = el('button', 'run', line)
  const out = el('div', null, into, 'answer')
  out.setAttribute('role', 'status')
  let signatures = {}, fields = [], verb = 'predict', sending = null

  const path = () => at + (version.value ? '/versions/' + version.value : '')

  // load reads the signatures of a version.
  async function load() {
    out.replaceChildren()
    try {
      const r = await fetch(path() + '/metadata', { headers, cache: 'no-store' })
      const text = await r.text()
      if (!r.ok) throw new Error(text)
      signatures = JSON.parse(text).metadata.signature_def.signature_def
    } catch (e) {
      signatures = {}
      el('p', 'The signatures cannot be read: ' + e.message, out, 'bad pre')
    }
    const was = signature.value
    signature.replaceChildren()
    const names = Object.keys(signatures).filter(s => !s.startsWith('__')).sort((a, b) => (b === 'serving_default') - (a === 'serving_default') || (a < b ? -1 : 1))
    for (const s of names) option(signature, s, s)
    if (names.includes(was)) signature.value = was
    build()
  }

  // build builds the fields of a signature.
  function build() {
    inputs.replaceChildren()
    fields = []
    const s = signatures[signature.value]
    send.disabled = !s
    if (!s) return
    verb = CLASSIFY[s.method_name] || 'predict'
    if (verb !== 'predict') {
      const text = labelled(inputs, 'examples: a list of objects, a member for each feature', document.createElement('textarea'))
      text.value = '[{}]'
      fields.push({ name: 'examples', value: async () => { JSON.parse(text.value); return text.value } })
    } else {
      for (const k of Object.keys(s.inputs).sort()) {
        fields.push({ name: k, value: field(inputs, `${k}: ${written(s.inputs[k])}`, type(s.inputs[k]), dims(s.inputs[k])) })
      }
    }
    el('p', 'returns ' + Object.keys(s.outputs).sort().map(k => `${k}: ${written(s.outputs[k])}`).join('; '), inputs, 'faint')
  }

  // body returns the request as text: numbers are not parsed, so that they keep their digits.
  async function body() {
    const values = []
    for (const f of fields) {
      try {
        values.push(JSON.stringify(f.name) + ': ' + await f.value())
      } catch (e) {
        throw new Error(`${f.name}: ${e.message}`)
      }
    }
    const of = `{"signature_name": ${JSON.stringify(signature.value)}, `
    return of + (verb === 'predict' ? `"inputs": {${values.join(', ')}}}` : values[0] + '}')
  }

  async function run() {
    if (sending) {
      sending.abort()
      return
    }
    out.replaceChildren()
    let text
    try {
      text = await body()
    } catch (e) {
      el('p', e.message, out, 'bad pre')
      return
    }
    sending = new AbortController()
    send.textContent = 'cancel'
    const began = performance.now()
    try {
      const r = await fetch(`${path()}:${verb}`, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: text, signal: sending.signal })
      answer(out, r.status, await r.text(), performance.now() - began)
    } catch (e) {
      el('p', e.name === 'AbortError' ? 'cancelled' : 'There is no reply: ' + e.message, out, 'bad')
    }
    sending = null
    send.textContent = 'run'
  }

  form.addEventListener('submit', e => { e.preventDefault(); run() })
  form.addEventListener('keydown', e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); run() } })
  version.addEventListener('change', load)
  signature.addEventListener('change', () => { out.replaceChildren(); build() })
  let last = null

  return {
    // versions sets those that can be tried.
    versions(all) {
      if (last !== null && last === all.join()) return
      const first = last === null, was = version.value
      last = all.join()
      version.replaceChildren()
      option(version, 'as a request that names none', '')
      for (const v of all) option(version, v, v)
      if (all.includes(was)) version.value = was
      if (first || version.value !== was || !Object.keys(signatures).length) load()
    },
  }
}
