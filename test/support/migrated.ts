import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { sqliteClient } from "../../adapters/sqlite/client.js"

/** A file of SQLite with the newest schema and nothing in it. */
let image: Promise<Buffer> | undefined

const makeImage = async (): Promise<Buffer> => {
  const folder = mkdtempSync(join(tmpdir(), "kanon-image-"))
  try {
    const filename = join(folder, "kanon.sqlite")
    await Effect.runPromise(Effect.scoped(Layer.build(sqliteClient({ filename }))))
    return readFileSync(filename)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Puts a database with the newest schema where there is none yet: every test that opens a new folder would else go
 * through all migrations, which takes longer than most of what is tested there. They have tests of their own.
 */
export const placeMigrated = async (filename: string): Promise<void> => {
  if (existsSync(filename)) return
  image ??= makeImage()
  const bytes = await image
  mkdirSync(dirname(filename), { recursive: true })
  // Only one of two engines that open a folder at once writes the file; no test opens it from two processes.
  if (!existsSync(filename)) writeFileSync(filename, bytes, { flag: "wx" })
}
