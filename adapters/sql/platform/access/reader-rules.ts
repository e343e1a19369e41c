import { pathKey } from "../../../../core/files/markdown/index.js"
import type { FolderRule, OwnReaders } from "../../../../core/platform/access/index.js"
import { compileGlob } from "../../../host/glob.js"

/** Lists that were set for one document: its own, and the one from its content source. */
export interface SetReaders {
  readonly own: OwnReaders
  readonly source: ReadonlyArray<string> | null
}

/** Readers of a document and the rule of a folder that matches it; null for everybody, or for none. */
interface Decided {
  readonly effective: ReadonlyArray<string> | null
  readonly folder: FolderRule | null
}

/**
 * Returns a function that decides who reads a document. The list of the document counts before that of its folder; the
 * list of its source counts too and is narrowed by either, never widened. Of folders the longest pattern that matches
 * counts, compared without regard to case. Equal results are equal lists in one order.
 */
export const makeReaderRules = (folders: ReadonlyArray<FolderRule>) => {
  const rules = folders
    .map((rule) => ({ rule, matches: compileGlob(pathKey(rule.path), { coversFolders: true }) }))
    .sort((a, b) => b.rule.path.length - a.rule.path.length)
  return (path: string, { own, source }: SetReaders): Decided => {
    const segments = pathKey(path).split("/")
    const folder = rules.find(({ matches }) => matches(segments))?.rule ?? null
    const local = own === null ? (folder?.read ?? null) : own.read
    const effective =
      source === null ? local : local === null ? source : source.filter((one) => local.includes(one))
    return { effective: effective === null ? null : [...new Set(effective)].sort(), folder }
  }
}
