// Search by name, operation, and type with shape.

const MOST = 200

// search returns the nodes of a graph that match a query: words that must all match, each
// "name:…", "op:…", "shape:…", or without any of these something of either.
export function search(g, query) {
  const words = query.toLowerCase().match(/(?:(?:name|op|shape|device):)?(?:\[[^\]]*\]?|[^\s[]+)+/g) || []
  const tests = words.map(w => {
    const [, field, text] = /^(?:(name|op|shape|device):)?(.*)$/s.exec(w)
    const name = i => g.name(i).toLowerCase().includes(text)
    const op = field ? i => g.op(i).toLowerCase() === text : i => g.op(i).toLowerCase().includes(text)
    const shape = i => g.outputs(i).some(o => o.toLowerCase().replaceAll(' ', '').includes(text.replaceAll(' ', '')))
    const device = i => g.device(i).toLowerCase().includes(text)
    return { name, op, shape, device }[field] || (i => name(i) || op(i) || shape(i))
  })
  const found = []
  let more = 0
  if (!tests.length) return { found, more }
  for (let i = 0; i < g.size; i++) {
    if (!tests.every(t => t(i))) continue
    if (found.length < MOST) found.push(i)
    else more++
  }
  return { found, more }
}
