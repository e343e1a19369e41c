import MarkdownIt from "markdown-it"
import { filesUnder, textOf } from "./tree.js"

/** A fenced block of a page. */
export interface Fence {
  /** The page, and the line of the fence's first line of content, from 1. */
  readonly page: string
  readonly line: number
  /** The first word after the backticks, such as `ts`. */
  readonly language: string
  /** Attributes after the language as `name=value`, such as `test=first-answer`. */
  readonly attributes: Readonly<Record<string, string>>
  readonly text: string
}

const markdown = new MarkdownIt({ html: true })

/** The pages that people read; a vault in the repository is data, not documentation. */
export const pages: ReadonlyArray<string> = [
  ...[
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    "CHANGELOG.md",
    "demo/README.md"
  ].flatMap(filesUnder),
  ...["docs", ".github"].flatMap(filesUnder).filter((file) => file.endsWith(".md"))
]

const fencesOf = (page: string, text: string): ReadonlyArray<Fence> =>
  markdown.parse(text, {}).flatMap((token) => {
    if (token.type !== "fence") return []
    const [language = "", ...rest] = token.info.trim().split(/\s+/)
    const attributes = Object.fromEntries(
      rest
        .filter((word) => word.includes("="))
        .map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)])
    )
    return [{ page, line: (token.map?.[0] ?? 0) + 2, language, attributes, text: token.content }]
  })

/** Every fenced block of every page. */
export const fences = (): ReadonlyArray<Fence> => pages.flatMap((page) => fencesOf(page, textOf(page)))

/** The name that a TypeScript block gives itself in its first line (`// runs: name`), if it does. */
export const programName = (fence: Fence): string | undefined =>
  fence.language === "ts" ? /^\/\/ runs: ([a-z0-9-]+)\n/.exec(fence.text)?.[1] : undefined

/** The lines of a shell block that call one of our commands, comments and line ends with `\` taken care of. */
export const commandsOf = (fence: Fence): ReadonlyArray<string> =>
  fence.text
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => /^(kanon|npm|npx)\s/.test(line))

/** Links of a page to files of the repository, with the anchor if there is one. */
export const linksOf = (text: string): ReadonlyArray<{ readonly path: string; readonly anchor: string }> =>
  markdown
    .parse(text, {})
    .flatMap((token) => token.children ?? [])
    .flatMap((token) => token.attrGet("href") ?? token.attrGet("src") ?? [])
    .filter((target) => !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target))
    .map((target) => {
      const [path = "", anchor = ""] = decodeURI(target).split("#")
      return { path, anchor }
    })

/** The anchors that a page's headings get on the usual hosts: lower case, no punctuation, spaces as hyphens. */
export const anchorsOf = (text: string): ReadonlySet<string> => {
  const seen = new Map<string, number>()
  const tokens = markdown.parse(text, {})
  return new Set(
    tokens.flatMap((token, index) => {
      if (token.type !== "heading_open") return []
      const words = (tokens[index + 1]?.children ?? []).map((child) => child.content).join("")
      const slug = words
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replace(/\s/g, "-")
      const times = seen.get(slug) ?? 0
      seen.set(slug, times + 1)
      return [times === 0 ? slug : `${slug}-${times}`]
    })
  )
}
