import { randomFrom } from "../../bench/random.js"
import type { Thesaurus, ThesaurusConcept } from "./thesaurus.js"

/** A report of a watch, and what whoever wrote it knows to stand in it. */
export interface WatchReport {
  readonly path: string
  readonly title: string
  readonly text: string
  /** Every label of a concept that stands in it, as often as it does. */
  readonly labels: ReadonlyArray<string>
  /** Titles of the reports that it links to, each once. */
  readonly links: ReadonlyArray<string>
}

const [linesOfEach, linksOfEach] = [9, 2]

/**
 * Reports that name concepts in English and French, two in each line. `always` are concepts that stand in the first
 * report, each once in a line of its own by its English label.
 */
export const makeReports = (
  { concepts }: Thesaurus,
  count: number,
  seed: number,
  always: ReadonlyArray<ThesaurusConcept>
): ReadonlyArray<WatchReport> => {
  const random = randomFrom(seed)
  const pick = <A>(all: ReadonlyArray<A>, fallback: A): A =>
    all[Math.floor(random() * all.length)] ?? fallback
  const labels = concepts.flatMap(({ preferred }) => [preferred["en"] ?? [], preferred["fr"] ?? []].flat())
  return Array.from({ length: count }, (_, place): WatchReport => {
    const named = [
      ...(place === 0 ? always.map(({ preferred }) => preferred["en"] ?? "") : []),
      ...Array.from({ length: linesOfEach * 2 }, () => pick(labels, ""))
    ].map((label) => label.toLowerCase())
    const links = [...new Set(Array.from({ length: linksOfEach }, () => Math.floor(random() * count)))]
      .filter((other) => other !== place)
      .map(titleOf)
    const lines = named.map((label) => `${pick(sentences, "")} ${label}.`)
    const title = titleOf(place)
    return {
      path: `reports/${title.toLowerCase().replaceAll(" ", "-")}.md`,
      title,
      text: [`# ${title}`, ...lines, ...links.map((link) => `More is in [[${link}]].`)].join("\n\n"),
      labels: named,
      links
    }
  })
}

const titleOf = (place: number): string => `Watch report ${String(place + 1).padStart(3, "0")}`

/** None of their words is a label. */
const sentences = [
  "At dawn somebody greased the",
  "Nobody had yet looked at the",
  "The tide was late, and with it came the",
  "After the rain we dried the",
  "On the list of the evening stands the",
  "It took three people to move the"
]
