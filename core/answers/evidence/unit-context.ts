import type { TextUnit } from "../../language/text-analysis/index.js"
import type { EvidencePassage } from "./evidence.js"

/**
 * Returns the nearest heading above a unit; empty when there is none. A heading of a change log that names a kind of
 * change stands behind that of its release, which has the version and the date: "3.2.0 - 2026-03-11: Added".
 */
export const headingOf = ({ passage: { headingPath } }: EvidencePassage, { heading }: TextUnit): string => {
  const nearest = heading === "" ? (headingPath.at(-1) ?? "") : heading
  if (!kindOfChange.test(nearest)) return nearest
  const above = headingPath[headingPath.lastIndexOf(nearest) - 1] ?? headingPath.at(-1) ?? ""
  return release.test(above) ? `${above}: ${nearest}` : nearest
}

/** The kinds of changes of Keep a Changelog 1.1.0 and of Conventional Changelog. */
const kindOfChange =
  /^(?:added|changed|deprecated|removed|fixed|security|features?|(?:bug ?)?fixes|performance improvements|reverts|⚠? ?breaking changes)$/iu
const release = /^(?:version |release )?\[?v?\d{1,4}\.\d{1,4}/iu
