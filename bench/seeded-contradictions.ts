/** Contradictions seeded into real documentation: statements of its pages with another value, in other words. */

import { sentences } from "../core/language/text-analysis/index.js"
import { findValues } from "../core/language/values/index.js"
import { randomFrom } from "./random.js"

/** A page of a vault. */
export interface VaultPage {
  readonly path: string
  readonly text: string
}

/** A page with one seeded statement, and the statement that it contradicts. */
export interface Seed extends VaultPage {
  readonly of: string
  readonly kind: string
  readonly original: string
  readonly changed: string
}

type Random = () => number

const pick = <A>(random: Random, all: ReadonlyArray<A>): A => {
  const found = all[Math.floor(random() * all.length)]
  if (found === undefined) throw new RangeError("Nothing to pick from.")
  return found
}

/** Text of paragraphs: no code, tables, lists, headings or front matter. */
const paragraphsOf = (text: string): ReadonlyArray<string> =>
  text
    .replace(/^---\n[\s\S]*?\n---\n/u, "")
    .replace(/```[\s\S]*?```/gu, "")
    .split(/\n\s*\n/u)
    .map((block) => block.trim())
    .filter((block) => /^[A-Z]/u.test(block) && !/^[|#>\-*!<:]/mu.test(block))

const plainLink = (text: string): string =>
  text
    .replace(/\[([^\]]*)\]\([^)]*\)/gu, "$1")
    .replace(/\[\[([^\]|]*\|)?([^\]]*)\]\]/gu, "$2")
    .replace(/\*\*|__/gu, "")
    .replace(/\s+/gu, " ")
    .trim()

const skipped =
  /\?|\w\/\d|\b(?:previously|in this case|please|then|examples?|for instance|suppose|imagine|let['’]s|above|below|following|version|changelog|deprecated|will|if|unless|may|might|could|figure|table|section|see|we|I|you)\b|https?:|\bEIP-|[{}<>=$\\]/iu

/** Statements of a page that stand alone and have a value that can be changed. */
const candidatesIn = (page: VaultPage): ReadonlyArray<{ readonly kind: string; readonly text: string }> =>
  paragraphsOf(page.text).flatMap((block) =>
    sentencesIn(plainLink(block))
      .filter(
        (text) =>
          text.length >= 30 && text.length <= 170 && /^[A-Z][^.]*\.$/u.test(text.replace(/\d\.\d/gu, "0"))
      )
      .filter(
        (text) =>
          !skipped.test(text) &&
          // The marker of the next list item.
          !/[\p{L}:,] [1-9]\.$/u.test(text) &&
          !/^(?:This|That|These|Those|It|They|Here|There|However|But|And|So)\b/u.test(text)
      )
      .flatMap((text) => {
        const kind = kindOf(text)
        return kind === null ? [] : [{ kind, text }]
      })
  )

const sentencesIn = (text: string): ReadonlyArray<string> =>
  sentences(text).map(({ end, start }) => text.slice(start, end).trim())

const kindOf = (text: string): string | null => {
  const quantities = findValues(text).filter(
    (value) => value.kind === "quantity" && value.dimension !== "ordinal"
  )
  if (quantities.length === 1 && /\b\d/u.test(text)) return "number"
  if (quantities.length > 0) return null
  if (
    /\b(?:is|are|be) (?:\w+ly )?(?:enabled|disabled|mandatory|optional|required)\b/u.test(text) &&
    !/\b(?:no|not|whether|when (?:enabled|disabled))\b/iu.test(text)
  )
    return "state"
  if (codeValue.test(text)) return "code"
  return null
}

const opposite: Readonly<Record<string, string>> = {
  enabled: "disabled",
  disabled: "enabled",
  mandatory: "optional",
  optional: "mandatory",
  required: "optional"
}

/** A code span that is the value of something: a default, a path, a command. */
const codeValue =
  /\bdefault\b[^`]{0,40}\b(?:is|to|value|path|port|under) `[^`]{1,30}`|\b(?:run|use|set to|equal to|defaults to|named|called) `[^`]{2,30}`/iu

/** Changes the value of a statement; null when that cannot be done. */
const changed = (kind: string, text: string, random: Random): string | null => {
  if (kind === "state")
    return text.replace(
      /(?<=\b(?:is|are|be) (?:\w+ly )?)(enabled|disabled|mandatory|optional|required)\b/u,
      (word) => opposite[word] ?? word
    )
  if (kind === "code")
    return text.replace(codeValue, (found) =>
      found.replace(/`([^`]{1,30})`$/u, (_, code: string) => `\`${otherCode(code)}\``)
    )
  // A number behind a name is a part of it: "RFC 3339", "SOC 2".
  const number = /(?<![\p{L}\d.,#-])(?<!\b\p{Lu}\p{Lu}[\p{L}]* )(\d+)(?:\.\d+)?(?![\d-]|[.,]\d)/u.exec(text)
  if (number === null) return null
  const value = Number(number[1])
  const other =
    value < 4 ? value + 2 + Math.floor(random() * 3) : Math.round(value * pick(random, [0.5, 1.5, 2, 3])) + 1
  return `${text.slice(0, number.index)}${other}${text.slice(number.index + number[0].length)}`
}

const otherCode = (code: string): string =>
  code === "true"
    ? "false"
    : code === "false"
      ? "true"
      : code.length > 3
        ? `${code.slice(0, 2)}alt-${code.length}`
        : "other"

/** Words that another author may write for these. */
const synonyms: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bmust\b/gu, "has to"],
  [/\bshould\b/gu, "ought to"],
  [/\buses\b/gu, "makes use of"],
  [/\bis used\b/gu, "serves"],
  [/\bcontains\b/gu, "has"],
  [/\bensures\b/gu, "guarantees"],
  [/\bstarts\b/gu, "begins"],
  [/\bshows\b/gu, "displays"],
  [/\bcreates\b/gu, "makes"],
  [/\ballows\b/gu, "lets people use"],
  [/\brequires\b/gu, "needs"],
  [/\bby default\b/gu, "unless configured otherwise"],
  [/\bmaximum\b/gu, "largest"],
  [/\bminimum\b/gu, "smallest"],
  [/\bcurrently\b/gu, "at present"],
  [/\bonly\b/gu, "just"],
  [/\bsets\b/gu, "configures"],
  [/\beach\b/gu, "every"],
  [/\btypically\b/gu, "usually"],
  [/\bdefines\b/gu, "specifies"],
  [/\bspecifies\b/gu, "states"],
  [/\bprovides\b/gu, "offers"],
  [/\bdefault value\b/giu, "default"],
  [/\bset to\b/gu, "fixed at"]
]

const lowerFirst = (text: string): string =>
  /^[A-Z][a-z]/u.test(text) && /^(?:The|A|An|All|Each|Every|By|When|Our|In|On|At|For|Both)\b/u.test(text)
    ? text.charAt(0).toLowerCase() + text.slice(1)
    : text

const withoutStop = (text: string): string => text.replace(/\.$/u, "")

/** Ways to say a statement in other words; several are combined. */
const rewordings: ReadonlyArray<(text: string, random: Random) => string> = [
  (text) => synonyms.reduce((said, [word, other]) => said.replace(word, other), text),
  (text, random) =>
    `${pick(random, ["The steering group noted that", "The last audit confirmed that", "The team reported that", "Support explained that"])} ${lowerFirst(text)}`,
  (text, random) =>
    `${withoutStop(text)}, ${pick(random, ["which was decided by the board", "which surprised several readers", "of which a part is under review", "including all regional sites"])}.`,
  (text) => {
    const match =
      /^(.{10,80}?),? ((?:when|while|after|before|in order to|because|during|within|for) [^,]{6,60})\.$/u.exec(
        text
      )
    return match === null
      ? text
      : `${(match[2] ?? "").charAt(0).toUpperCase()}${(match[2] ?? "").slice(1)}, ${lowerFirst(match[1] ?? "")}.`
  },
  (text, random) =>
    `${pick(random, ["As a rule,", "In practice,", "Today,", "As everyone knows,"])} ${lowerFirst(text)}`,
  (text) => text.replace(/\b(?:The|the) (\w+)(?= (?:is|are|was|has|must|uses|contains))/u, "our $1")
]

const fillers = [
  "Colleagues asked for a short overview, so here it is.",
  "Everything else is described by the teams in their own pages.",
  "Questions go to the usual channel."
]

/** Returns pages that each contradict one page of a vault, drawn by a random seed. */
export const seedsFor = (
  pages: ReadonlyArray<VaultPage>,
  count: number,
  seed: number
): ReadonlyArray<Seed> => {
  const random = randomFrom(seed)
  const candidates = pages
    .filter(({ path }) => !/migrat|changelog|upgrad|release|deprecat|template|recipe|example/iu.test(path))
    .flatMap((page) => candidatesIn(page).map((one) => ({ ...one, page })))
  const used = new Set<string>()
  const seeds: Array<Seed> = []
  for (let tries = 0; seeds.length < count && tries < 20 * count; tries += 1) {
    const { kind, page, text } = pick(random, candidates)
    if (used.has(text)) continue
    const other = changed(kind, text, random)
    if (other === null || other === text) continue
    used.add(text)
    const [one, two] = [pick(random, rewordings), pick(random, rewordings)]
    const said = two === one ? one(other, random) : two(one(other, random), random)
    const at = seeds.length
    const subject = /^# (.+)$/mu.exec(page.text)?.[1] ?? /^title: (.+)$/mu.exec(page.text)?.[1] ?? ""
    const title = at % 2 === 0 ? `Onboarding ${at}` : `${plainLink(subject)} for newcomers`
    seeds.push({
      path: `seeded/onboarding-${at}.md`,
      text: `# ${title}\n\n${fillers[at % 3]}\n\n${said}\n`,
      of: page.path,
      kind,
      original: text,
      changed: said
    })
  }
  return seeds
}
