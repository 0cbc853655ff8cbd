// The place in the page, as the part of its address after #: what is unfolded, chosen and
// in sight.

export function write(state) {
  const p = new URLSearchParams()
  p.set('graph', state.graph)
  p.set('by', state.by)
  if (state.open.length) p.set('open', state.open.map(encodeURIComponent).join('!'))
  if (state.chosen) p.set('at', state.chosen)
  if (state.moment !== undefined) { p.set('moment', state.moment); p.set('runs', state.pair.join(',')) }
  p.set('view', [state.x.toFixed(2), state.y.toFixed(2), state.k.toFixed(4)].join(','))
  return '#' + p
}

// read returns the place that an address holds, or null.
export function read(hash) {
  const p = new URLSearchParams(hash.slice(1))
  if (!p.has('graph')) return null
  const view = (p.get('view') || '').split(',').map(Number)
  const open = []
  for (const id of (p.get('open') || '').split('!')) {
    try { if (id) open.push(decodeURIComponent(id)) } catch { /* an address that was cut */ }
  }
  const pair = (p.get('runs') || '').split(',').map(Number)
  return {
    moment: p.has('moment') ? Number(p.get('moment')) || 0 : -1,
    pair: pair.length === 2 && pair.every(Number.isInteger) ? pair : null,
    graph: Number(p.get('graph')) || 0, by: p.get('by'), open, chosen: p.get('at'),
    view: view.length === 3 && view.every(Number.isFinite) && view[2] > 0 ? view : null,
  }
}
