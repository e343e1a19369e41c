import nlp from "compromise"
import { parseMarkdown } from "../core/files/markdown/index.js"
import { termsOf } from "../core/knowledge/document-facts/index.js"
import { loadTagger, readProse } from "../core/knowledge/prose/index.js"
import {
  type FoundInProse,
  foundBy,
  markedParagraphs,
  scoresOf,
  smallWordsOf
} from "../test/support/marked-prose.js"
import type { RunBench } from "./result.js"

const ours = (text: string): FoundInProse => {
  const small = smallWordsOf(text)
  return foundBy(readProse(text, [{ start: 0, end: text.length }], (word) => small.has(word)))
}

/** The names that compromise lists by itself. */
const compromiseAlone = (text: string): FoundInProse => {
  const view = nlp(text)
  const listed = (type: string, names: ReadonlyArray<string>) =>
    names.map((name) => ({ name: name.replace(/[.,;:()]/gu, "").trim(), type }))
  return {
    names: [
      ...listed("person", view.people().out("array")),
      ...listed("organization", view.organizations().out("array")),
      ...listed("place", view.places().out("array"))
    ],
    relations: []
  }
}

/** The terms that the rules for capitals find in any language. */
const termsAlone = (text: string): FoundInProse => ({
  names: termsOf(text, text, parseMarkdown(text, 0)).terms.map(({ name }) => ({ name, type: null })),
  relations: []
})

/** Recall and precision of names, types and relations on marked prose. */
export const extraction: RunBench = async ({ report, say }) => {
  await loadTagger()
  const all = markedParagraphs()
  const sets = [
    ["open half", all.filter(({ isOpen }) => isOpen)],
    ["held-out half", all.filter(({ isOpen }) => !isOpen)],
    ["hard paragraphs", all.filter(({ isHard }) => isHard)],
    ...[...new Set(all.map(({ kind }) => kind))].map(
      (kind) => [kind, all.filter((one) => one.kind === kind)] as const
    )
  ] as const
  for (const [set, paragraphs] of sets) {
    const mine = scoresOf(paragraphs, ours)
    const peers = [
      ["compromise alone", scoresOf(paragraphs, compromiseAlone)],
      ["rules for capitals", scoresOf(paragraphs, termsAlone)]
    ] as const
    say(`${set}: ${paragraphs.length} paragraphs, ${mine.names.n} names, ${mine.relations.n} relations`)
    const line = { collection: set, unit: "share" }
    for (const [peer, theirs] of peers)
      for (const measure of ["recall", "precision"] as const) {
        const [own, floor] = [mine.names[measure], theirs.names[measure]]
        report({
          ...line,
          metric: `names, ${measure}`,
          ours: own,
          floor,
          n: mine.names.n,
          peer
        })
      }
    report({ ...line, metric: "types, precision", ours: mine.kinds.precision, n: mine.names.n })
    for (const measure of ["recall", "precision"] as const)
      report({
        ...line,
        metric: `relations, ${measure}`,
        ours: mine.relations[measure],
        n: mine.relations.n
      })
  }
}
