import * as Either from "effect/Either"
import { parseDocumentPath } from "./path.js"
import { isMarkdown } from "./path-names.js"

/** Longest slug in code points: at most 240 bytes with four-byte characters, so that a number still fits. */
const slugMaxChars = 60

/**
 * A free path at the root of the vault for a document that has only a title (or a first heading): lower-case
 * letters, marks and digits of any script, joined by hyphens. A title that leaves nothing becomes `untitled`;
 * a taken name gets the suffix `-2`, `-3`, …; the number of probes grows with the logarithm of the
 * duplicates, and a gap left by a deletion may be skipped.
 *
 * @param taken Whether a live document holds the path, without regard to case.
 */
export const slugPath = (title: string, taken: (path: string) => boolean): string => {
  const slug = slugOf(title)
  const numbered = (n: number): string => (n === 1 ? `${slug}.md` : `${slug}-${n}.md`)
  if (!taken(numbered(1))) return numbered(1)
  let [held, free] = [1, 2]
  while (taken(numbered(free))) [held, free] = [free, free * 2]
  // Always: `held` is taken and `free` is not.
  while (free - held > 1) {
    const middle = Math.floor((held + free) / 2)
    if (taken(numbered(middle))) held = middle
    else free = middle
  }
  return numbered(free)
}

/** The content of a new document that was given none: its title as the heading. */
export const defaultContent = (title: string): string => {
  const line = title.replace(/[\s\p{Cc}\p{Surrogate}]+/gu, " ").trim()
  // A backslash before what Markdown would read as markup, so that the heading says the title as it is.
  return `# ${line === "" ? "Untitled" : line.replace(/[\\`*_[\]<>#&~!|]/g, "\\$&")}\n`
}

const slugOf = (title: string): string => {
  const words = title
    // Longer titles are cut anyway; the margin is for what the next steps drop.
    .slice(0, 1000)
    .normalize("NFKC")
    .toLowerCase()
    .replace(/['\u2019]/g, "")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
  const slug = trimHyphens([...trimHyphens(words.normalize("NFC"))].slice(0, slugMaxChars).join(""))
  if (slug === "") return "untitled"
  const legal = Either.isRight(parseDocumentPath(slug)) && !isMarkdown(slug)
  return legal ? slug : `document-${slug}`
}

const trimHyphens = (slug: string): string => slug.replace(/^-+/, "").replace(/-$/, "")
