import type * as Layer from "effect/Layer"
import { describe, expect } from "vitest"
import {
  ChunkId,
  DocumentId,
  EntityId,
  Ids,
  prefixes,
  WorkspaceId
} from "../../core/platform/kernel/index.js"
import { contractTestsFor } from "./contract-tests.js"

const utf8 = (text: string) => new TextEncoder().encode(text)

/** The laws of `Ids`. */
export const idsContract = <E>(name: string, layer: () => Layer.Layer<Ids, E>): void => {
  describe(`Ids: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("makes ids that carry their prefix and pass their schema", function* () {
      const ids = yield* Ids
      expect(DocumentId.parse(ids.make("document"))).toMatch(new RegExp(`^${prefixes.document}_`))
      expect(EntityId.parse(ids.make("entity"))).toMatch(new RegExp(`^${prefixes.entity}_`))
      expect(WorkspaceId.parse(ids.make("workspace"))).toMatch(new RegExp(`^${prefixes.workspace}_`))
      expect(ChunkId.parse(ids.derive("chunk", ""))).toMatch(new RegExp(`^${prefixes.chunk}_`))
    })

    law("never makes an id twice, and later ones sort after earlier ones", function* () {
      const ids = yield* Ids
      const made = Array.from({ length: 5000 }, () => ids.make("document"))
      expect(new Set(made).size).toBe(made.length)
      expect(made.toSorted()).toEqual(made)
    })

    law("derives equal ids from equal text, and other ids from other text", function* () {
      const ids = yield* Ids
      expect(ids.derive("chunk", "Größe 東京")).toBe(ids.derive("chunk", "Größe 東京"))
      const derived = Array.from({ length: 1000 }, (_, place) => ids.derive("chunk", String(place)))
      expect(new Set(derived).size).toBe(derived.length)
      expect(DocumentId.safeParse(ids.derive("document", "one")).success).toBe(true)
    })

    law("hashes with SHA-256, a string as its UTF-8 bytes", function* () {
      const ids = yield* Ids
      // The test vectors of FIPS 180-2.
      expect(ids.sha256("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
      expect(ids.sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
      expect(ids.sha256("Größe 東京 🎉")).toBe(ids.sha256(utf8("Größe 東京 🎉")))
    })
  })
}
