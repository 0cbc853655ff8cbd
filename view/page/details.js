// What is known of the item that is chosen.

export function el(name, text, parent, cls) {
  const e = document.createElement(name)
  if (text !== undefined && text !== null) e.textContent = text
  if (cls) e.className = cls
  if (parent) parent.append(e)
  return e
}

const MOST = 100 // inputs or consumers that are listed

// details fills an element with what is known of an item, or of the graph if that is null; go(tree, node) is called when a node in it is
// clicked, with no tree for one of the graph itself, and toggle(item) to fold or unfold.
export function details(into, graph, item, go, toggle) {
  into.replaceChildren()
  if (!item) {
    signatures(into, graph, node => go(null, node))
    el('p', 'Click a node for its inputs, types, attributes and documentation; + or a double click unfolds a box.', into, 'faint')
    el('p', 'Keys: arrows move along edges and between items, space unfolds, Escape leaves a node, + and \u2212 zoom, 0 fits, / searches.', into, 'faint')
    const left = graph.model.omitted
    if (left) el('p', `Left out, as there are too many: the bodies of ${left} ${left === 1 ? 'function' : 'functions'}.`, into)
    if (graph.data.note) el('p', graph.data.note, into, 'pre note')
    return
  }
  if (item.kind === 'leaf') node(into, item, go, toggle)
  else box(into, item, go, toggle)
}

// signatures lists what a SavedModel computes, with links to the nodes.
function signatures(into, graph, go) {
  for (const s of graph.data.signatures || []) {
    el('h2', s.key, into)
    const table = el('table', null, into)
    for (const [what, ports] of [['in', s.inputs], ['out', s.outputs]]) {
      for (const [name, node, , type] of ports) {
        const line = el('tr', null, table)
        el('td', what, line, 'faint')
        const cell = el('td', null, line)
        if (node < 0) el('span', name, cell)
        else button(cell, name, () => go(node))
        el('td', type, line)
      }
    }
  }
}

function box(into, item, go, toggle) {
  el('h2', item.label, into)
  el('p', `${item.kind === 'run' ? 'part of a large box' : item.kind}, ${item.count} ${item.count === 1 ? 'node' : 'nodes'}`, into, 'faint')
  button(into, item.open ? 'fold' : 'unfold', () => toggle(item))
  const { tree } = item, g = tree.graph, ops = new Map()
  const loop = item.kind === 'frame' && (g.data.loops || []).find(l => 'frame ' + l.frame === item.label)
  if (loop) {
    el('h3', loop.unit ? 'a unit' : 'by tokens', into)
    el('p', loop.unit ? 'The loop is compiled: it executes as instructions in a fixed order.' : 'The loop is not a unit: ' + loop.reason, into)
    if (loop.form) {
      const more = el('details', null, into)
      el('summary', 'form', more)
      el('p', loop.form, more, 'pre note')
    }
  }
  for (let k = item.from; k < item.to; k++) {
    const op = g.op(tree.leaves[k].node)
    ops.set(op, (ops.get(op) || 0) + 1)
  }
  el('h3', 'operations', into)
  const table = el('table', null, into)
  for (const [op, count] of [...ops].sort((a, b) => b[1] - a[1]).slice(0, MOST)) {
    const row = el('tr', null, table)
    el('td', count, row)
    el('td', op, row)
  }
}

function button(into, text, does) {
  const b = el('button', text, into)
  b.addEventListener('click', does)
  return b
}

function node(into, item, go, toggle) {
  const { tree, node: i } = item, g = tree.graph
  const op = g.model.ops[g.op(i)] || {}
  el('h2', g.name(i), into)
  el('p', g.op(i) + (op.summary ? ': ' + op.summary : ''), into)
  if (op.text) {
    const more = el('details', null, into)
    el('summary', 'documentation', more)
    el('p', op.text, more, 'pre')
  }
  for (const f of g.calls(i)) el('p', 'calls ' + f.title, into)
  if (item.foldable) button(into, item.open ? 'fold' : 'unfold', () => toggle(item))
  const place = []
  if (g.frame(i) > 0) place.push('frame ' + g.frames[g.frame(i)][0])
  if (g.device(i)) place.push(g.device(i))
  if (tree.within) place.push('in a call of ' + g.title)
  if (place.length) el('p', place.join(' \u00b7 '), into, 'faint')

  const later = g.kind === 'function' ? [] : g.model.graphs.filter(o => o.kind === 'run' && o.index > g.index), gone = later.find(o => !o.named.has(g.name(i)))
  if (gone) el('p', `gone in: ${gone.title}`, into)

  const link = (list, j, text, after) => {
    const li = el('li', null, list)
    if (j < 0) el('span', text || 'not part of this graph', li, 'faint')
    else button(li, text || g.name(j), () => go(tree, j))
    if (after) el('span', ' ' + after, li, 'faint')
  }
  if (g.numInputs(i) || g.controls(i).length) {
    el('h3', 'inputs', into)
    const list = el('ul', null, into)
    for (let k = 0; k < Math.min(MOST, g.numInputs(i)); k++) {
      const e = g.input(i, k), name = (op.inputs || [])[k]
      const type = e.node >= 0 ? g.outputs(e.node)[e.port] || '' : ''
      link(list, e.node, e.node >= 0 ? g.name(e.node) + (e.port ? ':' + e.port : '') : '', (name && (op.inputs.length === g.numInputs(i)) ? `${name}: ` : '') + type + (e.back ? ', closes the loop' : ''))
    }
    for (const c of g.controls(i).slice(0, MOST)) link(list, c, c >= 0 ? '^' + g.name(c) : '', 'control')
    const left = Math.max(0, g.numInputs(i) - MOST) + Math.max(0, g.controls(i).length - MOST)
    if (left) el('li', `and ${left} more`, list, 'faint')
  }
  const outputs = g.outputs(i)
  if (outputs.length) {
    el('h3', 'outputs', into)
    const list = el('ul', null, into)
    outputs.slice(0, MOST).forEach((text, k) => el('li', `${(op.outputs || []).length === outputs.length ? op.outputs[k] : k}: ${text}`, list))
  }
  const consumers = g.consumers(i), e = g.edges
  if (consumers.length) {
    el('h3', `consumers (${consumers.length})`, into)
    const list = el('ul', null, into)
    for (const k of consumers.slice(0, MOST)) link(list, e.to[k], g.name(e.to[k]), e.port[k] < 0 ? 'control' : outputs.length > 1 ? 'of output ' + e.port[k] : '')
    if (consumers.length > MOST) el('li', `and ${consumers.length - MOST} more`, list, 'faint')
  }
  const value = g.value(i)
  if (value) elements(into, value)
  const attrs = g.attrs(i).filter(([name]) => !value || name !== 'value')
  if (attrs.length) {
    el('h3', 'attributes', into)
    const table = el('table', null, into)
    for (const [name, text] of attrs) {
      const row = el('tr', null, table)
      el('td', name, row, 'faint')
      el('td', text, row)
    }
  }
}

// elements shows a constant.
function elements(into, v) {
  el('h3', `value: ${v.type} ${v.shape}, ${v.count} ${v.count === 1 ? 'element' : 'elements'}`, into)
  el('p', v.first.join(', ') + (v.count > v.first.length ? ', \u2026' : ''), into)
  if (v.Min === undefined) return
  const facts = [['smallest', v.Min], ['largest', v.Max], ['mean', v.Mean], ['standard deviation', v.Deviation], ['zeros', v.Zeros], ['NaN', v.NaNs], ['infinite', v.Infinities]]
  if (v.count > 1) {
    const table = el('table', null, into)
    for (const [name, x] of facts) {
      if (x === undefined || (name === 'NaN' || name === 'infinite') && !x) continue
      const row = el('tr', null, table)
      el('td', name, row, 'faint')
      el('td', String(Number.isInteger(x) ? x : Number(x.toPrecision(6))), row)
    }
  }
  if (!v.Bins) return
  const SVG = 'http://www.w3.org/2000/svg', most = Math.max(...v.Bins), w = 300, h = 60
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', `0 0 ${w} ${h}`)
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', `histogram from ${v.Min} to ${v.Max}, fullest bin ${most}`)
  v.Bins.forEach((n, i) => {
    const bar = document.createElementNS(SVG, 'rect'), height = n ? Math.max(1, h * n / most) : 0, each = w / v.Bins.length
    for (const [k, x] of Object.entries({ class: 'bar', x: i * each, y: h - height, width: each - 1, height })) bar.setAttribute(k, x)
    const title = document.createElementNS(SVG, 'title')
    title.textContent = `${n} of ${v.count}`
    bar.append(title)
    svg.append(bar)
  })
  into.append(svg)
}
