import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { sourceHttp, textOf } from "../../../../adapters/sources/http.js"
import { runEffect } from "../../../support/run.js"
import { webServer } from "../../../support/sources/crawling.js"

const secret = "Bearer very-secret"
const open = (url: string, requestsPerSecond?: number) =>
  sourceHttp({ privateAddresses: true }, { url, requestsPerSecond, secretHeaders: { authorization: secret } })

const scoped = <A, E>(effect: Effect.Effect<A, E, import("effect/Scope").Scope>) =>
  runEffect(Effect.scoped(effect))

it("a request is repeated after a server error and after the pause that the source asks for", () =>
  scoped(
    Effect.gen(function* () {
      const statuses = [500, 429, 200]
      const times: Array<number> = []
      const url = yield* webServer((_, response) => {
        times.push(Date.now())
        const status = statuses.shift() ?? 200
        response.writeHead(status, status === 429 ? { "retry-after": "1" } : {}).end("done")
      })
      const { send } = yield* open(url)
      expect(textOf(yield* send({ url }))).toBe("done")
      expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(990)
    })
  ))

it("a pause of more than a minute ends the crawl with the moment of the next try", () =>
  scoped(
    Effect.gen(function* () {
      const url = yield* webServer(
        (_, response) => void response.writeHead(503, { "retry-after": "3600" }).end()
      )
      const { send } = yield* open(url)
      expect(yield* Effect.flip(send({ url }))).toMatchObject({
        _tag: "SourceRateLimited",
        retryAfterMs: 3_600_000
      })
    })
  ))

it("the credential goes to the source alone, also when it redirects elsewhere", () =>
  scoped(
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const other = yield* webServer(({ headers }, response) => {
        seen.push(headers.authorization, headers.cookie)
        response.end("from elsewhere")
      })
      const url = yield* webServer(({ headers }, response) => {
        seen.push(headers.authorization)
        response.writeHead(302, { location: `${other}/file` }).end()
      })
      const { send } = yield* open(url)
      expect(textOf(yield* send({ url, headers: { cookie: "a=b" } }))).toBe("from elsewhere")
      expect(seen).toEqual([secret, undefined, undefined])
    })
  ))

it("a redirect to an address that the host does not allow is refused, and no message holds the credential", () =>
  scoped(
    Effect.gen(function* () {
      const url = yield* webServer(({ url: path }, response) =>
        path === "/denied"
          ? void response.writeHead(401).end()
          : void response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end()
      )
      const { send } = yield* open(url)
      const refused = yield* Effect.flip(send({ url }))
      expect(refused).toMatchObject({ _tag: "SourceRejected" })
      const denied = yield* Effect.flip(send({ url: `${url}/denied` }))
      expect(denied._tag).toBe("SourceUnauthorized")
      expect(`${refused.message}${denied.message}`).not.toContain("secret")
      expect(yield* Effect.flip(sourceHttp({ privateAddresses: false }, { url }))).toMatchObject({
        _tag: "SourceRejected"
      })
    })
  ))

it("requests to one host start as far apart as the limit says, from all connectors together", () =>
  scoped(
    Effect.gen(function* () {
      const url = yield* webServer((_, response) => void response.end())
      const [one, other] = [yield* open(url, 50), yield* open(url, 50)]
      const before = Date.now()
      yield* Effect.all(
        Array.from({ length: 11 }, (_, at) => (at % 2 === 0 ? one : other).send({ url })),
        { concurrency: "unbounded" }
      )
      expect(Date.now() - before).toBeGreaterThanOrEqual(195)
    })
  ))
