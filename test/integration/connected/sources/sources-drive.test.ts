import { generateKeyPairSync } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import { SourceStore } from "../../../../core/connected/sources/index.js"
import { openSecret } from "../../../../core/platform/secrets/index.js"
import { runEffect } from "../../../support/run.js"
import { builtInProvider, openCrawler } from "../../../support/sources/crawling.js"
import { googleDriveServer } from "../../../support/sources/google-drive.js"
import { graphServer } from "../../../support/sources/graph.js"
import { openSyncWorld } from "../../../support/sync-world.js"

type Drive = Effect.Effect.Success<ReturnType<typeof googleDriveServer>>
const client = { clientId: "kanon", clientSecret: "secret" }

/** A workspace with a connector to the drive. */
const worldOf = async (drive: Drive, credential: unknown, config = {}) => {
  const world = await openSyncWorld([builtInProvider("google_drive")], { converts: true })
  const id = await world.connect({
    name: "Drive",
    kind: "document_library",
    config: { provider: "google_drive", url: drive.url, tokenUrl: drive.tokenUrl, ...config },
    credential: JSON.stringify(credential)
  })
  return { world, id }
}
const withDrive = (work: (drive: Drive) => Promise<void>) =>
  runEffect(Effect.scoped(Effect.flatMap(googleDriveServer(), (drive) => Effect.promise(() => work(drive)))))

it("files and exported documents follow their folders, and those that leave are removed", () =>
  withDrive(async (drive) => {
    const plans = drive.folder("Plans")
    const year = drive.folder("2026", plans)
    drive.put("Budget", "# Budget\n", { mimeType: "application/vnd.google-apps.document", parent: year })
    const note = drive.put("a/b.md", "# Note\n", { parent: plans })
    const link = drive.put("Link", "", { mimeType: "application/vnd.google-apps.shortcut" })
    drive.put("photo.bin", "no text", { mimeType: "application/octet-stream" })
    const { id, world } = await worldOf(drive, client, { readers: "everybody" })
    const left = (what: string, externalId: string, name: string) => ({
      externalId,
      messages: [`The ${what} "${name}" is left out: Kanon reads documents, sheets, slides and files.`]
    })
    expect((await world.sync(id)).run).toMatchObject({
      created: 2,
      failed: 0,
      warnings: [left("shortcut", link, "Link")]
    })
    expect([...(await world.texts()).keys()]).toEqual(["drive/Plans/2026/Budget.md", "drive/Plans/a-b.md"])
    drive.put("New.md", "# New\n")
    expect((await world.sync(id)).run).toMatchObject({ created: 1, updated: 0, seen: 1, warnings: [] })
    const form = drive.put("Survey", "", { mimeType: "application/vnd.google-apps.form" })
    const drawing = drive.put("Sketch", "", { mimeType: "application/vnd.google-apps.drawing" })
    const { run } = await world.sync(id)
    expect(run.warnings).toHaveLength(2)
    expect(run.warnings).toEqual(
      expect.arrayContaining([left("form", form, "Survey"), left("drawing", drawing, "Sketch")])
    )
    // A folder that moves takes along what lies below it.
    drive.change(plans, { name: "Old plans" })
    expect((await world.sync(id)).run).toMatchObject({ updated: 2, created: 0, failed: 0 })
    drive.change(note, { trashed: true })
    expect((await world.sync(id)).run).toMatchObject({ removed: 1 })
    expect([...(await world.texts()).keys()]).toEqual(["drive/New.md", "drive/Old plans/2026/Budget.md"])
    await world.close()
  }))

it("permissions become readers, also when they change alone", () =>
  withDrive(async (drive) => {
    const grants = [
      { type: "user", name: "ada@example.org" },
      { type: "group", name: "HR@example.org" },
      { type: "anyone", allowFileDiscovery: false }
    ] as const
    const pay = drive.put("Pay.md", "# Pay\n", { grants })
    drive.put("Open.md", "# Open\n", { grants: [{ type: "anyone", allowFileDiscovery: true }] })
    drive.put("Ours.md", "# Ours\n", {
      grants: [{ type: "domain", name: "example.org", allowFileDiscovery: true }]
    })
    drive.put("Theirs.md", "# Theirs\n", {
      grants: [{ type: "domain", name: "example.com", allowFileDiscovery: true }]
    })
    const { id, world } = await worldOf(drive, client, { domain: "example.org" })
    const ada = await world.member("ada@example.org")
    expect((await world.sync(id)).run).toMatchObject({ created: 4, failed: 0, accessChanged: 2 })
    expect(await world.readable()).toEqual(["drive/Open.md", "drive/Ours.md"])
    expect(await world.readable(ada)).toContain("drive/Pay.md")
    expect(await world.readable("group:hr@example.org")).toContain("drive/Pay.md")
    drive.change(pay, { grants: grants.slice(1) })
    expect((await world.sync(id)).run).toMatchObject({ updated: 0, accessChanged: 1 })
    expect(await world.readable(ada)).not.toContain("drive/Pay.md")
    await world.close()
  }))

it("a refresh token that is used once is replaced in the store, and a revoked one ends the sync with words", () =>
  withDrive(async (drive) => {
    drive.put("Note.md", "# Note\n")
    const { id, world } = await worldOf(drive, { ...client, refreshToken: "refresh-1" })
    for (let sync = 0; sync < 2; sync++)
      expect((await world.sync(id)).run).toMatchObject({ status: "succeeded" })
    const stored = await world.run(
      Effect.gen(function* () {
        const { connectors } = yield* SourceStore
        const connector = yield* Effect.flatten(connectors.find(world.workspace, id))
        if (connector.secret === null) return ""
        return Redacted.value(yield* openSecret(world.workspace, connector.secret))
      }).pipe(Effect.orDie)
    )
    expect(JSON.parse(stored)).toEqual({ ...client, refreshToken: drive.state.refresh })
    drive.state.isRevoked = true
    const { run } = await world.sync(id)
    expect(run.status).toBe("failed")
    expect(run.failures[0]?.reason).toContain("revoked")
    expect(JSON.stringify(run)).not.toContain("refresh-")
    await world.close()
  }))

it("a service account signs for its tokens, and credentials in another form are refused", () =>
  withDrive(async (drive) => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    drive.state.publicKey = publicKey.export({ type: "spki", format: "pem" }).toString()
    const private_key = privateKey.export({ type: "pkcs8", format: "pem" }).toString()
    const account = {
      type: "service_account",
      client_email: "kanon@example.org",
      private_key,
      project_id: "x"
    }
    const check = (credential: unknown) =>
      runEffect(
        Effect.scoped(
          Effect.flatMap(
            openCrawler(
              { provider: "google_drive", url: drive.url, tokenUrl: drive.tokenUrl },
              { credential: JSON.stringify(credential) }
            ),
            ({ check }) => check
          ).pipe(
            Effect.as("fine"),
            Effect.catchAll(({ _tag, message }) => Effect.succeed(`${_tag}: ${message}`))
          )
        )
      )
    expect(await check(account)).toBe("fine")
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey
    expect(
      await check({ ...account, private_key: other.export({ type: "pkcs8", format: "pem" }).toString() })
    ).toMatch(/^SourceUnauthorized: .*revoked/)
    expect(await check({ ...account, private_key: "no key" })).toMatch(/^SourceRejected: .*private key/)
    expect(await check({ token: "x" })).toMatch(/^SourceRejected: The credential is neither/)
  }))

it("libraries of SharePoint follow folders, permissions, and a feed that forgot its changes", () =>
  runEffect(
    Effect.scoped(
      Effect.flatMap(graphServer(), (graph) =>
        Effect.promise(async () => {
          const plans = graph.folder("Plans")
          const deep = graph.folder("2026", plans)
          const pay = graph.put("Pay.md", "# Pay\n", {
            parent: deep,
            permissions: [
              { roles: ["read"], grantedToV2: { user: { email: "Ada@example.org" } } },
              { roles: ["owner"], grantedToV2: { siteGroup: { displayName: "Team Owners" } } },
              { roles: ["read"], link: { scope: "organization" } }
            ]
          })
          const all = { siteUser: { loginName: "c:0-.f|rolemanager|spo-grid-all-users/1" } }
          graph.put("Open.md", "# Open\n", { permissions: [{ roles: ["read"], grantedToV2: all }] })
          graph.put("Nobody.md", "# Nobody\n", { permissions: [{ link: { scope: "anonymous" } }] })
          const world = await openSyncWorld([builtInProvider("sharepoint")], { converts: true })
          const ada = await world.member("ada@example.org")
          const id = await world.connect({
            name: "Site",
            kind: "document_library",
            config: {
              provider: "sharepoint",
              site: "https://team.example/sites/Team",
              tenant: "example",
              url: graph.url,
              tokenUrl: graph.tokenUrl
            },
            credential: JSON.stringify(client)
          })
          expect((await world.sync(id)).run).toMatchObject({ created: 3, failed: 0, accessChanged: 2 })
          const [open, path] = ["site/Documents/Open.md", "site/Documents/Plans/2026/Pay.md"]
          expect(await world.readable(ada)).toEqual([open, path])
          expect(await world.readable("group:Team Owners")).toEqual([open, path])
          expect(await world.readable()).toEqual([open])
          // The token is not sent to where files are downloaded from.
          expect(new Set(graph.state.downloads)).toEqual(new Set(["without a token"]))
          graph.change(pay, { permissions: [] }, false)
          expect((await world.sync(id)).run).toMatchObject({ updated: 0, accessChanged: 1 })
          expect(await world.readable(ada)).toEqual([open])
          graph.change(plans, { name: "Old plans" })
          expect((await world.sync(id)).run).toMatchObject({ updated: 1, failed: 0 })
          graph.remove("Nobody.md")
          graph.put("New.md", "# New\n")
          graph.forget()
          expect((await world.sync(id)).run).toMatchObject({ created: 1, removed: 1, failed: 0 })
          expect([...(await world.texts()).keys()]).toEqual([
            "site/Documents/New.md",
            "site/Documents/Old plans/2026/Pay.md",
            open
          ])
          await world.close()
        })
      )
    )
  ))
