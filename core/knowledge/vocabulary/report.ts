import {
  type Concept,
  type EditionChange,
  noReport,
  reportedMax,
  type SkosImportReport,
  type Vocabulary
} from "./model.js"
import type { ConceptPlan } from "./plan-concept.js"

/** What a report needs of the outcome for a concept. */
export type Outcome = Exclude<ConceptPlan, { readonly _tag: "LeftOut" }> | { readonly _tag: "LeftOut" }

/** Returns the report with the outcome of a concept added. */
export const withOutcome = (
  report: SkosImportReport,
  { iri }: Pick<Concept, "iri">,
  verdict: Outcome
): SkosImportReport => {
  switch (verdict._tag) {
    case "New": {
      const { qualified } = verdict.entry.details
      const created = { ...report, created: report.created + 1 }
      return qualified === undefined
        ? created
        : listed(created, "renamed", { conceptId: iri, name: qualified.name })
    }
    case "Matched":
    case "Adopted":
      return { ...report, matched: report.matched + 1 }
    case "Joined":
      return { ...report, joined: report.joined + 1 }
    case "LeftOut":
      return withDifferences(report, iri, ["gone"])
    case "Conflict": {
      const { existingId, reason } = verdict
      return listed(report, "conflicts", { conceptId: iri, existingId, reason })
    }
    case "Skipped": {
      const { totals } = report
      const proposedAlready = totals.proposedAlready + (verdict.reason === "proposed_already" ? 1 : 0)
      return listed(
        { ...report, skipped: report.skipped + 1, totals: { ...totals, proposedAlready } },
        "problems",
        { conceptId: iri, reason: verdict.reason, targetId: null }
      )
    }
  }
}

/** Returns the report with the ways added in which a known concept differs from the document. */
export const withDifferences = (
  report: SkosImportReport,
  conceptId: string,
  changes: ReadonlyArray<EditionChange>
): SkosImportReport => {
  let after = report
  for (const change of changes)
    after = listed({ ...after, [change]: after[change] + 1 }, "differences", { conceptId, change })
  return after
}

/** Returns the initial report of an import. */
export const firstReport = ({
  collections,
  notKept,
  notKeptTotal,
  unnamed
}: Pick<Vocabulary, "collections" | "notKept" | "notKeptTotal" | "unnamed">): SkosImportReport => {
  const none = noReport()
  return {
    ...none,
    collections,
    notKept: [...notKept],
    skipped: unnamed.length,
    problems: unnamed
      .slice(0, reportedMax)
      .map((conceptId) => ({ conceptId, reason: "no_iri", targetId: null })),
    totals: { ...none.totals, problems: unnamed.length, notKept: notKeptTotal }
  }
}

/** Returns the report with a broken link added. */
export const withBrokenLink = (
  report: SkosImportReport,
  conceptId: string,
  targetId: string
): SkosImportReport => {
  const { totals } = report
  const counted = { ...report, totals: { ...totals, brokenLinks: totals.brokenLinks + 1 } }
  return listed(counted, "problems", { conceptId, reason: "broken_link", targetId })
}

type List = "conflicts" | "problems" | "renamed" | "differences"

/** Returns the report with an item counted, and listed while the list is not full. */
const listed = <Name extends List>(
  report: SkosImportReport,
  name: Name,
  item: SkosImportReport[Name][number]
): SkosImportReport => ({
  ...report,
  [name]: report[name].length < reportedMax ? [...report[name], item] : report[name],
  totals: { ...report.totals, [name]: report.totals[name] + 1 }
})
