// The page: a drawing of one of the graphs, and next to it what is known of the chosen
// item.

import { Model } from './model.js'
import { Tree } from './tree.js'
import { Drawing } from './draw.js'
import { details, el } from './details.js'
import { search } from './search.js'
import { write, read } from './place.js'
import { Player } from './player.js'

const MOST = 1000 // nodes are unfolded at once
const ALL = 60 // a graph with no more nodes than that opens unfolded
const FORWARDS = 30 // a body of fewer nodes, of which one is a call, is there for that call

const byId = id => document.getElementById(id)
const data = JSON.parse(byId('data').textContent)
const model = new Model(data), models = data.other ? [model, new Model(data.other)] : [model]
const drawing = new Drawing(byId('drawing'), { choose, toggle, moved: note })
let tree = null, chosen = null, timer = 0, ready = false

// The second drawing shows another run, of the same graph or of another; what is unfolded
// and in sight is the same in both.
const second = new Drawing(byId('drawing-b'), { choose: chooseOther, toggle: toggleOther, moved: () => { follow(second, drawing); note() } }, 'arrow-b')
const panes = [{ drawing, get tree() { return tree } }, { drawing: second, tree: null }]
const player = new Player(models, panes, {
  show: (pane, graph) => {
    if (pane === panes[0]) {
      if (tree.graph === graph) return
      show(graph.index, byId('by').value)
      draw()
      drawing.fit()
    } else {
      pane.tree = new Tree(graph, byId('by').value, null)
      mirror()
    }
  },
  moved: () => note(),
  go: (pane, graph, node) => {
    if (pane === panes[0] && tree.graph !== graph) show(graph.index, byId('by').value)
    if (pane === panes[0]) go(tree, node)
    else { pane.tree.reveal(node); mirror(true); const leaf = pane.tree.leafOf[node]; second.center(leaf); chooseOther(leaf) }
  },
  panes: both,
})

function both(shown) {
  byId('drawing-b').toggleAttribute('hidden', !shown)
  byId('lanes-b').hidden = !shown
  document.body.classList.toggle('both', shown)
  if (!shown) panes[1].tree = null
}

function draw() {
  drawing.show(tree, chosen, marked())
  if (panes[1].tree) mirror()
  if (ready && player.ready) player.show()
  note()
}

// mirror unfolds in the second drawing what is unfolded in the first.
function mirror(keep) {
  const t = panes[1].tree
  if (!keep) {
    const open = new Set(opened()), visit = [t.root]
    for (const c of t.root.parts) fold(c)
    while (visit.length) {
      const at = visit.pop()
      if (open.has(at.id)) at.setOpen(true)
      visit.push(...at.parts)
    }
  }
  second.show(t, null, null)
  follow(drawing, second)
}

function follow(from, to) {
  if (!panes[1].tree) return
  to.x = from.x
  to.y = from.y
  to.k = from.k
  to.move()
}

function chooseOther(item) {
  second.choose(item)
  details(byId('details'), panes[1].tree.graph, item, (t, node) => { panes[1].tree.reveal(node); mirror(true); chooseOther(t.leafOf[node]) }, toggleOther)
  if (item && item.kind === 'leaf') player.executions(byId('details'), item.tree.graph, item.node)
}

function toggleOther(item) {
  if (!item.foldable) return
  item.setOpen(!item.open)
  mirror(true)
  player.show()
}

// marked returns what tells the nodes of a run that the first graph does not have.
function marked() {
  if (tree.graph.kind !== 'run') return null
  const { typed } = model.graphs[tree.graph.data.before || 0]
  return ({ tree: { graph: g }, node }) => g === tree.graph && !typed.has(g.name(node) + ' ' + g.op(node))
}

function choose(item) {
  chosen = item
  drawing.choose(item)
  details(byId('details'), tree.graph, item, go, toggle)
  if (item && item.kind === 'leaf') player.executions(byId('details'), item.tree.graph, item.node)
  if (!item) player.costs(byId('details'))
  note()
}

// toggle folds or unfolds an item, which stays where it is in the window.
function toggle(item) {
  if (!item.foldable) return
  const x = item.ax * drawing.k + drawing.x, y = item.ay * drawing.k + drawing.y
  item.setOpen(!item.open)
  if (!item.open) for (let at = chosen; at && at !== item; at = at.above) if (at.above === item) { chosen = item; break }
  draw()
  drawing.x = x - item.ax * drawing.k
  drawing.y = y - item.ay * drawing.k
  drawing.move()
  details(byId('details'), tree.graph, chosen, go, toggle)
  drawing.focus(item)
  note()
}

// go shows a node of a tree, or of the whole graph.
function go(of, node) {
  const leaf = (of || tree).reveal(node)
  chosen = leaf
  draw()
  drawing.center(leaf)
  choose(leaf)
}

function show(index, by) {
  const g = model.graphs[index] || model.graphs[0]
  tree = new Tree(g, by, null)
  chosen = null
  byId('graph').value = g.index
  byId('by').value = by
  if (g.size <= ALL) unfold(tree.root)
}

// unfold unfolds a box and those in it, as long as not too much is shown.
function unfold(root) {
  const visit = [root]
  let left = MOST
  for (let k = 0; k < visit.length; k++) {
    const at = visit[k]
    if (at.kind === 'leaf' || at.children.length > left) continue
    left -= at.children.length
    at.setOpen(true)
    visit.push(...at.children)
  }
}

// enter unfolds what the first signature of a SavedModel calls, down to the function that
// does more than call another, and returns its body; null if there is none.
function enter() {
  const [first] = tree.graph.data.signatures || []
  const output = first && first.outputs.find(([, node]) => node >= 0)
  if (!output) return null
  let leaf = tree.leafOf[output[1]], body = null
  for (let depth = 0; leaf && leaf.foldable && depth < 8; depth++) {
    for (let at = leaf; at; at = at.above) at.setOpen(true)
    if (leaf.bodies.length !== 1) break
    body = leaf.bodies[0].root
    const calls = leaf.bodies[0].leaves.filter(l => l.foldable)
    leaf = calls.length === 1 && body.count < FORWARDS ? calls[0] : null
  }
  // Most of a model is often in a scope of its name.
  for (let at = body; at;) {
    at = at.children.find(c => c.kind === 'scope' && 2 * c.count > at.count)
    if (at) at.setOpen(true)
  }
  return body
}

// opened returns the ids of what is unfolded, and find the items that have them.
function opened() {
  const ids = [], visit = [tree.root]
  while (visit.length) {
    const at = visit.pop()
    if (at.open && at.above) ids.push(at.id)
    visit.push(...at.parts)
  }
  return ids.slice(0, 400)
}

function restore(place) {
  show(place.graph, ['scope', 'frame', 'device'].includes(place.by) ? place.by : 'scope')
  const open = new Set(place.open)
  if (tree.graph.size <= ALL) for (const c of tree.root.parts) fold(c)
  const visit = [tree.root]
  while (visit.length) {
    const at = visit.pop()
    if (open.has(at.id)) at.setOpen(true)
    if (place.chosen && at.id === place.chosen) chosen = at
    visit.push(...at.parts)
  }
  draw()
  if (place.view) {
    [drawing.x, drawing.y, drawing.k] = place.view
    drawing.move()
  } else drawing.fit()
  choose(chosen)
}

function fold(item) {
  const visit = [item], all = []
  while (visit.length) { const at = visit.pop(); all.push(at); visit.push(...at.parts) }
  for (const at of all.reverse()) if (at.above) at.setOpen(false)
}

function note() {
  follow(drawing, second)
  clearTimeout(timer)
  timer = setTimeout(() => {
    try { history.replaceState(null, '', write({ graph: tree.graph.index, by: tree.by, open: opened(), chosen: chosen && chosen.id, x: drawing.x, y: drawing.y, k: drawing.k, moment: player.ready ? player.moment : undefined, pair: player.pair })) } catch { /* in a frame */ }
  }, 150)
}

function list() {
  const g = tree.graph, into = byId('found'), { found, more } = search(g, byId('search').value)
  into.replaceChildren()
  into.hidden = !byId('search').value.trim()
  for (const i of found) {
    const b = el('button', g.name(i), el('li', null, into))
    b.addEventListener('click', () => go(tree, i))
    el('span', ' ' + g.op(i) + ' ' + g.outputs(i).join(', '), b.parentNode, 'faint')
  }
  if (!into.hidden) el('li', found.length ? more ? `and ${more} more` : `${found.length} found` : 'nothing found', into, 'faint')
}

document.title = model.title
byId('title').textContent = model.title
for (const g of model.graphs) {
  const o = el('option', `${g.title} (${g.size} ${g.size === 1 ? 'node' : 'nodes'})`, byId('graph'))
  o.value = g.index
}
const change = () => { show(Number(byId('graph').value), byId('by').value); draw(); drawing.fit(); choose(null); list() }
byId('graph').addEventListener('change', change)
byId('by').addEventListener('change', change)
byId('search').addEventListener('input', list)
byId('search').addEventListener('keydown', e => { if (e.key === 'Enter') { const first = byId('found').querySelector('button'); if (first) first.click() } })
byId('in').addEventListener('click', () => drawing.zoom(1.25))
byId('out').addEventListener('click', () => drawing.zoom(0.8))
byId('fit').addEventListener('click', () => drawing.fit())
byId('unfold').addEventListener('click', () => { unfold(tree.root); draw(); drawing.fit(); choose(chosen) })
byId('fold').addEventListener('click', () => { for (const c of tree.root.parts) fold(c); chosen = null; draw(); drawing.fit(); choose(null) })
addEventListener('keydown', e => { if (e.key === '/' && !/^(INPUT|SELECT)$/.test(e.target.tagName)) { e.preventDefault(); byId('search').focus() } })
addEventListener('hashchange', () => { const place = read(location.hash); if (place) { restore(place); if (player.ready && place.moment >= 0) player.set(place.moment) } })

const place = read(location.hash)
if (player.ready && place && place.pair) player.pair = place.pair.map(i => i < player.runs.length ? i : -1)
if (player.ready && player.pair[0] < 0) player.pair[0] = 0
if (player.ready) both(player.other !== null)
if (place) restore(place)
else {
  const first = player.ready ? player.run.graphOf(0).index : 0
  show(first, player.ready && model.graphs[first].frames.length > 1 ? 'frame' : 'scope')
  const body = player.ready ? null : enter()
  draw()
  drawing.fit(body)
  choose(null)
}
ready = true
if (player.ready) {
  player.start(place && place.moment >= 0 ? place.moment : undefined)
  drawing.fit()
  if (place && place.view) { [drawing.x, drawing.y, drawing.k] = place.view; drawing.move() }
}
document.documentElement.dataset.ready = 'yes'
