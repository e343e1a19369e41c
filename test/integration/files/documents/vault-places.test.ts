import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it, vi } from "vitest"
import { z } from "zod"
import {
  createEngine as engineOnPostgres,
  importWorkspace as importIntoPostgres
} from "../../../../adapters/postgres/index.js"
import { createEngine, type Engine, importWorkspace } from "../../../../adapters/sqlite/index.js"
import { kanon } from "../../../../server/cli/commands.js"
import { parseArguments } from "../../../../server/cli/parse-arguments.js"
import { temporaryFolder } from "../../../support/folders.js"
import { startObjectStorage } from "../../../support/object-storage.js"
import { dropDatabase, makeMigrated } from "../../../support/postgres.js"

const folder = temporaryFolder("places")
const storage = await startObjectStorage()
afterAll(() => storage.close())

const bytesOf = async (engine: Engine): Promise<Buffer> => {
  const pieces: Array<Uint8Array> = []
  for await (const piece of engine.export()) pieces.push(piece)
  return Buffer.concat(pieces)
}

const pieceOf = async function* (bytes: Uint8Array) {
  yield bytes
}

/** A command line of the workspaces' commands. */
const workspaces = (data: string, ...words: ReadonlyArray<string>) =>
  Effect.flatMap(parseArguments(kanon, ["workspaces", ...words, "--data", data, "--json"]), (asked) =>
    asked.kind === "run" ? asked.command.run(asked.words) : Effect.die("It is no command.")
  )

/** Returns the output of a command. */
const printedBy = async (command: Effect.Effect<void, unknown>): Promise<unknown> => {
  const printed: Array<string> = []
  const write = vi
    .spyOn(process.stdout, "write")
    .mockImplementation((text: unknown, ...rest: ReadonlyArray<unknown>) => {
      printed.push(String(text))
      for (const done of rest) if (typeof done === "function") done()
      return true
    })
  try {
    await Effect.runPromise(command)
  } finally {
    write.mockRestore()
  }
  return JSON.parse(printed.join(""))
}

describe("a workspace that is made beside another one", () => {
  it("has its files where they are said to be, in no folder too", async () => {
    const vault = join(folder, "beside")
    mkdirSync(vault)
    await (await createEngine({ vault, worker: false, thread: false })).close()
    const data = join(vault, ".kanon")
    const places = ["database:", `s3://${storage.bucket}/beside`]
    for (const files of places) {
      const made = await printedBy(workspaces(data, "create", "--name", "Beside", "--vault", files))
      const { id } = z.object({ id: z.string(), vault: z.literal(files) }).parse(made)
      const open = () => createEngine({ vault, workspace: id, worker: false, thread: false })
      const engine = await open()
      const { docId } = await engine.documents.create({
        path: "valve.md",
        content: "# Valve\n\nIt is shut.\n"
      })
      await engine.close()
      const again = await open()
      expect((await again.ingest({ wait: false })).documents).toMatchObject({ unchanged: 1, deleted: 0 })
      expect((await again.documents.get(docId)).content).toContain("It is shut.")
      await again.close()
    }
    expect(await printedBy(workspaces(data, "list"))).toMatchObject({
      items: [{ vault }, ...places.map((place) => ({ vault: place }))]
    })
    expect(["database:", "s3:"].filter((name) => existsSync(join(data, name)) || existsSync(name))).toEqual(
      []
    )
    const wrong = workspaces(data, "create", "--name", "Beside", "--vault", "s3://_")
    expect(await Effect.runPromise(Effect.flip(wrong))).toMatchObject({ exitCode: 2 })
  })

  it("gets no vault inside of another one or around it, unless nobody looks there", async () => {
    const outer = join(folder, "outer")
    const vault = join(outer, "notes")
    mkdirSync(vault, { recursive: true })
    await (await createEngine({ vault, worker: false, thread: false })).close()
    const data = join(vault, ".kanon")
    const create = (files: string) => workspaces(data, "create", "--name", "Other", "--vault", files)
    for (const files of [vault, join(vault, "deep", "down"), outer])
      expect(await Effect.runPromise(Effect.flip(create(files)))).toMatchObject({ code: "conflict" })
    for (const files of [join(vault, ".other"), join(outer, "notes-beside")])
      expect(await printedBy(create(files))).toMatchObject({ vault: files })
  })
})

describe("a workspace that moves house", () => {
  it("takes its documents along, from a folder into the database, into object storage and back", async () => {
    const vault = join(folder, "notes")
    mkdirSync(vault)
    writeFileSync(join(vault, "pump.md"), "# Pump\n\nThe pump stands in hall seven.\n")
    writeFileSync(join(vault, "crane.md"), "# Crane\n\nThe crane lifts the [[Pump]].\n")
    const first = await createEngine({ vault, worker: false, thread: false })
    await first.ingest({ wait: false })
    await first.documents.create({ path: "deep/valve.md", content: "# Valve\n\nThe valve is shut.\n" })
    const bytes = await bytesOf(first)
    await first.close()

    const database = await makeMigrated()
    try {
      const options = { vault: "database:", data: join(folder, "second"), database, worker: false }
      const { ingest } = await importIntoPostgres(pieceOf(bytes), { ...options, wait: false })
      expect(ingest.documents).toMatchObject({ unchanged: 3, created: 0, deleted: 0, failed: 0 })
      const second = await engineOnPostgres(options)
      expect(await bytesOf(second)).toEqual(bytes)
      const [found] = (await second.search("hall seven")).results
      expect(found?.docPath).toBe("pump.md")
      await second.documents.replace(found?.docId ?? "", "# Pump\n\nThe pump stands in hall eight.\n")
      await second.documents.remove((await second.search("valve shut")).results[0]?.docId ?? "")
      expect((await second.ingest({ wait: false })).documents).toMatchObject({ unchanged: 2, deleted: 0 })
      expect((await second.doctor()).findings.filter(({ severity }) => severity === "difference")).toEqual([])
      const changed = await bytesOf(second)
      await second.close()

      const objects = { vault: `s3://${storage.bucket}/house`, data: join(folder, "third"), thread: false }
      await importWorkspace(pieceOf(changed), { ...objects, wait: false })
      await expect(
        importWorkspace(pieceOf(changed), { ...objects, data: join(folder, "other"), wait: false })
      ).rejects.toMatchObject({ code: "conflict" })
      const third = await createEngine({ ...objects, worker: false })
      expect(await bytesOf(third)).toEqual(changed)
      expect((await third.search("hall eight")).results[0]?.docPath).toBe("pump.md")
      expect((await third.ingest({ wait: false })).documents).toMatchObject({ unchanged: 2, failed: 0 })
      await third.close()
    } finally {
      await dropDatabase(database)
    }
  })

  it("is refused a place that is none", async () => {
    const options = { vault: "s3://_", data: join(folder, "none"), thread: false }
    await expect(createEngine(options)).rejects.toMatchObject({ code: "invalid_body" })
  })
})
