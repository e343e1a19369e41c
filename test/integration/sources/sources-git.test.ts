import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { runEffect } from "../../support/run.js"
import { openCrawler, webServer } from "../../support/sources/crawling.js"
import { gitRepository, gitServer } from "../../support/sources/git-repository.js"

const authorization = `Basic ${Buffer.from("git:token-123").toString("base64")}`

it("a repository is read over HTTP with a token, and moves are told from deletions", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const { commit, folder, git, write } = yield* gitRepository
        write("docs/guide.md", "# Guide\n\nA guide with several lines.\n\nSo that a rename is recognised.\n")
        write("docs/draft/later.md", "later")
        write("src/main.ts", "code")
        write("notes.txt", "outside")
        write("docs/large.txt", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
        commit("Begin")
        const origin = yield* gitServer(folder, authorization)
        const cacheFolder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "kanon-cache-"))),
          (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
        )
        const open = (credential: string | null) =>
          openCrawler(
            {
              provider: "git",
              url: `${origin}/repository.git`,
              branch: "main",
              paths: ["docs/**", "!docs/draft/**"]
            },
            { credential, cacheFolder, pageSize: 10 }
          )
        const first = yield* open("token-123")
        yield* first.check
        const all = yield* first.changes(null)
        expect(all.changes.map(({ externalId }) => externalId)).toEqual(["docs/guide.md", "docs/large.txt"])
        expect(yield* Effect.flip(first.fetch("docs/large.txt"))).toMatchObject({ isPermanent: true })
        expect(yield* first.fetch("docs/guide.md")).toMatchObject({
          author: "Ada",
          path: "docs/guide.md",
          url: `${origin}/repository/blob/main/docs/guide.md`
        })

        const born = (yield* first.fetch("docs/guide.md")).createdAt
        git("mv", "docs/guide.md", "docs/handbook.md")
        write("docs/new.md", "new")
        git("rm", "--quiet", "docs/large.txt")
        commit("Move")
        const second = yield* open("token-123")
        const changed = yield* second.changes(all.checkpoint)
        expect(changed.changes).toMatchObject(
          [
            { op: "delete", externalId: "docs/large.txt" },
            { op: "upsert", externalId: "docs/new.md" },
            { op: "move", previousId: "docs/guide.md", externalId: "docs/handbook.md" }
          ].sort(byId)
        )
        expect((yield* second.fetch("docs/handbook.md")).createdAt).toBe(born)

        // A branch that was rewritten still shows what differs.
        git("reset", "--quiet", "--hard", "HEAD~1")
        git("commit", "--quiet", "--amend", "--message", "Rewritten")
        const third = yield* open("token-123")
        expect((yield* third.changes(changed.checkpoint)).changes.map(({ op }) => op).sort()).toEqual([
          "delete",
          "move",
          "upsert"
        ])

        const refused = yield* Effect.flip((yield* open("wrong")).check)
        expect(refused._tag).toBe("SourceUnauthorized")
        expect(refused.message).not.toContain("wrong")
      })
    )
  ))

const byId = (a: { readonly externalId: string }, b: { readonly externalId: string }) =>
  a.externalId < b.externalId ? -1 : 1

it("a repository in a private network, a redirect into one and a folder outside those allowed are refused", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const redirecting = yield* webServer((_, response) => {
          response.writeHead(301, { location: "http://169.254.169.254/repository.git/info/refs" }).end()
        })
        const check = (url: string, privateAddresses: boolean) =>
          Effect.scoped(
            Effect.gen(function* () {
              const crawler = yield* openCrawler({ provider: "git", url }, { privateAddresses })
              yield* crawler.check
            })
          ).pipe(Effect.flip)
        for (const fault of [
          yield* check(`${redirecting}/repository.git`, false),
          yield* check(`${redirecting}/repository.git`, true),
          yield* check("http://metadata.localhost/repository.git", false),
          yield* check(`file://${tmpdir()}`, true)
        ])
          expect(fault._tag).toBe("SourceRejected")
      })
    )
  ))
