import type { Tokens } from "../../core/knowledge/entities/tokens.js"

interface Node {
  readonly below: Map<string, Node>
  ends: boolean
}

/** The least that finds names: a trie of maps over words, the longest at each place, none overlapping another. */
export const tokenTrie = (keys: Iterable<string>) => {
  const root: Node = { below: new Map(), ends: false }
  for (const key of keys) {
    let node = root
    for (const word of key.split(" ")) {
      const next = node.below.get(word) ?? { below: new Map(), ends: false }
      node.below.set(word, next)
      node = next
    }
    node.ends = true
  }
  return ({ words }: Tokens): ReadonlyArray<string> => {
    const found: Array<string> = []
    for (let at = 0; at < words.length; ) {
      let end = at
      let node = root.below.get(words[at] ?? "")
      for (let next = at + 1; node !== undefined; next++) {
        if (node.ends) end = next
        node = node.below.get(words[next] ?? "")
      }
      if (end > at) found.push(words.slice(at, end).join(" "))
      at = Math.max(end, at + 1)
    }
    return found
  }
}
