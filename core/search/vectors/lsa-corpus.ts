import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { DocumentStore } from "../../files/documents/index.js"
import { Ids, nextTurn, type WorkspaceScope } from "../../platform/kernel/index.js"
import { dimensionsMax, sampleMax } from "./lsa.js"
import { embedText } from "./stored-vector.js"

/** Input of a fit. */
export interface LsaCorpus {
  /** Id of the model that results from these texts. */
  readonly modelId: string
  /** Number of live chunks, including those outside the sample. */
  readonly chunkCount: number
  readonly texts: ReadonlyArray<string>
}

/** Prefix of built-in model ids; the number increases whenever the same texts would give other vectors. */
export const lsaPrefix = "lsa-5:"

/**
 * Returns the texts to fit on, in the order of their digests; above 8,000, those with the smallest digests. Depends
 * only on the live content: neither paths nor history of the documents change a byte of the model.
 */
export const lsaCorpus = (workspace: WorkspaceScope): Effect.Effect<LsaCorpus, never, DocumentStore | Ids> =>
  Effect.gen(function* () {
    const { sha256 } = yield* Ids
    const documents = yield* DocumentStore
    const sampled: Array<{ readonly digest: string; readonly text: string }> = []
    let chunkCount = 0
    const cut = () => {
      sampled.sort((a, b) => (a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0))
      if (sampled.length > sampleMax) sampled.length = sampleMax
    }
    yield* Stream.runForEachChunk(documents.allPassages(workspace), (passages) =>
      Effect.zipRight(
        Effect.sync(() => {
          for (const passage of passages) {
            const text = embedText(passage.docTitle, passage)
            sampled.push({ digest: sha256(text), text })
            chunkCount += 1
            if (sampled.length > 2 * sampleMax) cut()
          }
        }),
        nextTurn
      )
    )
    cut()
    const input = [dimensionsMax, sampleMax, ...sampled.map(({ digest }) => digest)].join("\n")
    return {
      modelId: `${lsaPrefix}${sha256(input).slice(0, 32)}`,
      chunkCount,
      texts: sampled.map(({ text }) => text)
    }
  })
