import { writeFileSync } from "node:fs"
import { join } from "node:path"
import Sqlite from "better-sqlite3"
import { beforeAll, describe, expect, it } from "vitest"
import { unreadable } from "../../../../adapters/livedata/sqlite/unreadable.js"
import { temporaryFolder } from "../../../support/folders.js"

const folder = temporaryFolder("wal")
const made = (name: string, mode: string): string => {
  const path = join(folder, name)
  const database = new Sqlite(path)
  database.pragma(`journal_mode = ${mode}`)
  database.exec("create table t (a)")
  database.close()
  return path
}
let wal = ""
let plain = ""
beforeAll(() => {
  wal = made("shop.sqlite", "wal")
  plain = made("plain.sqlite", "delete")
})

describe("a SQLite file that cannot be opened", () => {
  // Root may write every folder, so the code that SQLite gives to others is handed in.
  it.each(["SQLITE_READONLY_DIRECTORY", "SQLITE_CANTOPEN"])(
    "with %s in WAL mode names the remedy",
    (code) => {
      expect(unreadable(wal, code)).toMatch(
        /WAL mode.*shop\.sqlite-shm.*write the folder.*journal_mode = delete/u
      )
      expect(unreadable(wal, code)).toContain(code)
    }
  )

  it("keeps the plain sentence for every other file and code", () => {
    const text = join(folder, "notes.sqlite")
    writeFileSync(text, "no database")
    for (const [path, code] of [
      [plain, "SQLITE_READONLY_DIRECTORY"],
      [text, "SQLITE_CANTOPEN"],
      [join(folder, "missing.sqlite"), "SQLITE_CANTOPEN"],
      [wal, "SQLITE_CORRUPT"]
    ] as const)
      expect(unreadable(path, code)).toBe(`The file cannot be read as a SQLite database (${code}).`)
  })
})
