import type { Block } from "./parse-markdown.js"
import { plainInline } from "./plain-text.js"
import { enclosingPath } from "./settings.js"

/** Longer rows and sentences are cut: a context stands beside headings. */
const contextMaxChars = 300

/**
 * Returns the context that a passage inside a block takes from the part before it, as the last element of its heading
 * path: the header row of a table (`| Part | Stock |`), the language and key path of a configuration block
 * (` ```yaml services.api `), the sentence that introduces a list or table ("Allowed plugins:"). Empty when there is
 * none.
 *
 * @param lead The sentence before the block if it ends with a colon and is not in the passage.
 */
export const contextOf = (source: string, block: Block, start: number, lead: string): string => {
  if (start <= block.start) return block.kind === "list" || block.kind === "table" ? lead : ""
  if (block.kind === "list") return lead
  const [first = "", second = ""] = source.slice(block.start, block.start + 4 * contextMaxChars).split("\n")
  if (block.kind === "table")
    return first.includes("|") && /[^\s|]/u.test(first) && /^[\s|:-]+$/u.test(second.trim())
      ? `| ${cellsOf(first)} |`
      : ""
  const tag = /^ {0,3}(?:`{3,}|~{3,})[ \t]*(\S*)/u.exec(first)?.[1]
  if (block.kind !== "code" || tag === undefined || tag === "") return ""
  const rest = source.slice(start).split("\n", 40)
  const line = rest.find((one) => one.trim() !== "") ?? ""
  const path = enclosingPath(tag, source.slice(block.start + first.length + 1, start), line)
  return `\`\`\`${tag} ${path}`.trim().slice(0, contextMaxChars)
}

const cellsOf = (row: string): string =>
  row
    .trim()
    .replace(/^\||\|$/gu, "")
    .split(/(?<!\\)\|/u)
    .map((cell) => plainInline(cell).trim())
    .join(" | ")
    .slice(0, contextMaxChars)

/** Returns the sentence at the end of a paragraph that introduces what follows; empty when there is none. */
export const introductionIn = (source: string, block: Block): string => {
  if (block.kind !== "paragraph") return ""
  const text = source.slice(Math.max(block.start, block.end - 2 * contextMaxChars), block.end).trimEnd()
  if (!/[:：]$/u.test(text)) return ""
  const sentence = plainInline(text.replace(/\s+/gu, " ")).replace(/^.*[.!?。！？]\s+(?=\S)/u, "")
  return sentence.length <= contextMaxChars ? sentence : ""
}

const marks = /^(?:\||```)|[:：]$/u

/** Splits a heading path into its headings and the context of a passage that begins inside a block. */
export const splitContext = (
  headingPath: ReadonlyArray<string>
): { readonly headings: ReadonlyArray<string>; readonly context: string } => {
  const last = headingPath.at(-1)
  return last !== undefined && marks.test(last)
    ? { headings: headingPath.slice(0, -1), context: last }
    : { headings: headingPath, context: "" }
}
