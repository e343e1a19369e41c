import { readdirSync, readFileSync } from "node:fs"
import { nameKeyOf, type ProseFacts } from "../../core/knowledge/prose/index.js"

/** A paragraph whose names and relations people marked. */
export interface MarkedParagraph {
  /** The kind of prose: the name of its file. */
  readonly kind: string
  readonly isHard: boolean
  /** Whether rules may be tuned on it; of the others only the sums are looked at. */
  readonly isOpen: boolean
  readonly text: string
  readonly names: ReadonlyArray<{ readonly name: string; readonly type: string }>
  readonly relations: ReadonlyArray<readonly [from: string, type: string, to: string]>
}

const folder = new URL("../fixtures/extraction/", import.meta.url)
const types: Readonly<Record<string, string>> = {
  P: "person",
  O: "organization",
  L: "place",
  D: "product",
  E: "event"
}

/** Reads the marked paragraphs: `{P:Ada Holm}` is a name, a line `> Ada Holm | leads | Merrow` a relation, `!` is hard. */
export const markedParagraphs = (): ReadonlyArray<MarkedParagraph> =>
  readdirSync(folder)
    .sort()
    .flatMap((file) =>
      readFileSync(new URL(file, folder), "utf8")
        .trim()
        .split(/\n{2,}/u)
        .map((block, place) => {
          const lines = block.split("\n")
          const marked = lines
            .filter((line) => !line.startsWith("> "))
            .join(" ")
            .replace(/^!/u, "")
          return {
            kind: file.replace(".txt", ""),
            isHard: block.startsWith("!"),
            isOpen: place % 2 === 0,
            text: marked.replace(/\{[A-Z]:([^}]*)\}/gu, "$1"),
            names: [...marked.matchAll(/\{([A-Z]):([^}]*)\}/gu)].map(([, letter = "", name = ""]) => ({
              name,
              type: types[letter] ?? ""
            })),
            relations: lines.flatMap((line) => {
              const [from, type, to] = line.startsWith("> ") ? line.slice(2).split(" | ") : []
              return from === undefined || type === undefined || to === undefined
                ? []
                : [[from, type, to] as const]
            })
          }
        })
    )

/** Names and relations found in a paragraph; a name without a type has null. */
export interface FoundInProse {
  readonly names: ReadonlyArray<{ readonly name: string; readonly type: string | null }>
  readonly relations: ReadonlyArray<readonly [from: string, type: string, to: string]>
}

/** Returns the words of a text that it has in small letters. */
export const smallWordsOf = (text: string): ReadonlySet<string> =>
  new Set(text.match(/(?<!\p{L})\p{Ll}[\p{L}'-]*/gu) ?? [])

/** Returns every name of every thing, and the relations. */
export const foundBy = ({ names, relations }: ProseFacts): FoundInProse => ({
  names: names.flatMap(({ aliases, name, type }) => [name, ...aliases].map((one) => ({ name: one, type }))),
  relations: relations.map(({ from, to, type }) => [from, type, to] as const)
})

/** A name without article, title and possessive ending, as it is compared. */
const plain = (name: string): string =>
  nameKeyOf(
    name.replace(/^(?:(?:the|president|governor|judge|dr\.?|mr\.?)\s+)+/iu, "").replace(/['’]s$/u, "")
  )

export interface Score {
  readonly recall: number
  readonly precision: number
  readonly n: number
}

/** Scores names (each once a paragraph), the types of those that are right and have one, and relations. */
export const scoresOf = (
  paragraphs: ReadonlyArray<MarkedParagraph>,
  read: (text: string) => FoundInProse
): { readonly names: Score; readonly kinds: Score; readonly relations: Score } => {
  const [names, kinds, relations] = [tally(), tally(), tally()]
  for (const paragraph of paragraphs) {
    const found = read(paragraph.text)
    const wanted = new Map(paragraph.names.map(({ name, type }) => [plain(name), type]))
    const got = new Map(found.names.map(({ name, type }) => [plain(name), type]))
    names.add(new Set(wanted.keys()), new Set(got.keys()))
    const typed = [...got].filter(([name, type]) => type !== null && wanted.has(name))
    kinds.add(new Set([...wanted].map((pair) => pair.join())), new Set(typed.map((pair) => pair.join())))
    const text = ([from, type, to]: readonly [string, string, string]) =>
      [plain(from), type, plain(to)].join("|")
    relations.add(new Set(paragraph.relations.map(text)), new Set(found.relations.map(text)))
  }
  return { names: names.score(), kinds: kinds.score(), relations: relations.score() }
}

const tally = () => {
  let [wanted, found, right] = [0, 0, 0]
  return {
    add: (want: ReadonlySet<string>, got: ReadonlySet<string>) => {
      wanted += want.size
      found += got.size
      for (const one of got) if (want.has(one)) right += 1
    },
    score: (): Score => ({ recall: right / wanted, precision: found === 0 ? 1 : right / found, n: wanted })
  }
}
