import type { ExportFile } from "../archive.js"

/** A file of an upload as it becomes a document. */
export interface CleanFile extends ExportFile {
  readonly mediaType?: string
  readonly title?: string | null
  readonly url?: string | null
  readonly author?: string | null
  readonly createdAt?: string | null
  readonly modifiedAt?: string | null
  readonly labels?: ReadonlyArray<string>
}
