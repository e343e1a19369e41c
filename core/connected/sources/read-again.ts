/**
 * Whether the items of a connector are read again because the readers of files have changed since its last crawl. Kanon
 * keeps the text of an item and no original, so that only the source has what is to be converted.
 */
import { readerVersion } from "../../files/documents/index.js"
import type { Checkpoint } from "./crawler.js"
import type { StoredContentConnector, StoredSyncRun } from "./store.js"

const key = "reader"

/** The position of a finished crawl, with the version of the readers that made its documents. */
export const finishedAt = (checkpoint: Checkpoint | null): Checkpoint => ({
  ...checkpoint,
  [key]: readerVersion
})

/** The position as its crawler gave it; null before the first crawl. */
export const positionOf = (connector: Pick<StoredContentConnector, "checkpoint">): Checkpoint | null => {
  if (connector.checkpoint === null) return null
  const { [key]: _reader, ...position } = connector.checkpoint
  return position
}

/** Whether older readers made the documents of a connector that was crawled, or to which files were uploaded. */
export const isOutdated = (
  { checkpoint }: Pick<StoredContentConnector, "checkpoint">,
  { isUpload }: Pick<StoredSyncRun, "isUpload">
): boolean => (isUpload || checkpoint !== null) && checkpoint?.[key] !== readerVersion
