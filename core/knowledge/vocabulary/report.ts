import { type Concept, noReport, reportedMax, type SkosImportReport, type Vocabulary } from "./model.js"
import type { ConceptPlan } from "./plan-concept.js"

/** Returns the report with the outcome of a concept added. */
export const withOutcome = (
  report: SkosImportReport,
  { iri }: Concept,
  verdict: ConceptPlan
): SkosImportReport => {
  switch (verdict._tag) {
    case "New":
      return { ...report, created: report.created + 1 }
    case "Matched":
    case "Adopted":
      return { ...report, matched: report.matched + 1 }
    case "Conflict": {
      const { existingId, reason } = verdict
      return { ...report, conflicts: atMost(report.conflicts, { conceptId: iri, existingId, reason }) }
    }
    case "Skipped":
      return {
        ...report,
        skipped: report.skipped + 1,
        problems: atMost(report.problems, { conceptId: iri, reason: verdict.reason, targetId: null })
      }
  }
}

/** Returns the initial report of an import. */
export const firstReport = ({ collections, notKept, unnamed }: Vocabulary): SkosImportReport => ({
  ...noReport(),
  collections,
  notKept: [...notKept],
  skipped: unnamed.length,
  problems: unnamed
    .slice(0, reportedMax)
    .map((conceptId) => ({ conceptId, reason: "no_iri", targetId: null }))
})

/** Returns the report with a broken link added. */
export const withBrokenLink = (
  report: SkosImportReport,
  conceptId: string,
  targetId: string
): SkosImportReport => ({
  ...report,
  problems: atMost(report.problems, { conceptId, reason: "broken_link", targetId })
})

const atMost = <Item>(items: ReadonlyArray<Item>, item: Item): Array<Item> =>
  items.length < reportedMax ? [...items, item] : [...items]
