// The playground: a graph as text runs in the page, and its run is played in a frame.

import { el } from './details.js'

const byId = id => document.getElementById(id)
const text = byId('text'), outcome = byId('outcome')
let dropped = null // the bytes of a file that is no text

globalThis.troupeReady = examples => {
  for (const e of examples) el('option', e.name.replace(/-/g, ' '), byId('example')).value = e.name
  const choose = name => {
    const e = examples.find(e => e.name === name) || examples[0]
    byId('example').value = e.name
    text.value = e.text
    dropped = null
    history.replaceState(null, '', '#' + encodeURIComponent(e.name))
    return run(/race|deadlock/.test(e.name) ? 'explore' : 'run')
  }
  byId('example').addEventListener('change', () => choose(byId('example').value))
  for (const id of ['run', 'explore']) {
    byId(id).disabled = false
    byId(id).addEventListener('click', () => run(id))
  }
  text.addEventListener('input', () => { dropped = null })
  text.addEventListener('keydown', e => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) { e.preventDefault(); run(e.shiftKey ? 'explore' : 'run') } })
  choose(decodeURIComponent(location.hash.slice(1))).then(() => { document.documentElement.dataset.ready = 'yes' })
}

async function run(what) {
  outcome.textContent = what === 'run' ? 'running' : 'exploring'
  document.documentElement.dataset.outcome = ''
  const begin = performance.now()
  const r = await (what === 'run' ? globalThis.troupeRun : globalThis.troupeExplore)(dropped || text.value)
  outcome.textContent = r.text
  byId('took').textContent = `${(performance.now() - begin).toFixed(0)} ms`
  byId('frame').toggleAttribute('hidden', !r.page)
  if (r.page) byId('frame').srcdoc = r.page
  document.documentElement.dataset.outcome = what
}

for (const name of ['dragover', 'drop']) {
  document.addEventListener(name, async e => {
    e.preventDefault()
    const file = name === 'drop' && e.dataTransfer.files[0]
    if (!file) return
    const bytes = new Uint8Array(await file.arrayBuffer())
    try {
      text.value = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
      dropped = bytes.includes(0) ? bytes : null
    } catch { dropped = bytes }
    if (dropped) text.value = `# ${file.name}, ${bytes.length} bytes`
    run('run')
  })
}

// start decodes the program in the page and runs it.
async function start() {
  try {
    const packed = Uint8Array.from(atob(byId('wasm').textContent.trim()), c => c.charCodeAt(0))
    byId('wasm').remove()
    const bytes = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
    const go = new globalThis.Go()
    const { instance } = await WebAssembly.instantiate(bytes, go.importObject)
    await go.run(instance)
    outcome.textContent = 'The program has ended; load the page again.'
  } catch (e) {
    outcome.textContent = 'The program does not start: ' + e.message
  }
}
start()
