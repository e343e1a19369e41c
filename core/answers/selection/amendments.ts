import {
  amendmentIn,
  type ReadPassage,
  type ReadText,
  type ReadUnit
} from "../../language/text-analysis/index.js"
import { memoize } from "../../platform/caching/index.js"
import type { EvidencePassage } from "../evidence/index.js"

/** A statement that replaces words of another one. */
export interface AmendingUnit {
  readonly source: EvidencePassage
  readonly unit: ReadUnit
  readonly old: string
}

const amending = memoize((passage: ReadPassage) =>
  passage.units.flatMap((unit) => {
    const amendment = unit.kind === "list" || unit.kind === "code" ? null : amendmentIn(unit)
    return amendment === null ? [] : [{ unit, old: amendment.old }]
  })
)

/** Returns the statements of other passages that replace words of this one. */
export const amendmentsOf = (
  sources: ReadonlyArray<EvidencePassage>,
  { text }: Pick<ReadText, "text">
): ReadonlyArray<AmendingUnit> =>
  sources.flatMap((source) =>
    amending(source.read).flatMap(({ old, unit }) =>
      unit.text !== text && holds(text, old) ? [{ source, unit, old }] : []
    )
  )

const holds = (text: string, words: string): boolean => {
  const at = text.indexOf(words)
  return (
    at >= 0 &&
    !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 1), at)) &&
    !/^[\p{L}\p{N}]/u.test(text.slice(at + words.length, at + words.length + 1))
  )
}

/** Returns the passages of a pool that amend one of the chosen ones. */
export const amendingPassages = (
  pool: ReadonlyArray<EvidencePassage>,
  chosen: ReadonlyArray<EvidencePassage>
): ReadonlyArray<EvidencePassage> => {
  const chosenIds = new Set(chosen.map(({ passage }) => passage.id))
  const others = pool.filter(({ passage, read }) => !chosenIds.has(passage.id) && amending(read).length > 0)
  return others.filter((source) =>
    amending(source.read).some(({ old }) => chosen.some(({ text }) => holds(text, old)))
  )
}
