import type { ItemChange } from "../../../core/connected/sources/index.js"
import { literalFolder } from "../../host/glob.js"
import { globFilter, isLibraryFile, libraryPath } from "../item-path.js"

/** The tree without files, which every repository knows, in the object format of a commit. */
const emptyTree = (commit: string): string =>
  commit.length === 40
    ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"

/**
 * Arguments of `git diff-tree` for the changes from one commit to another; without a first one, for all files. Git is
 * told the folders that the patterns begin with; `readChanges` applies the patterns, because Git takes exponential
 * time for some.
 */
export const changeArguments = (
  base: string | null,
  commit: string,
  globs: ReadonlyArray<string> = []
): ReadonlyArray<string> => [
  "diff-tree",
  "-r",
  "-z",
  "--raw",
  "--no-abbrev",
  ...(base === null ? [] : ["--find-renames", "-l3000"]),
  base ?? emptyTree(commit),
  commit,
  "--",
  ...foldersOf(globs)
]

const foldersOf = (globs: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = globs.filter((glob) => !glob.startsWith("!")).map(literalFolder)
  return folders.includes("") ? [] : folders.map((folder) => `:(literal)${folder}`)
}

/** The output of `git diff-tree`. */
export interface DiffInput {
  readonly diff: Uint8Array
  /** Patterns of the files that are taken; all without any. */
  readonly paths?: ReadonlyArray<string> | undefined
}

/**
 * The changes that `git diff-tree` tells; a file is named by its path, and its version is the id of its content. Run in
 * the process that reads listings: a hundred patterns against a large repository take seconds.
 */
export const readChanges = ({ diff, paths }: DiffInput): ReadonlyArray<ItemChange> => {
  const isWanted = globFilter(paths)
  const changes: Array<ItemChange> = []
  const tokens = new TextDecoder().decode(diff).split("\0")
  for (let at = 0; at + 1 < tokens.length; at++) {
    // :oldMode newMode oldId newId status
    const [, mode = "", , version = "", status = ""] = (tokens[at] ?? "").split(" ")
    const path = tokens[++at] ?? ""
    const to = /^[RC]/.test(status) ? (tokens[++at] ?? "") : path
    const isTaken = isLibraryFile(to) && isWanted(to) && isFile(mode)
    const wasTaken = isLibraryFile(path) && isWanted(path)
    if (status.startsWith("R") && isTaken && wasTaken)
      changes.push({ op: "move", previousId: path, externalId: to, version, path: libraryPath(to) })
    else {
      if (isTaken) changes.push({ op: "upsert", externalId: to, version, path: libraryPath(to) })
      if (wasTaken && (status === "D" || status.startsWith("R") || !isTaken))
        changes.push({ op: "delete", externalId: path })
    }
  }
  return changes
}

/** Links and submodules are no files. */
const isFile = (mode: string): boolean => mode === "100644" || mode === "100755"
