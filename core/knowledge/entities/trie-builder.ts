/** A finished trie in columns. A node's number is that of its incoming edge plus 1; 0 is the root. */
export interface FrozenTrie {
  /** The edges below node n lie in [starts[n], starts[n + 1]). */
  readonly starts: Int32Array
  /** Labels of the edges, ascending at each node. */
  readonly labels: Int32Array
  /** The names that end at node n lie in [nameStarts[n], nameStarts[n + 1]). */
  readonly nameStarts: Int32Array
  readonly names: Int32Array
}

/** Builds a trie from paths of labels and the numbers of their names. */
export class TrieBuilder {
  /** For each node its parent, the label of its incoming edge, and the last name that ended here. */
  readonly #parents = new Ints()
  readonly #labels = new Ints()
  readonly #lastNames = new Ints()
  /** The nodes where names end, and the names. */
  readonly #ends = new Ints()
  readonly #names = new Ints()
  /** Child nodes by parent and label; 0 marks a free slot, as no edge leads to the root. */
  #table = new Int32Array(1 << 10)

  constructor() {
    this.#node(-1, -1)
  }

  /** Adds a path; consecutive duplicates of one name count once. */
  add(path: ReadonlyArray<number>, name: number): void {
    let node = 0
    for (const label of path) node = this.#child(node, label)
    if (this.#lastNames.at(node) === name) return
    this.#lastNames.set(node, name)
    this.#ends.push(node)
    this.#names.push(name)
  }

  /** Numbers the nodes level by level, so that the children of a node are contiguous. */
  freeze(): FrozenTrie {
    const count = this.#parents.length
    const parents = this.#parents.all()
    const below = grouped(parents.subarray(1), count)
    const order = new Int32Array(count)
    const numbers = new Int32Array(count)
    const [starts, labels] = [new Int32Array(count + 1), new Int32Array(count - 1)]
    let next = 1
    for (let number = 0; number < count; number++) {
      const node = order[number] ?? 0
      starts[number] = next - 1
      const children: Array<number> = []
      for (let at = below.starts[node] ?? 0; at < (below.starts[node + 1] ?? 0); at++)
        children.push((below.places[at] ?? 0) + 1)
      if (children.length > 1) children.sort((a, b) => this.#labels.at(a) - this.#labels.at(b))
      for (const child of children) {
        order[next] = child
        numbers[child] = next
        labels[next - 1] = this.#labels.at(child)
        next += 1
      }
    }
    starts[count] = count - 1
    const ends = this.#ends.all().map((node) => numbers[node] ?? 0)
    const found = grouped(ends, count)
    const names = this.#names.all()
    return { starts, labels, nameStarts: found.starts, names: found.places.map((place) => names[place] ?? 0) }
  }

  #child(parent: number, label: number): number {
    const mask = this.#table.length - 1
    let slot = slotOf(parent, label) & mask
    for (let node = this.#table[slot] ?? 0; node !== 0; node = this.#table[slot] ?? 0) {
      if (this.#parents.at(node) === parent && this.#labels.at(node) === label) return node
      slot = (slot + 1) & mask
    }
    const node = this.#node(parent, label)
    this.#table[slot] = node
    if (node * 2 > this.#table.length) this.#grow()
    return node
  }

  #node(parent: number, label: number): number {
    this.#parents.push(parent)
    this.#labels.push(label)
    this.#lastNames.push(-1)
    return this.#parents.length - 1
  }

  #grow(): void {
    const table = new Int32Array(this.#table.length * 2)
    const mask = table.length - 1
    for (let node = 1; node < this.#parents.length; node++) {
      let slot = slotOf(this.#parents.at(node), this.#labels.at(node)) & mask
      while (table[slot] !== 0) slot = (slot + 1) & mask
      table[slot] = node
    }
    this.#table = table
  }
}

/** A growing list of 32-bit integers. */
class Ints {
  #data = new Int32Array(1 << 10)
  length = 0

  at(place: number): number {
    return this.#data[place] ?? 0
  }

  set(place: number, value: number): void {
    this.#data[place] = value
  }

  push(value: number): void {
    if (this.length === this.#data.length) {
      const longer = new Int32Array(this.length * 2)
      longer.set(this.#data)
      this.#data = longer
    }
    this.#data[this.length++] = value
  }

  all(): Int32Array {
    return this.#data.subarray(0, this.length)
  }
}

/** Returns positions grouped by key, stable within a key (counting sort). */
const grouped = (keys: Int32Array, keyCount: number) => {
  const starts = new Int32Array(keyCount + 1)
  for (const key of keys) starts[key + 1] = (starts[key + 1] ?? 0) + 1
  for (let key = 0; key < keyCount; key++) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0)
  const next = starts.slice()
  const places = new Int32Array(keys.length)
  keys.forEach((key, place) => {
    const at = next[key] ?? 0
    places[at] = place
    next[key] = at + 1
  })
  return { starts, places }
}

/** Returns the first slot to probe in a hash table of this many bits. */
export const slotOf = (node: number, label: number): number =>
  (Math.imul(node, 0x9e3779b1) ^ Math.imul(label + 1, 0x85ebca6b)) >>> 3
