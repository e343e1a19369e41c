import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { Language } from "../languages/index.js"
import type { WordRelations } from "./mythes.js"
import type { Thesaurus } from "./word-relation.js"

/** A thesaurus file of the settings cannot be read; claims are checked without it. */
export class ThesaurusUnreadable extends Data.TaggedError("ThesaurusUnreadable")<{
  readonly file: string
  readonly reason: "missing" | "too_large" | "malformed" | "unreadable"
}> {
  override get message(): string {
    return `The thesaurus ${this.file} cannot be used: ${this.reason}.`
  }
}

/** The thesaurus files of the host, each read once. */
export class ThesaurusFiles extends Context.Reference<ThesaurusFiles>()("kanon/ThesaurusFiles", {
  defaultValue: () => ({
    read: (file: string, _language: Language): Effect.Effect<WordRelations, ThesaurusUnreadable> =>
      new ThesaurusUnreadable({ file, reason: "missing" })
  })
}) {}

/** Names of thesaurus files by language, as the settings hold them. */
export type ThesaurusNames = Readonly<Partial<Record<Language, string | undefined>>>

const spoken: ReadonlyArray<Language> = ["en", "de", "fr", "es", "ru"]

/** Returns the thesauri that the settings name; one that cannot be read is logged and left out. */
export const thesaurusOf = (names: ThesaurusNames): Effect.Effect<Thesaurus | undefined> =>
  Effect.gen(function* () {
    const named = spoken.flatMap((language) => {
      const file = names[language]
      return file === undefined ? [] : [{ language, file }]
    })
    if (named.length === 0) return undefined
    const files = yield* ThesaurusFiles
    const read = yield* Effect.forEach(named, ({ file, language }) =>
      files.read(file, language).pipe(
        Effect.map((relations) => [[language, relations] as const]),
        Effect.catchAll(({ message }) => Effect.as(Effect.logWarning(message), []))
      )
    )
    const byLanguage = new Map(read.flat())
    return { relationOf: (one, other, language) => byLanguage.get(language)?.relationOf(one, other) }
  })
