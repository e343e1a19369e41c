import type { ServerResponse } from "node:http"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { sourceHttp } from "../../../../adapters/sources/http.js"
import { runEffect } from "../../../support/run.js"
import { openCrawler, webServer } from "../../../support/sources/crawling.js"

const multistatus = (entries: ReadonlyArray<string>) =>
  `<?xml version="1.0"?><multistatus xmlns="DAV:">${entries
    .map(
      (href) =>
        `<response><href>${href}</href><propstat><prop><resourcetype>${href.endsWith("/") ? "<collection/>" : ""}</resourcetype><getetag>"1"</getetag></prop></propstat></response>`
    )
    .join("")}</multistatus>`

const list = (response: ServerResponse, entries: ReadonlyArray<string>) =>
  response.writeHead(207, { "content-type": "application/xml" }).end(multistatus(entries))

it("an item that redirects in a circle, to another protocol or into a private network fails alone", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const targets: Readonly<Record<string, string>> = {
          "/self.md": "/self.md",
          "/round.md": "/round2.md",
          "/round2.md": "/round.md",
          "/file.md": "file:///etc/hostname",
          "/ftp.md": "ftp://127.0.0.1/a.md",
          "/moved.md": "/good.md"
        }
        const url = yield* webServer((request, response) => {
          const location = targets[request.url ?? ""]
          if (request.method === "PROPFIND") list(response, ["/", ...Object.keys(targets), "/good.md"])
          else if (location !== undefined) response.writeHead(302, { location }).end()
          else
            response
              .writeHead(200, { etag: '"1"', "last-modified": new Date(0).toUTCString() })
              .end("# Good\n")
        })
        const crawler = yield* openCrawler({ provider: "webdav", url })
        const reason = (id: string) =>
          Effect.map(Effect.flip(crawler.fetch(id)), (fault) => [
            fault._tag,
            "message" in fault && fault.message
          ])
        const circle = ["ItemUnreadable", "The source redirects in a circle."]
        expect(yield* reason("self.md")).toEqual(circle)
        expect(yield* reason("round.md")).toEqual(circle)
        const protocol = "The source redirects to an address that begins with neither http nor https."
        expect(yield* reason("file.md")).toEqual(["ItemUnreadable", protocol])
        expect(yield* reason("ftp.md")).toEqual(["ItemUnreadable", protocol])
        expect((yield* crawler.fetch("moved.md")).path).toBe("moved.md")
        expect((yield* crawler.fetch("good.md")).path).toBe("good.md")
      })
    )
  ))

it("a listing that redirects in a circle fails the crawl with that reason", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* webServer((request, response) => {
          response.writeHead(301, { location: request.url ?? "/" }).end()
        })
        const crawler = yield* openCrawler({ provider: "webdav", url })
        expect(yield* Effect.flip(crawler.changes(null))).toMatchObject({
          _tag: "SourceRejected",
          message: "The source redirects in a circle."
        })
      })
    )
  ))

it("folders of WebDAV are asked for with their slash, and one that leads elsewhere is explained", () =>
  runEffect(
    Effect.scoped(
      Effect.gen(function* () {
        const asked: Array<string> = []
        const url = yield* webServer((request, response) => {
          const path = request.url ?? ""
          asked.push(path)
          if (path === "/") list(response, ["/", "/sub/", "/away/"])
          else if (path === "/sub/") list(response, ["/sub/", "/sub/a%20b.md"])
          // As Apache does behind a proxy.
          else response.writeHead(301, { location: `ftp://elsewhere.example${path}/` }).end()
        })
        const crawler = yield* openCrawler({ provider: "webdav", url }, { pageSize: 100 })
        expect(yield* crawler.changes(null)).toMatchObject({
          changes: [{ op: "upsert", externalId: "sub/a b.md" }],
          failures: [{ externalId: "away", message: expect.stringContaining("neither http nor https") }]
        })
        expect(asked).toEqual(["/", "/away/", "/sub/"])
      })
    )
  ))

it("requests go to public addresses alone, through redirects too", () =>
  runEffect(
    Effect.gen(function* () {
      const fault = yield* Effect.flip(sourceHttp({ privateAddresses: false }, { url: "http://127.0.0.1/" }))
      expect(fault._tag).toBe("SourceRejected")
    })
  ))
