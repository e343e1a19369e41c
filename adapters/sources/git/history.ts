import { isLibraryFile } from "../item-path.js"

/** Who changed a file last, and when it was made and changed. */
export interface FileHistory {
  author: string
  modifiedAt: string
  createdAt: string
}

/** Arguments of `git log` whose output `readHistory` takes. Older commits are not read. */
export const historyArguments = (commit: string): ReadonlyArray<string> => [
  "log",
  "-z",
  "--raw",
  // Of a merge, the files that differ from all parents: their text was written while it was made.
  "-c",
  "--find-renames",
  "-l400",
  "--max-count=50000",
  "--format=%x01%an%x02%aI",
  commit
]

/** The history of the files at a commit by path, followed through renames. */
export const readHistory = (log: string): ReadonlyMap<string, FileHistory> => {
  const files = new Map<string, FileHistory>()
  // The path that a file of an older commit has now; null for one that another file of that name replaced.
  const now = new Map<string, string | null>()
  const [tokens, commit] = [log.split("\0"), { author: "", date: "" }]
  const record = (path: string): void => {
    const current = now.get(path) === undefined ? path : now.get(path)
    if (current === null || current === undefined || !isLibraryFile(current)) return
    const { author, date } = commit
    const known = files.get(current)
    if (known === undefined) files.set(current, { author, modifiedAt: date, createdAt: date })
    else known.createdAt = date
  }
  for (let at = 0; at < tokens.length; at++) {
    const token = (tokens[at] ?? "").replace(/^\n/, "")
    if (token.startsWith("\u0001")) [commit.author = "", commit.date = ""] = token.slice(1).split("\u0002")
    if (!token.startsWith(":")) continue
    if (token.startsWith("::")) {
      // One mode, id and status for each parent, and the path of the result.
      record(tokens[++at] ?? "")
      continue
    }
    const [status = ""] = token.slice(token.lastIndexOf(" ") + 1)
    const path = tokens[++at] ?? ""
    if (status !== "R" && status !== "C") {
      record(path)
      if (status === "A") now.set(path, null)
      continue
    }
    const renamed = tokens[++at] ?? ""
    record(renamed)
    if (status === "R") now.set(path, now.get(renamed) === undefined ? renamed : (now.get(renamed) ?? null))
    now.set(renamed, null)
  }
  return files
}
