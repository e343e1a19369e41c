import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { describe, expect, it } from "vitest"
import { directoryVault } from "../../../../adapters/vault/directory.js"
import { Vault } from "../../../../core/files/documents/index.js"
import { withFolder } from "../../../support/documents.js"
import { runEffect } from "../../../support/run.js"

describe("the watch of a directory", () => {
  it("tells of Markdown alone, so that data in a folder of the vault does not call for ingests", () =>
    withFolder((root) =>
      runEffect(
        Effect.gen(function* () {
          const vault = yield* Vault
          const told = yield* vault.watch.pipe(
            Stream.tap((paths) =>
              Effect.sync(() => {
                if (paths.length > 0) return
                for (const name of ["kanon.sqlite", "notes.log", "a.md"]) writeFileSync(join(root, name), "x")
              })
            ),
            Stream.takeUntil((paths) => paths.includes("a.md")),
            Stream.runCollect
          )
          expect([...new Set([...told].flat())]).toEqual(["a.md"])
        }).pipe(Effect.provide(directoryVault(root)))
      )
    ))
})
