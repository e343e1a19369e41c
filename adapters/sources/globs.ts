/**
 * Whether a path is taken by patterns as Git's `:(glob)` reads them: `*` and `?` within a segment, `**` across
 * segments; a folder stands for what is in it. A pattern that begins with `!` leaves out.
 */
export const globFilter = (globs: ReadonlyArray<string> = []): ((path: string) => boolean) => {
  const excluding = globs.filter((glob) => glob.startsWith("!")).map((glob) => patternOf(glob.slice(1)))
  const including = globs.filter((glob) => !glob.startsWith("!")).map(patternOf)
  return (path) =>
    (including.length === 0 || including.some((pattern) => pattern.test(path))) &&
    !excluding.some((pattern) => pattern.test(path))
}

const patternOf = (glob: string): RegExp => {
  const parts = glob.replace(/^\/|\/$/g, "").split(/(\*\*\/|\/\*\*$|\*\*|\*|\?)/)
  const source = parts.map((part) => wildcards[part] ?? part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("")
  return new RegExp(`^${source}(?:/.*)?$`, "su")
}

const wildcards: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "/**": "/.*",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]"
}
