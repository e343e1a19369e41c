import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, describe, expect, it } from "vitest"
import { hostIds } from "../../adapters/host/ids.js"
import { databaseVault } from "../../adapters/vault/database.js"
import { directoryVault } from "../../adapters/vault/directory.js"
import { objectVault } from "../../adapters/vault/objects.js"
import { Vault } from "../../core/files/documents/index.js"
import { temporaryFolder } from "../support/folders.js"
import { startObjectStorage } from "../support/object-storage.js"
import { postgresBase } from "../support/postgres.js"
import { baseLayer, makeWorkspace, runEffect } from "../support/run.js"
import { isLong } from "../support/runs.js"
import { vaultContract } from "./vault.js"

const folder = Layer.unwrapScoped(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "kanon-vault-"))),
      (root) => Effect.sync(() => rmSync(root, { recursive: true, force: true }))
    ),
    (root) => directoryVault(root)
  )
)

vaultContract("a directory", () => Layer.merge(folder, hostIds))

describe("a directory as a vault", () => {
  const inFolder = <A, E>(use: (root: string) => Effect.Effect<A, E, Vault>): Promise<A> => {
    const root = temporaryFolder("vault")
    return runEffect(Effect.provide(use(root), directoryVault(root)))
  }

  it("never follows a symbolic link out of itself, for reading, walking or writing", () =>
    inFolder((root) =>
      Effect.gen(function* () {
        const vault = yield* Vault
        const outside = temporaryFolder("outside")
        writeFileSync(join(outside, "secret.md"), "secret")
        symlinkSync(join(outside, "secret.md"), join(root, "link.md"))
        symlinkSync(outside, join(root, "linked"))
        symlinkSync(join(root, "loop"), join(root, "loop"))
        const { entries, refused } = yield* vault.walk("")
        expect(entries).toEqual([])
        expect(refused.map(({ code, path }) => [path, code])).toEqual([
          ["link.md", "outside_vault"],
          ["linked", "outside_vault"]
        ])
        expect((yield* Effect.flip(vault.read("link.md", 100))).code).toBe("outside_vault")
        expect((yield* Effect.flip(vault.read("linked/secret.md", 100))).code).toBe("outside_vault")
        expect((yield* Effect.flip(vault.stage("linked/new.md", new Uint8Array(1)))).code).toBe(
          "outside_vault"
        )
        rmSync(outside, { recursive: true })
      })
    ))

  it("lists a folder that it may not read and goes on", () =>
    inFolder((root) =>
      Effect.gen(function* () {
        mkdirSync(join(root, "closed"))
        writeFileSync(join(root, "open.md"), "open")
        chmodSync(join(root, "closed"), 0o000)
        const { entries, refused } = yield* (yield* Vault).walk("")
        chmodSync(join(root, "closed"), 0o700)
        expect(entries.map((entry) => entry.path)).toEqual(["open.md"])
        // The super-user may read everything; everybody else is refused with the system's own code.
        expect(refused.map(({ code }) => code)).toEqual(process.getuid?.() === 0 ? [] : ["EACCES"])
      })
    ))

  it("says so when the folder itself is gone", () =>
    inFolder((root) =>
      Effect.gen(function* () {
        rmSync(root, { recursive: true })
        expect((yield* Effect.flip((yield* Vault).walk(""))).code).toBe("ENOENT")
      })
    ))
})

for (const [name, base] of [
  ["SQLite", () => baseLayer()],
  ["Postgres", () => postgresBase()]
] as const)
  vaultContract(`the database itself, on ${name}`, () =>
    Layer.provideMerge(
      Layer.effect(
        Vault,
        Effect.gen(function* () {
          return databaseVault(yield* SqlClient.SqlClient, yield* makeWorkspace(), 50)
        })
      ),
      base()
    )
  )

const storage = await startObjectStorage()
afterAll(() => storage.close())
let prefixes = 0

vaultContract("object storage", () => {
  prefixes += 1
  return Layer.merge(
    Layer.succeed(
      Vault,
      objectVault({ bucket: storage.bucket, prefix: `vault ${prefixes}/ä` }, { lookMs: 50 })
    ),
    hostIds
  )
})

describe("object storage as a vault", () => {
  it("says what is wrong without a word of where it is", () =>
    runEffect(function* () {
      const { code, message } = yield* Effect.flip(
        objectVault({ bucket: "no-such-bucket", prefix: "" }).walk("")
      )
      expect([code, message]).toEqual(["NoSuchBucket", "There is no such bucket."])
    }))
  it("lists a vault that does not fit into one answer, each file once", () =>
    runEffect(function* () {
      // A long run has more objects than any storage lists at once.
      const [count, pageMax] = isLong ? [1_100, undefined] : [23, 4]
      const place = { bucket: storage.bucket, prefix: "pages/ä" }
      const vault = objectVault(place, pageMax === undefined ? {} : { pageMax })
      const paths = Array.from({ length: count }, (_, at) => `part ${at % 3}/é-${at}.md`).sort()
      const put = (path: string) =>
        Effect.flatMap(vault.stage(path, new TextEncoder().encode(path)), (handle) =>
          vault.publish(path, handle)
        )
      yield* Effect.forEach(paths, put, { discard: true })
      const namesUnder = (under: string) =>
        Effect.map(vault.walk(under), ({ entries }) => entries.map(({ path }) => path))
      expect(yield* namesUnder("")).toEqual(paths)
      expect(yield* namesUnder("part 1")).toEqual(paths.filter((path) => path.startsWith("part 1/")))
    }))
})
