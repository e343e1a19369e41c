import { AnchorField, type TermSet } from "../../language/text-analysis/index.js"
import { valueEntails } from "../../language/values/index.js"
import type { Span } from "../evidence/index.js"
import type { ReadWindow } from "./claim-features.js"
import { substitutedIn } from "./substitution.js"
import type { ClaimReader, Window } from "./windows.js"

/** Minimum match of a word that a source has. */
const heldMin = 0.55

/**
 * Returns the stretches of a refused claim that no source carries: words in the place of others, and the values, names
 * and words that the best window lacks. Empty where each is there and what they say together is not.
 */
export const unmatchedIn = (
  claim: ClaimReader,
  best: Window,
  windows: ReadonlyArray<ReadWindow>
): ReadonlyArray<Span> => {
  const sets: ReadonlyArray<TermSet> = [
    ...windows.flatMap(({ window }) => window.pieces.map(({ set }) => set)),
    claim.setOf(best.around)
  ]
  const field = new AnchorField([...best.pieces.map(({ text }) => text), best.around].join(" | "))
  const given = [...best.pieces.flatMap(({ values }) => values), ...claim.readOf(best.around).values]
  return merged([
    ...substitutedIn(claim, best),
    ...claim.values.filter((value) => !given.some((other) => valueEntails(other, value))),
    ...claim.names.flatMap((name) => {
      const start = field.has(name) ? -1 : claim.text.indexOf(name.text)
      return start < 0 ? [] : [{ start, end: start + name.text.length }]
    }),
    ...claim
      .termsOf(claim.text)
      .filter(
        (term) =>
          !claim.values.some(({ end, start }) => start < term.end && term.start < end) &&
          !sets.some((set) => set.match(term.term, claim.language) >= heldMin)
      )
  ])
}

/** Joins what overlaps, in the order of the text. */
const merged = (spans: ReadonlyArray<Span>): ReadonlyArray<Span> => {
  const found: Array<Span> = []
  for (const { end, start } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = found.at(-1)
    if (last !== undefined && start < last.end)
      found[found.length - 1] = { start: last.start, end: Math.max(last.end, end) }
    else found.push({ start, end })
  }
  return found
}
