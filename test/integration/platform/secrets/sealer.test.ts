import { randomBytes } from "node:crypto"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { hostSealer, keyOfSeal, type SealerOptions } from "../../../../adapters/host/sealer.js"
import { addKey, dropOldKeys, makeKeyFile } from "../../../../adapters/host/secret-keys.js"
import { Sealer } from "../../../../core/platform/secrets/index.js"
import { temporaryFolder } from "../../../support/folders.js"
import { runs } from "../../../support/runs.js"

const folder = temporaryFolder("sealer")
let files = 0
const newFile = () => join(folder, `key-${files++}`)
const newKey = () => randomBytes(32).toString("base64")

const sealerOf = (options: Partial<SealerOptions>) => {
  const layer = hostSealer({ file: null, makesFile: false, variable: () => undefined, ...options })
  const use = <A>(work: (sealer: Sealer["Type"]) => Effect.Effect<A, unknown>) =>
    Effect.runPromise(Effect.flatMap(Sealer, work).pipe(Effect.provide(layer)))
  return {
    seal: (text: string, place = "ws/sec") => use((sealer) => sealer.seal(Redacted.make(text), place)),
    open: async (sealed: string, place = "ws/sec") =>
      Redacted.value(await use((sealer) => sealer.open(sealed, place))),
    isCurrent: (sealed: string) => use((sealer) => sealer.isCurrent(sealed)),
    refusal: (sealed: string, place = "ws/sec") =>
      use((sealer) => Effect.flip(sealer.open(sealed, place))).then((failure) =>
        String(Reflect.get(Object(failure), "message"))
      )
  }
}

describe("a sealed credential", () => {
  it("opens to what it was, in its own place only, and shows nothing of itself", async () => {
    const sealer = sealerOf({ variable: newKey })
    const key = newKey()
    const fixed = sealerOf({ variable: () => key })
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 8, unit: "grapheme" }), async (text) => {
        const [one, two] = [await fixed.seal(text), await fixed.seal(text)]
        expect(one).not.toBe(two)
        expect(one).not.toContain(text)
        expect(await fixed.open(one)).toBe(text)
        expect(await fixed.refusal(one, "other/sec")).toContain("damaged, or belongs elsewhere")
      }),
      { numRuns: runs(20) }
    )
    // A key that changes with each call opens nothing that it sealed.
    expect(await sealer.refusal(await sealer.seal("secret"))).toContain("another master key")
  })

  it("does not open when a single character of it was changed", async () => {
    const key = newKey()
    const sealer = sealerOf({ variable: () => key })
    const sealed = await sealer.seal("sk-0123456789")
    const body = sealed.lastIndexOf(".") + 1
    for (let at = body; at < sealed.length - 1; at++) {
      const other = sealed[at] === "A" ? "B" : "A"
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1)
      expect(await sealer.refusal(changed)).toContain("damaged")
    }
    for (const cut of ["", "v1", "v1.00000000.", sealed.slice(0, body), sealed.slice(0, body + 20)])
      expect(await sealer.refusal(cut)).toMatch(/damaged|another master key/)
  })
})

describe("the master key", () => {
  it("is made where one host alone has the data, for its owner's eyes, and asked for elsewhere", async () => {
    const file = newFile()
    const own = sealerOf({ file, makesFile: true })
    const sealed = await own.seal("secret")
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await own.open(sealed)).toBe("secret")
    const shared = sealerOf({ file: newFile() })
    await expect(shared.seal("secret")).rejects.toThrow("KANON_SECRET_KEY")
    expect(await shared.refusal(sealed)).toContain("there is no master key")
  })

  it("comes from the variable before the file, as base64 or hexadecimal; anything else is told", async () => {
    const file = newFile()
    makeKeyFile(file)
    const bytes = randomBytes(32)
    const byFile = sealerOf({ file })
    const byBoth = sealerOf({ file, variable: () => bytes.toString("hex") })
    const sealedByFile = await byFile.seal("one")
    expect(await byBoth.open(sealedByFile)).toBe("one")
    expect(await byBoth.isCurrent(sealedByFile)).toBe(false)
    const sealedByVariable = await byBoth.seal("two")
    expect(await sealerOf({ variable: () => bytes.toString("base64url") }).open(sealedByVariable)).toBe("two")
    for (const bad of ["short", "x".repeat(64), `${newKey()},nonsense`])
      await expect(sealerOf({ variable: () => bad }).seal("text")).rejects.toThrow("openssl rand -base64 32")
  })

  it("is refused where others may read its file", async () => {
    const file = newFile()
    makeKeyFile(file)
    chmodSync(file, 0o644)
    await expect(sealerOf({ file }).seal("text")).rejects.toThrow("chmod 600")
    writeFileSync(file, "nonsense\n")
    chmodSync(file, 0o600)
    await expect(sealerOf({ file }).seal("text")).rejects.toThrow("not a key")
  })

  it("is rotated without a moment in which something does not open", async () => {
    const file = newFile()
    makeKeyFile(file)
    const sealer = sealerOf({ file })
    const old = await sealer.seal("secret")
    addKey(file)
    expect([await sealer.open(old), await sealer.isCurrent(old)]).toEqual(["secret", false])
    const anew = await sealer.seal("secret")
    dropOldKeys(file, new Set([keyOfSeal(old)]))
    expect(await sealer.open(old)).toBe("secret")
    dropOldKeys(file, new Set([keyOfSeal(anew)]))
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(1)
    expect([await sealer.open(anew), await sealer.isCurrent(anew)]).toEqual(["secret", true])
    expect(await sealer.refusal(old)).toContain("another master key")
  })

  it("is sealed where the file of the key is empty: its maker was killed, or the disk was full", async () => {
    const file = newFile()
    writeFileSync(file, "", { mode: 0o600 })
    const sealer = sealerOf({ file, makesFile: true })
    expect(await sealer.open(await sealer.seal("secret"))).toBe("secret")
    makeKeyFile(file)
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(1)
  })
})
