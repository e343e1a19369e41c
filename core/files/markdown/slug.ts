import * as Either from "effect/Either"
import { normalForm } from "../../platform/kernel/index.js"
import { isMarkdown, parseDocumentPath } from "./path.js"

/** Maximum slug length in code points: at most 240 bytes with four-byte characters, so that a number still fits. */
const slugMaxChars = 60

/**
 * Returns a free path at the root of the vault for a document with only a title (or a first heading): lower-case
 * letters, marks and digits of any script, joined by hyphens. An empty result becomes `untitled`; a taken name gets
 * the suffix `-2`, `-3`, …. The number of probes grows with the logarithm of the duplicates, so a gap left by a
 * deletion may be skipped.
 *
 * @param taken Whether a live document has the path, without regard to case.
 * @param skipped How many numbers after the first free one are left to others.
 */
export const slugPath = (title: string, taken: (path: string) => boolean, skipped = 0): string => {
  const slug = slugOf(title)
  const numbered = (n: number): string => (n === 1 ? `${slug}.md` : `${slug}-${n}.md`)
  if (skipped === 0 && !taken(numbered(1))) return numbered(1)
  let [held, free] = taken(numbered(1)) ? [1, 2] : [0, 1]
  while (taken(numbered(free))) [held, free] = [free, free * 2]
  // Invariant: `held` is taken and `free` is not.
  while (free - held > 1) {
    const middle = Math.floor((held + free) / 2)
    if (taken(numbered(middle))) held = middle
    else free = middle
  }
  let number = free + skipped
  while (taken(numbered(number))) number++
  return numbered(number)
}

/** Returns the content of a new document without content: its title as the heading. */
export const defaultContent = (title: string): string => {
  const line = title.replace(/[\s\p{Cc}\p{Surrogate}]+/gu, " ").trim()
  // Escapes characters that Markdown would interpret, so that the heading shows the title unchanged.
  return `# ${line === "" ? "Untitled" : line.replace(/[\\`*_[\]<>#&~!|]/g, "\\$&")}\n`
}

const slugOf = (title: string): string => {
  // Longer titles are cut anyway; the margin covers characters that the next steps remove.
  const words = normalForm(title.slice(0, 1000), "NFKC")
    .toLowerCase()
    .replace(/['\u2019]/g, "")
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, "-")
  const slug = trimHyphens([...trimHyphens(normalForm(words, "NFC"))].slice(0, slugMaxChars).join(""))
  if (slug === "") return "untitled"
  const legal = Either.isRight(parseDocumentPath(slug)) && !isMarkdown(slug)
  return legal ? slug : `document-${slug}`
}

const trimHyphens = (slug: string): string => slug.replace(/^-+/, "").replace(/-$/, "")
