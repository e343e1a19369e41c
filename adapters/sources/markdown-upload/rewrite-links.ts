import { documentLinks, parseFrontMatter, parseMarkdown } from "../../../core/markdown/index.js"

/** Rewrites the destinations of inline links to other files; null leaves a link as it is. */
export const rewriteLinks = (source: string, rewrite: (target: string) => string | null): string => {
  let [text, from] = ["", 0]
  for (const { end, fragment, kind, start, target } of documentLinks(
    parseMarkdown(source, parseFrontMatter(source).bodyStart)
  )) {
    const open = source.lastIndexOf("](", end)
    const fresh = kind === "markdown" && open > start && start >= from ? rewrite(target) : null
    if (fresh === null) continue
    text += `${source.slice(from, open + 2)}${fresh}${fragment === null ? "" : `#${encodeURIComponent(fragment)}`})`
    from = end
  }
  return text + source.slice(from)
}
