import { open } from "node:fs/promises"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Language } from "../../core/language/languages/index.js"
import {
  readMythes,
  ThesaurusFiles,
  ThesaurusUnreadable,
  type WordRelations
} from "../../core/language/word-relations/index.js"
import { serviceLayer } from "../../core/platform/kernel/index.js"

/** Where packages of Linux distributions put the thesauri of LibreOffice. */
export const usualThesaurusFolder = "/usr/share/mythes"

/** The largest thesaurus of LibreOffice has 18 MB. */
const bytesMax = 32 * 1024 * 1024

/** How long a file that could not be read is not tried again. */
const failedFor = "1 minute"

/** Reads thesaurus files of a folder, each once: a changed file is read after a restart. */
export const thesaurusFiles = (folder: string) =>
  serviceLayer(
    ThesaurusFiles,
    Effect.sync(() => {
      const reading = new Map<string, Effect.Effect<WordRelations, ThesaurusUnreadable>>()
      return {
        read: (file, language) =>
          Effect.gen(function* () {
            const key = `${language} ${file}`
            const known = reading.get(key) ?? (yield* cachedReading(folder, file, language))
            reading.set(key, known)
            return yield* known
          })
      }
    })
  )

const cachedReading = (folder: string, file: string, language: Language) =>
  Effect.gen(function* () {
    const [read, forget] = yield* Effect.cachedInvalidateWithTTL(reading(folder, file, language), "3650 days")
    const later = Effect.forkDaemon(Effect.zipRight(Effect.sleep(failedFor), forget))
    return Effect.tapError(read, () => later)
  })

const reading = (folder: string, file: string, language: Language) =>
  Effect.tryPromise({
    try: () => textOf(join(folder, file)),
    catch: (error) => new ThesaurusUnreadable({ file, reason: reasonOf(error) })
  }).pipe(
    Effect.filterOrFail(
      (text) => /^\S{1,40}\r?\n/u.test(text),
      () => new ThesaurusUnreadable({ file, reason: "malformed" })
    ),
    Effect.flatMap((text) => readMythes(text, language))
  )

class TooLarge extends Error {}

const reasonOf = (error: unknown): ThesaurusUnreadable["reason"] => {
  if (error instanceof TooLarge) return "too_large"
  if (error instanceof RangeError || error instanceof TypeError) return "malformed"
  return error instanceof Error && "code" in error && error.code === "ENOENT" ? "missing" : "unreadable"
}

/** The text of a data file, in the encoding that its first line names. */
const textOf = async (path: string): Promise<string> => {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    if (size > bytesMax) throw new TooLarge()
    const bytes = Buffer.alloc(size)
    await file.read(bytes, 0, size, 0)
    const end = bytes.indexOf(10)
    const encoding = bytes.toString("latin1", 0, end < 0 ? 0 : Math.min(end, 40)).trim()
    return new TextDecoder(encoding.replace(/^ISO(?=8859)/iu, "ISO-"), { fatal: true }).decode(bytes)
  } finally {
    await file.close()
  }
}
