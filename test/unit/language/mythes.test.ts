/** Thesaurus files in MyThes form: what of them is read, and how files that are none are refused. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { thesaurusFiles } from "../../../adapters/host/thesaurus-files.js"
import {
  readMythes,
  ThesaurusFiles,
  thesaurusOf,
  wordRelation
} from "../../../core/language/word-relations/index.js"
import { temporaryFolder } from "../../support/folders.js"

const german = `UTF-8
Zisterne|1
-|Wasserbehälter|Sammelbecken (fachspr.)|Behälter (Oberbegriff)|großes Becken
entwässern|2
-|trockenlegen|bewässern (Antonym)
-|drainieren
kaputte Zeile
Schieber|zwei
Pumpe|1
-|Förderpumpe
`

const folder = temporaryFolder("thesaurus")
const withFolder = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.provide(effect, thesaurusFiles(folder) as Layer.Layer<never>))

describe("a thesaurus file", () => {
  it("relates the words of an entry in any form, and leaves out wider words and phrases", async () => {
    const { relationOf } = await Effect.runPromise(readMythes(german, "de"))
    expect(relationOf("zisternen", "wasserbehälter")).toBe("same")
    expect(relationOf("zisterne", "sammelbeckens")).toBe("same")
    expect(relationOf("zisterne", "behälter")).toBeUndefined()
    expect(relationOf("zisterne", "becken")).toBeUndefined()
    expect(relationOf("entwässert", "drainiert")).toBe("same")
    expect(relationOf("entwässern", "bewässert")).toBe("opposite")
    expect(relationOf("pumpen", "förderpumpe")).toBe("same")
  })

  it("is read in the encoding that it names", async () => {
    writeFileSync(join(folder, "latin.dat"), Buffer.from("ISO8859-1\ndépôt|1\n(nom)|entrepôt\n", "latin1"))
    const thesaurus = await withFolder(thesaurusOf({ fr: "latin.dat" }))
    expect(wordRelation("Dépôt", "entrepôt", "fr", thesaurus)).toBe("same")
    expect(wordRelation("Dépôt", "entrepôt", "fr")).toBeUndefined()
  })

  it("is left out when it is missing, not text or too large", async () => {
    const bytes = Buffer.alloc(64, 0xff)
    writeFileSync(join(folder, "bytes.dat"), Buffer.concat([Buffer.from("UTF-8\n"), bytes]))
    writeFileSync(join(folder, "none.dat"), "A page of prose without the name of an encoding.\n")
    writeFileSync(join(folder, "large.dat"), Buffer.alloc(32 * 1024 * 1024 + 1, "a"))
    mkdirSync(join(folder, "folder.dat"))
    const reasonOf = (file: string) =>
      withFolder(
        Effect.flatMap(ThesaurusFiles, (files) => Effect.either(files.read(file, "de"))).pipe(
          Effect.map((read) => (Either.isLeft(read) ? read.left.reason : "read"))
        )
      )
    expect(await reasonOf("absent.dat")).toBe("missing")
    expect(await reasonOf("bytes.dat")).toBe("malformed")
    expect(await reasonOf("none.dat")).toBe("malformed")
    expect(await reasonOf("large.dat")).toBe("too_large")
    expect(await reasonOf("folder.dat")).toBe("unreadable")
    const thesaurus = await withFolder(thesaurusOf({ de: "absent.dat" }))
    expect(wordRelation("Zisterne", "Wasserbehälter", "de", thesaurus)).toBeUndefined()
  })
})
