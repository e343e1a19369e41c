import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { describe, expect } from "vitest"
import { Vault } from "../../core/files/documents/index.js"
import { Ids } from "../../core/platform/kernel/index.js"
import { contractTestsFor } from "./contract-tests.js"

const bytes = (text: string) => new TextEncoder().encode(text)
const limit = 1024

/** Writes a file the way the engine does. */
const write = (path: string, text: string) =>
  Effect.gen(function* () {
    const vault = yield* Vault
    return yield* vault.publish(path, yield* vault.stage(path, bytes(text)))
  })

const textAt = (path: string) =>
  Effect.gen(function* () {
    const found = yield* (yield* Vault).read(path, limit)
    return Option.getOrNull(Option.map(found, (file) => new TextDecoder().decode(file.bytes)))
  })

/** The laws of `Vault`. `layer` gives an empty vault each time. */
export const vaultContract = <E>(name: string, layer: () => Layer.Layer<Vault | Ids, E>): void => {
  describe(`Vault: ${name}`, () => {
    const law = contractTestsFor(layer)

    law("gives back what was published, and nothing before", function* () {
      const vault = yield* Vault
      const handle = yield* vault.stage("a/b.md", bytes("hello"))
      expect(yield* textAt("a/b.md")).toBeNull()
      yield* vault.publish("a/b.md", handle)
      expect(yield* textAt("a/b.md")).toBe("hello")
      const { stamp } = Option.getOrThrow(yield* vault.read("a/b.md", limit))
      const { entries } = yield* vault.walk("")
      expect(entries).toEqual([{ path: "a/b.md", ...stamp }])
    })

    law("stages ahead what is published as anything else once it is synced, or discarded", function* () {
      const vault = yield* Vault
      const [kept, dropped] = [
        yield* vault.stageAhead("a/b.md", bytes("hello")),
        yield* vault.stageAhead("a/c.md", bytes("never"))
      ]
      yield* kept.synced
      yield* vault.discard(dropped.handle)
      expect(yield* textAt("a/b.md")).toBeNull()
      yield* vault.publish("a/b.md", kept.handle)
      expect(yield* textAt("a/b.md")).toBe("hello")
      expect(Option.isNone(yield* Effect.option(vault.publish("a/c.md", dropped.handle)))).toBe(true)
    })

    law("publishes once however often it is asked, and never brings a discarded file", function* () {
      const vault = yield* Vault
      const handle = yield* vault.stage("a.md", bytes("one"))
      yield* vault.publish("a.md", handle)
      yield* vault.publish("a.md", handle)
      yield* write("a.md", "two")
      yield* vault.publish("a.md", handle)
      expect(yield* textAt("a.md")).toBe("two")
      const dropped = yield* vault.stage("b.md", bytes("never"))
      yield* vault.discard(dropped)
      expect(Option.isNone(yield* Effect.option(vault.publish("b.md", dropped)))).toBe(true)
      expect(yield* textAt("b.md")).toBeNull()
    })

    law("moves, and repeats a move without harm", function* () {
      const vault = yield* Vault
      yield* write("a.md", "text")
      yield* vault.move("a.md", "deep/er/b.md")
      yield* vault.move("a.md", "deep/er/b.md")
      expect([yield* textAt("a.md"), yield* textAt("deep/er/b.md")]).toEqual([null, "text"])
    })

    law("keeps what is trashed until it is dropped, and shows it to no walk", function* () {
      const [vault, ids] = [yield* Vault, yield* Ids]
      const id = ids.make("document")
      yield* write("a.md", "old")
      yield* vault.trash("a.md", id)
      yield* vault.trash("a.md", id)
      expect((yield* vault.walk("")).entries).toEqual([])
      expect(yield* vault.trashed).toEqual([id])
      expect(Option.map(yield* vault.readTrash(id), (kept) => new TextDecoder().decode(kept))).toEqual(
        Option.some("old")
      )
      yield* vault.dropTrash(id)
      yield* vault.dropTrash(id)
      expect(Option.isNone(yield* vault.readTrash(id))).toBe(true)
      expect(yield* vault.trashed).toEqual([])
    })

    law(
      "walks Markdown alone, in path order, without what starts with a dot, at or under a path",
      function* () {
        const vault = yield* Vault
        for (const path of ["b.md", "a/z.MD", "a/c.md", "ab.md"]) yield* write(path, path)
        const paths = (under: string) =>
          Effect.map(vault.walk(under), ({ entries }) => entries.map((entry) => entry.path))
        expect(yield* paths("")).toEqual(["a/c.md", "a/z.MD", "ab.md", "b.md"])
        expect(yield* paths("a")).toEqual(["a/c.md", "a/z.MD"])
        expect(yield* paths("a/c.md")).toEqual(["a/c.md"])
        expect(yield* paths("none")).toEqual([])
      }
    )

    law("calls no file stray that a live process has staged", function* () {
      const vault = yield* Vault
      const handle = yield* vault.stage("a.md", bytes("text"))
      expect(yield* vault.strays).toEqual([])
      yield* vault.publish("a.md", handle)
      expect(yield* vault.strays).toEqual([])
    })

    law("says when its watch stands, and tells of what changes from then on", function* () {
      const vault = yield* Vault
      yield* write("before.md", "old")
      let stands = false
      const told = vault.watch.pipe(
        Stream.tap(() => {
          const change = stands ? Effect.void : write("after.md", "new")
          stands = true
          return change
        }),
        Stream.mapConcat((paths) => paths),
        Stream.takeUntil((path) => path === "after.md"),
        Stream.runCollect
      )
      expect([...(yield* told)]).toContain("after.md")
    })

    law(
      "misses no file of a new folder to who walks at each burst, whenever after the folder the file came",
      function* () {
        const vault = yield* Vault
        const files: Array<string> = []
        const next = Effect.gen(function* () {
          const folder = `new ${files.length}`
          yield* write(`${folder}/first.md`, "first")
          yield* Effect.sleep(files.length % 4)
          files.push(`${folder}/second.md`)
          yield* write(`${folder}/second.md`, "second")
        })
        const found = vault.watch.pipe(
          Stream.tap(() => (files.length < 12 ? next : Effect.void)),
          Stream.mapEffect(() => vault.walk("")),
          Stream.map(({ entries }) => entries.map((entry) => entry.path)),
          Stream.takeUntil((paths) => files.length === 12 && files.every((file) => paths.includes(file))),
          Stream.runLast
        )
        expect(Option.getOrThrow(yield* found)).toHaveLength(24)
      }
    )

    law("refuses a file over the limit with the code too_large", function* () {
      yield* write("big.md", "x".repeat(limit + 1))
      const fault = yield* Effect.flip((yield* Vault).read("big.md", limit))
      expect(fault.code).toBe("too_large")
    })

    law("has a new stamp after every change of the text", function* () {
      const stamp = Effect.map((yield* Vault).read("a.md", limit), (file) => Option.getOrThrow(file).stamp)
      yield* write("a.md", "one")
      const before = yield* stamp
      yield* Effect.promise(() => new Promise((done) => setTimeout(done, 5)))
      yield* write("a.md", "two")
      expect(yield* stamp).not.toEqual(before)
    })
  })
}
