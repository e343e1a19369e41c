import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { strToU8, zipSync } from "fflate"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { StructuredAnswer } from "../../core/answers/answering/index.js"
import {
  ContentConnector,
  ContentConnectorDetail,
  SyncRun,
  SyncStarted
} from "../../core/connected/sources/index.js"
import { DocumentPage } from "../../core/files/documents/index.js"
import { DeleteAck } from "../../core/platform/kernel/index.js"
import { DocumentLineage } from "../../core/upkeep/overview/index.js"
import { folder, kanon, start, vault, write } from "../support/cli.js"
import { failure, read } from "../support/cli-json.js"
import { runEffect } from "../support/run.js"
import { webDavServer } from "../support/sources/webdav.js"
import { root } from "../support/tree.js"

const Connectors = z.object({ items: z.array(ContentConnector), total: z.int() })
const paths = (notes: string) => read(DocumentPage, notes, "documents", "list").items.map(({ path }) => path)
const workspace = (): string => {
  const notes = vault({})
  kanon(["init", "--vault", notes])
  return notes
}
const archive = (files: Readonly<Record<string, string>>): string => {
  const path = join(folder(), "export.zip")
  writeFileSync(
    path,
    zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)])))
  )
  return path
}
const navigation = join(root, "demo", "library", "Navigation.pdf")

describe("kanon connectors", () => {
  it("are created, listed, shown, changed and deleted", () => {
    const notes = workspace()
    const made = read(
      ContentConnector,
      notes,
      ...["connectors", "create", "--name", "Handbook", "--kind", "document_library"],
      ...["--config", '{"provider":"git","url":"https://git.example/handbook.git"}'],
      ...["--schedule", "0 3 * * *", "--path-prefix", "handbook/pages"]
    )
    expect(made).toMatchObject({
      schedule: "0 3 * * *",
      pathPrefix: "handbook/pages",
      hasCredential: false,
      lastSync: null
    })
    expect(read(Connectors, notes, "connectors", "list")).toEqual({ items: [made], total: 1 })
    expect(read(Connectors, notes, "connectors", "list", "--kind", "chat").total).toBe(0)
    expect(read(ContentConnectorDetail, notes, "connectors", "show", "Handbook")).toEqual({
      connector: made,
      syncs: []
    })
    const changed = read(
      ContentConnector,
      notes,
      ...["connectors", "update", made.id, "--name", "Pages", "--clear-schedule", "--disable"]
    )
    expect(changed).toMatchObject({ id: made.id, name: "Pages", schedule: null, enabled: false })
    expect(failure(notes, "connectors", "sync", "Pages")).toEqual([1, "connector-disabled"])
    expect(failure(notes, "connectors", "show", "Handbook")).toEqual([1, "not_found"])
    expect(failure(notes, "connectors", "create", "--name", "x", "--kind", "wiki")).toEqual([
      2,
      "invalid_body"
    ])
    expect(failure(notes, "connectors", "create", "--name", "x", "--kind", "chat", "--config", "{")).toEqual([
      2,
      "invalid_usage"
    ])
    expect(read(DeleteAck, notes, "connectors", "delete", "Pages")).toEqual({ deleted: true, id: made.id })
    expect(read(Connectors, notes, "connectors", "list").total).toBe(0)
  })

  it("take folders and exports, tell what a sync would change, and hold removals that are too many", () => {
    const notes = workspace()
    const create = (name: string) =>
      read(ContentConnector, notes, "connectors", "create", "--name", name, "--kind", "markdown_upload")
    const sync = (...args: ReadonlyArray<string>) => read(SyncRun, notes, "connectors", "sync", ...args)

    create("Obsidian")
    const vaultFolder = vault({
      ".obsidian/app.json": "{}",
      ".obsidian/templates.json": '{"folder":"Templates"}',
      "Templates/Daily.md": "{{date}}",
      "Harbour.md": "# Harbour\n\nThe pilot boat is Terna. %%ask again%% ^block\n",
      "Chart.html": "<main><h1>Chart</h1><p>Depth 4 m.</p><img src='chart.png'></main>"
    })
    for (let number = 1; number <= 8; number++)
      write(vaultFolder, { [`Log ${number}.md`]: `# Log ${number}\n\nThe wind was ${number}.\n` })
    copyFileSync(navigation, join(vaultFolder, "Navigation.pdf"))
    const planned = sync("Obsidian", vaultFolder, "--full", "--dry-run")
    expect(planned).toMatchObject({ dryRun: true, created: 11, failed: 0, warned: 1 })
    expect(planned.changes).toContainEqual({
      externalId: "Harbour.md",
      op: "create",
      path: "obsidian/Harbour.md"
    })
    expect(paths(notes)).toEqual([])
    expect(sync("Obsidian", vaultFolder, "--full")).toMatchObject({
      status: "succeeded",
      created: 11,
      warned: 1,
      warnings: [{ externalId: "Chart.html", messages: ["1 image was left out."] }]
    })
    expect(paths(notes)).toContain("obsidian/Navigation.pdf.md")
    const answer = read(StructuredAnswer, notes, "ask", "What does page two tell of?")
    expect(answer.sources[0]).toMatchObject({ docPath: "obsidian/Navigation.pdf.md", page: 2 })
    const lineage = read(DocumentLineage, notes, "documents", "lineage", "obsidian/Chart.html.md")
    expect(lineage.origin).toMatchObject({ kind: "connector", warnings: ["1 image was left out."] })
    expect(kanon(["documents", "lineage", "obsidian/Chart.html.md"], { cwd: notes }).stdout).toMatch(
      /warning +1 image was left out\./
    )

    for (let number = 1; number <= 8; number++) rmSync(join(vaultFolder, `Log ${number}.md`))
    expect(sync("Obsidian", vaultFolder, "--full")).toMatchObject({ removed: 0, heldRemovals: 8 })
    expect(kanon(["connectors", "show", "Obsidian"], { cwd: notes }).stdout).toContain(
      "--allow-removals removes them"
    )
    expect(sync("Obsidian", vaultFolder, "--full", "--allow-removals")).toMatchObject({
      removed: 8,
      heldRemovals: 0
    })
    expect(sync("Obsidian", vaultFolder, "--full")).toMatchObject({ unchanged: 3, created: 0, removed: 0 })

    const id = "0123456789abcdef".repeat(2)
    create("Notion")
    const notion = archive({
      [`Home ${id}.md`]: `# Home\n\nSee [Crew](Home%20${id}/Crew%20${id.replaceAll("0", "1")}.csv).\n`,
      [`Home ${id}/Crew ${id.replaceAll("0", "1")}.csv`]: "Name,Post\nAda,Pilot\n"
    })
    expect(sync("Notion", notion)).toMatchObject({ created: 2, failed: 0 })
    create("Confluence")
    const confluence = archive({
      "DOC/index.html": "<html><body>Space</body></html>",
      "DOC/Berths_2.html":
        '<html><head><title>Docs : Berths</title></head><body class="theme-default aui-theme-default"><div id="page"><ol id="breadcrumbs"><li><span><a href="i.html">Docs</a></span></li></ol><h1 id="title-heading"><span id="title-text"> Docs : Berths </span></h1><div id="main-content" class="wiki-content group"><p>Nine berths.</p></div></div></body></html>'
    })
    expect(sync("Confluence", confluence)).toMatchObject({ created: 1, failed: 0 })
    expect(paths(notes)).toEqual([
      "confluence/Berths.md",
      "notion/Home.md",
      "notion/Home/Crew.md",
      "obsidian/Chart.html.md",
      "obsidian/Harbour.md",
      "obsidian/Navigation.pdf.md"
    ])
    read(DeleteAck, notes, "connectors", "delete", "Notion", "--documents", "trash")
    kanon(["ingest"], { cwd: notes })
    expect(paths(notes)).not.toContain("notion/Home.md")
  })

  it("are cancelled by disabling them while a sync waits", () => {
    const notes = workspace()
    read(ContentConnector, notes, "connectors", "create", "--name", "Files", "--kind", "markdown_upload")
    const files = vault({ "one.md": "# One\n" })
    const started = read(SyncStarted, notes, "connectors", "sync", "Files", files, "--no-wait")
    expect(started.status).toBe("queued")
    read(ContentConnector, notes, "connectors", "update", "Files", "--disable")
    const { syncs } = read(ContentConnectorDetail, notes, "connectors", "show", "Files")
    expect(syncs).toMatchObject([{ id: started.syncId, status: "cancelled" }])
    expect(paths(notes)).toEqual([])
    read(ContentConnector, notes, "connectors", "update", "Files", "--enable")
    expect(read(SyncRun, notes, "connectors", "sync", "Files", files)).toMatchObject({ created: 1 })
  })

  it("keep a credential that is sealed anew, and cite the original with its address and page", () =>
    runEffect(
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* webDavServer("ada", "a-secret")
          const notes = workspace()
          copyFileSync(navigation, join(server.folder, "Navigation.pdf"))
          const config = JSON.stringify({ provider: "webdav", url: server.url, username: "ada" })
          const env = { KANON_PRIVATE_CONNECTOR_ADDRESSES: "1" }
          const created = kanon(
            [
              ...["connectors", "create", "--name", "Files", "--kind", "document_library"],
              ...["--config", config, "--credential-stdin", "--json"]
            ],
            { cwd: notes, env, input: "a-secret\n" }
          )
          expect(JSON.parse(created.stdout)).toMatchObject({ hasCredential: true })
          const keyFile = join(notes, ".kanon", "secret.key")
          const before = readFileSync(keyFile, "utf8")
          const Rotated = z.object({ secrets: z.int(), resealed: z.int() })
          expect(read(Rotated, notes, "secrets", "rotate")).toEqual({ secrets: 1, resealed: 1 })
          expect(readFileSync(keyFile, "utf8")).not.toBe(before)
          // The server answers from this process, which must not wait for the command.
          const synced = yield* Effect.promise(
            () => start(["connectors", "sync", "Files", "--json"], { cwd: notes, env }).ended
          )
          expect(synced.stderr).toBe("")
          expect(SyncRun.parse(JSON.parse(synced.stdout))).toMatchObject({ status: "succeeded", created: 1 })
          const { sources } = read(StructuredAnswer, notes, "ask", "What does page two tell of?")
          expect(sources[0]).toMatchObject({ page: 2, sourceUrl: `${server.url}/Navigation.pdf` })
          expect(created.stdout + created.stderr + synced.stdout).not.toContain("a-secret")
        })
      )
    ))
})
