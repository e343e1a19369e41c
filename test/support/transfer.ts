import { createHash } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { type Engine, KanonError } from "../../adapters/sqlite/index.js"
import { recordKinds } from "../../core/upkeep/transfer/index.js"
import { importWorkspace } from "./database.js"

/** All bytes of an export. */
export const exported = async (engine: Pick<Engine, "export">): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of engine.export()) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Bytes as a source that can be read once, in pieces of this size. */
export async function* piecesOf(bytes: Uint8Array, size = 4096): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}

/** The lines of an export, parsed, without the last. */
export const linesOf = (bytes: Buffer): Array<Record<string, unknown>> =>
  bytes
    .toString()
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))

/** Forges an export as somebody who knows the format would: these lines with matching counts and checksum. */
export const sealed = (lines: ReadonlyArray<string | Uint8Array>): Buffer => {
  const body = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from("\n")]))
  const records: Record<string, number> = {}
  for (const kind of [...recordKinds].sort())
    records[kind] = lines.filter((line) => Buffer.from(line).includes(`"kind":"${kind}"`)).length
  const sha256 = createHash("sha256").update(body).digest("hex")
  return Buffer.concat([body, Buffer.from(`${JSON.stringify({ kind: "end", records, sha256 })}\n`)])
}

/** Makes an empty place for a workspace, hands it over, removes it. */
export const withPlace = async <A>(use: (vault: string) => Promise<A>): Promise<A> => {
  const root = mkdtempSync(join(tmpdir(), "kanon-transfer-"))
  try {
    return await use(join(root, "vault"))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Why an import of these bytes is refused; the place must be as if nobody had tried. */
export const refusalOf = (bytes: Uint8Array, pieceBytes?: number): Promise<string> =>
  withPlace(async (vault) => {
    const refused = await importWorkspace(piecesOf(bytes, pieceBytes), { vault, wait: false }).then(
      () => "imported",
      (error: unknown) =>
        error instanceof KanonError && error.fault._tag === "InvalidExport"
          ? error.fault.reason
          : String(error)
    )
    if (refused !== "imported")
      expect(existsSync(vault) || readdirSync(dirname(vault)).length > 0).toBe(false)
    return refused
  })
