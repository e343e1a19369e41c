import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, expect, it } from "vitest"
import type { CrawlerProvider } from "../../../../core/connected/sources/index.js"
import { operations } from "../../../../core/operations.js"
import { runOperation } from "../../../../core/platform/kernel/index.js"
import { ModelSource } from "../../../support/model-source.js"
import { runEffect } from "../../../support/run.js"
import { confluenceServer } from "../../../support/sources/confluence.js"
import { builtInProvider } from "../../../support/sources/crawling.js"
import { adf, adfParagraph, jiraServer } from "../../../support/sources/jira.js"
import { slackServer } from "../../../support/sources/slack.js"
import { webDavServer } from "../../../support/sources/webdav.js"
import { openSyncWorld, type SyncWorld } from "../../../support/sync-world.js"

const opened: Array<SyncWorld> = []
/** Requests to servers have a time limit, so that only a source in memory has a clock without waiting. */
const openWorld = async (provider: CrawlerProvider, converts = true) => {
  const world = await openSyncWorld([provider], { converts })
  opened.push(world)
  return world
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()))
})

const library = { name: "Library", kind: "wiki", config: { provider: "model" } }
const modelWorld = async () => {
  const source = new ModelSource({ changes: "listing", deletions: "ids" })
  const world = await openWorld(source.provider(), false)
  return { source, world, id: await world.connect(library) }
}

it("documents are for those whom the source names: members by e-mail address, groups by name", async () => {
  const { id, source, world } = await modelWorld()
  const ada = await world.member("ada@example.org")
  source.put("1", "open.md", "# Open\n", { readers: null })
  source.put("2", "own.md", "# Own\n", { readers: ["email:ADA@example.org", "email:nobody@example.org"] })
  source.put("3", "hr.md", "# HR\n", { readers: ["group:hr"] })
  source.put("4", "unknown.md", "# Unknown\n", { readers: ["email:nobody@example.org"] })
  expect((await world.sync(id)).run).toMatchObject({ created: 4, failed: 0, accessChanged: 3 })
  expect(await world.readable(ada)).toEqual(["library/open.md", "library/own.md"])
  expect(await world.readable("group:hr")).toEqual(["library/hr.md", "library/open.md"])
  expect(await world.accessOf("library/own.md")).toEqual({
    access: { read: [ada] },
    own: null,
    source: [ada],
    folder: null
  })
  // Nothing has changed: nothing is counted, and no document gets other readers.
  expect((await world.sync(id)).run).toMatchObject({ unchanged: 4, accessChanged: 0 })
  // Who becomes a member later reads from the next sync on.
  const late = await world.member("nobody@example.org")
  expect(await world.readable(late)).toEqual(["library/open.md"])
  expect((await world.sync(id)).run).toMatchObject({ unchanged: 4, accessChanged: 2 })
  expect(await world.readable(late)).toEqual(["library/open.md", "library/own.md", "library/unknown.md"])
})

it("rights that change without the text hold from the next sync on, which fetches nothing for them", async () => {
  const { id, source, world } = await modelWorld()
  source.put("1", "plan.md", "# Plan\n", { readers: ["group:hr"] })
  await world.sync(id)
  const { fetched } = source
  source.permit("1", ["group:board"])
  expect((await world.sync(id, { dryRun: true })).run).toMatchObject({ accessChanged: 0 })
  expect(await world.readable("group:hr")).toEqual(["library/plan.md"])
  expect((await world.sync(id)).run).toMatchObject({ updated: 0, unchanged: 1, accessChanged: 1 })
  expect(await world.readable("group:hr")).toEqual([])
  expect(await world.readable("group:board")).toEqual(["library/plan.md"])
  source.permit("1", null)
  await world.sync(id)
  expect(await world.readable()).toEqual(["library/plan.md"])
  expect(source.fetched).toBe(fetched)
})

it("a source does not open what a folder or a person closed, and is narrowed by both", async () => {
  const { id, source, world } = await modelWorld()
  source.put("1", "plan.md", "# Plan\n", { readers: ["group:hr", "group:board"] })
  await world.sync(id)
  await world.run(
    runOperation(operations.updateWorkspace, {
      name: "Sources",
      access: { folders: [{ path: "library", read: ["group:board", "group:sales"] }] }
    })
  )
  expect((await world.accessOf("library/plan.md")).access).toEqual({ read: ["group:board"] })
  source.permit("1", null)
  await world.sync(id)
  expect((await world.accessOf("library/plan.md")).access).toEqual({ read: ["group:board", "group:sales"] })
})

it("readers in an unknown form hide the item until they can be read, and say so", async () => {
  const { id, source, world } = await modelWorld()
  const foreign = (readers: unknown) => readers as ReadonlyArray<string>
  source.put("1", "open.md", "# Open\n", { readers: null })
  source.put("2", "new.md", "# New\n", { readers: foreign(["everyone"]) })
  const first = (await world.sync(id)).run
  expect(first).toMatchObject({ created: 1, failed: 1 })
  expect(first.failures[0]?.reason).toContain("unknown form")
  expect(await world.readable("group:hr")).toEqual(["library/open.md"])
  for (const garbage of [
    ["usr_1"],
    "group:hr",
    ["group:"],
    [{ group: "hr" }],
    ["email:a b@example.org"],
    7
  ]) {
    source.permit("1", foreign(garbage))
    expect((await world.sync(id)).run.failures.map(({ externalId }) => externalId)).toContain("1")
    expect(await world.readable("group:hr"), JSON.stringify(garbage)).toEqual([])
  }
  source.permit("1", null)
  source.permit("2", ["group:hr"])
  expect((await world.sync(id)).run.failures).toEqual([])
  expect(await world.readable("group:hr")).toEqual(["library/new.md", "library/open.md"])
})

it("a page of Confluence is for those whom it and each page above it admit, and so are its attachments", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* confluenceServer("Bearer personal-token")
        const home = site.put("Home", "<p>home</p>")
        const pay = site.put("Pay", "<p>pay</p>", { parent: home })
        const ada = site.put("Ada", "<p>ada</p>", { parent: pay })
        site.attach(ada, "contract.txt", "The contract.")
        site.restrict(pay, { groups: ["hr", "board"] })
        site.restrict(ada, { groups: ["hr"], emails: ["ada@example.org"] })
        yield* Effect.promise(async () => {
          const world = await openWorld(builtInProvider("confluence"))
          const person = await world.member("ada@example.org")
          const connect = (name: string, more = {}) =>
            world.connect({
              name,
              kind: "wiki",
              config: { provider: "confluence", url: site.url, ...more },
              credential: "personal-token"
            })
          const id = await connect("Wiki")
          expect((await world.sync(id)).run).toMatchObject({ failed: 0, accessChanged: 3 })
          const [open, closed] = ["wiki/DOC/Home.md", "wiki/DOC/Pay.md"]
          const below = ["wiki/DOC/Pay/Ada.md", "wiki/DOC/Pay/Ada/contract.txt.md"]
          expect(await world.readable(person)).toEqual([open])
          expect(await world.readable("group:board")).toEqual([open, closed])
          expect(await world.readable("group:hr")).toEqual([open, closed, ...below])
          site.restrict(pay, null)
          expect((await world.sync(id)).run).toMatchObject({ updated: 0, accessChanged: 3 })
          expect(await world.readable(person)).toEqual([open, closed, ...below])
          expect(await world.readable("group:board")).toEqual([open, closed])
          const all = await connect("All", { readers: "everybody" })
          expect((await world.sync(all)).run).toMatchObject({ failed: 0, accessChanged: 0 })
          expect((await world.readable()).filter((path) => path.startsWith("all/"))).toHaveLength(4)
        })
      })
    )
  ))

it("a private channel of Slack is for its members, for each day of it", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const slack = yield* slackServer("xoxb-secret")
        const ts = (daysAgo: number) =>
          `${Math.floor(Date.now() / 86_400_000 - daysAgo) * 86_400 + 60}.000100`
        slack.channel("general").push({ ts: ts(1), user: "U1", text: "For all" })
        const pay = slack.privateChannel("pay", ["U1"])
        pay.messages.push({ ts: ts(90), user: "U1", text: "Old" }, { ts: ts(1), user: "U1", text: "New" })
        yield* Effect.promise(async () => {
          const world = await openWorld(builtInProvider("slack"))
          const [ada, grace] = [
            await world.member("ada@example.org"),
            await world.member("grace@example.org")
          ]
          const id = await world.connect({
            name: "Chat",
            kind: "chat",
            config: { provider: "slack", url: slack.url, requestsPerSecond: 1000 },
            credential: "xoxb-secret"
          })
          expect((await world.sync(id)).run).toMatchObject({ created: 3, failed: 0, accessChanged: 2 })
          expect(await world.readable(ada)).toHaveLength(3)
          expect(await world.readable(grace)).toHaveLength(1)
          // Of the old day nothing is read again but its rights.
          pay.members.push("U2")
          expect((await world.sync(id)).run).toMatchObject({ accessChanged: 2 })
          expect(await world.readable(grace)).toHaveLength(3)
          pay.members.splice(0, 1)
          await world.sync(id)
          expect(await world.readable(ada)).toHaveLength(1)
        })
      })
    )
  ))

it("an issue of Jira is for the members of its security level, without comments for fewer", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const site = yield* jiraServer(`Basic ${Buffer.from("a@example.org:token").toString("base64")}`)
        site.levels.set("10", [
          { type: "group", parameter: "hr", group: { name: "hr" } },
          { type: "reporter" },
          { type: "projectRole", parameter: "7" }
        ])
        site.put("Open", adf(adfParagraph("open")), {
          comments: [
            { author: "Ada", body: adf(adfParagraph("For all.")), at: "2026-02-03T10:05:00.000+0100" },
            {
              author: "Ada",
              body: adf(adfParagraph("For some.")),
              at: "2026-02-03T10:06:00.000+0100",
              visibility: { type: "group", value: "hr" }
            }
          ]
        })
        const reporter = { displayName: "Ada", emailAddress: "ada@example.org" }
        const closed = site.put("Closed", adf(), {
          fields: { security: { id: "10", name: "Staff" }, reporter }
        })
        site.put("Lost", adf(), { fields: { security: { id: "99", name: "Gone" } } })
        yield* Effect.promise(async () => {
          const world = await openWorld(builtInProvider("jira"))
          const ada = await world.member("ada@example.org")
          const id = await world.connect({
            name: "Issues",
            kind: "chat",
            config: { provider: "jira", url: site.url, username: "a@example.org" },
            credential: "token"
          })
          expect((await world.sync(id)).run).toMatchObject({ created: 3, accessChanged: 2 })
          const [openPath, path] = ["issues/BOAT/BOAT-1 Open.md", `issues/BOAT/${closed.key} Closed.md`]
          expect(await world.readable("group:hr")).toEqual([openPath, path])
          expect(await world.readable(ada)).toEqual([openPath, path])
          const text = (await world.texts()).get(openPath)
          expect(text).toContain("For all.")
          expect(text).not.toContain("For some.")
          site.levels.set("10", [])
          await world.sync(id)
          expect(await world.readable("group:hr")).toEqual([openPath])
        })
      })
    )
  ))

it("folders of WebDAV are for those whom the configuration names, without regard to case", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const { folder, url } = yield* webDavServer("ada", "password")
        mkdirSync(join(folder, "HR", "open"), { recursive: true })
        for (const path of ["plan.md", "HR/pay.md", "HR/open/menu.md"])
          writeFileSync(join(folder, path), `# ${path}\n`)
        yield* Effect.promise(async () => {
          const world = await openWorld(builtInProvider("webdav"))
          const id = await world.connect({
            name: "Files",
            kind: "document_library",
            config: {
              provider: "webdav",
              url,
              username: "ada",
              folders: [
                { path: "hr/**", read: ["group:hr"] },
                { path: "hr/open/**", read: ["group:hr", "group:all"] }
              ]
            },
            credential: "password"
          })
          expect((await world.sync(id)).run).toMatchObject({ created: 3, accessChanged: 2 })
          expect(await world.readable()).toEqual(["files/plan.md"])
          expect(await world.readable("group:all")).toEqual(["files/HR/open/menu.md", "files/plan.md"])
          expect(await world.readable("group:hr")).toHaveLength(3)
        })
      })
    )
  ))
