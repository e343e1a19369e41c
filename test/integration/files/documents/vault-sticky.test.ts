import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeVault } from "../../../../adapters/vault/directory.js"
import { withFolder } from "../../../support/documents.js"

afterEach(() => vi.restoreAllMocks())

/** Returns the vault's replies about writing at a path, to a user who owns nothing there and to the owner. */
const saidOf = async (mode: number, path: string) =>
  withFolder(async (root) => {
    mkdirSync(join(root, "drop"))
    writeFileSync(join(root, "drop", "theirs.md"), "# Theirs\n")
    chmodSync(join(root, "drop"), mode)
    const look = () =>
      Effect.runPromise(
        Effect.match(makeVault(root).checkWritable(path), {
          onFailure: ({ code, message }) => `${code} ${message}`,
          onSuccess: () => "writable"
        })
      )
    const owner = await look()
    vi.spyOn(process, "geteuid").mockReturnValue(4_711_000)
    return { owner, stranger: await look() }
  })

describe("a folder with the sticky bit", () => {
  it("keeps files of others from being replaced, moved or removed, and says so beforehand", async () => {
    expect(await saidOf(0o1777, "drop/theirs.md")).toEqual({
      owner: "writable",
      stranger: "EPERM drop/theirs.md: The operation is not permitted."
    })
  })

  it("takes new files, and others are as they are without it", async () => {
    expect(await saidOf(0o1777, "drop/new.md")).toEqual({ owner: "writable", stranger: "writable" })
    expect(await saidOf(0o777, "drop/theirs.md")).toEqual({ owner: "writable", stranger: "writable" })
  })
})
