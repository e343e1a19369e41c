import { createServer } from "node:http"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  createClient,
  KanonApiError,
  KanonConnectionError,
  readEvents
} from "../../../server/client/index.js"
import { filesUnder, textOf } from "../../support/tree.js"

/** A server of prepared answers, and what it was asked. */
const scripted = (...answers: ReadonlyArray<() => Response | Promise<Response>>) => {
  const asked: Array<{ readonly url: string; readonly init: RequestInit }> = []
  const fetch = async (url: string, init: RequestInit) => {
    asked.push({ url, init })
    const answer = answers[Math.min(asked.length, answers.length) - 1]
    if (answer === undefined) throw new TypeError("no answer")
    return answer()
  }
  return { asked, fetch }
}
const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "x-request-id": "r1", ...headers } })
const options = { baseUrl: "https://kanon.test/", key: "svc_sk_x" }
const rejected = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error
  )

describe("a request of the client", () => {
  it("bears key, workspace, id and each field in its place", async () => {
    const { asked, fetch } = scripted(() => json(200, { deleted: true }))
    const client = createClient({ ...options, fetch, workspaceId: "ws_1", headers: { "x-own": "1" } })
    await client.listDocuments({ tag: "a&b=c", limit: 5, verification: undefined })
    await client.replaceDocument(
      { id: "doc/1?", content: "text" },
      { workspaceId: "ws_2", requestId: "mine" }
    )
    expect(asked.map(({ url }) => url)).toEqual([
      "https://kanon.test/api/v1/documents?tag=a%26b%3Dc&limit=5",
      "https://kanon.test/api/v1/documents/doc%2F1%3F"
    ])
    expect(asked[0]?.init).toMatchObject({ method: "GET", redirect: "manual" })
    expect(asked[0]?.init.headers).toEqual({
      "x-own": "1",
      accept: "application/json",
      authorization: "Bearer svc_sk_x",
      "x-workspace-id": "ws_1"
    })
    expect(asked[1]?.init.headers).toMatchObject({ "x-workspace-id": "ws_2", "x-request-id": "mine" })
    expect(asked[1]?.init.body).toBe('{"content":"text"}')
  })

  it("goes to a proxy of the same origin without a key", async () => {
    const { asked, fetch } = scripted(() => json(200, {}))
    await createClient({ baseUrl: "/kanon", fetch }).getManifest()
    expect(asked[0]?.url).toBe("/kanon/api/v1/manifest")
    expect(asked[0]?.init.headers).toEqual({ accept: "application/json" })
  })

  it.each(["", ".", ".."])("refuses %j as an id, which would be another path", async (id) => {
    const { asked, fetch } = scripted(() => json(200, {}))
    expect(await rejected(createClient({ ...options, fetch }).deleteDocument({ id }))).toBeInstanceOf(
      TypeError
    )
    expect(asked).toEqual([])
  })
})

describe("a failure", () => {
  it("tells all that the server said", async () => {
    const issues = [{ path: ["question"], code: "too_small", message: "Too small" }]
    const { fetch } = scripted(
      () => json(400, { error: "invalid_body", message: "question: Too small", issues }),
      () => json(409, { error: "conflict", message: "There is one.", existingId: "doc_1" }),
      () => new Response("<h1>Bad gateway</h1>", { status: 502 })
    )
    const client = createClient({ ...options, fetch })
    const bad = await rejected(client.query({ question: "" }))
    expect(bad).toBeInstanceOf(KanonApiError)
    expect(bad).toMatchObject({
      status: 400,
      code: "invalid_body",
      message: "question: Too small",
      issues,
      requestId: "r1"
    })
    expect(await rejected(client.createDocument({ title: "a" }))).toMatchObject({
      code: "conflict",
      existingId: "doc_1"
    })
    expect(await rejected(client.getManifest())).toMatchObject({
      status: 502,
      code: "http_502",
      requestId: null
    })
  })

  it("is tried again where that is safe and the server says when", async () => {
    const busy = () => json(503, { error: "model_unavailable" }, { "retry-after": "0" })
    const attempts: Array<number | null> = []
    const onAttempt = ({ status }: { readonly status: number | null }) => attempts.push(status)
    const good = scripted(
      busy,
      () => Promise.reject(new TypeError("reset")),
      () => json(200, { answer: "yes" })
    )
    const client = createClient({ ...options, fetch: good.fetch, onAttempt })
    expect(await client.query({ question: "Is it?" })).toEqual({ answer: "yes" })
    expect(attempts).toEqual([503, null, 200])

    const write = scripted(busy)
    await rejected(createClient({ ...options, fetch: write.fetch }).createDocument({ title: "once" }))
    const silent = scripted(() => json(503, { error: "vault_unavailable" }))
    await rejected(createClient({ ...options, fetch: silent.fetch }).getManifest())
    const late = scripted(() => json(429, { error: "run_capacity_full" }, { "retry-after": "3600" }))
    expect(await rejected(createClient({ ...options, fetch: late.fetch }).getManifest())).toMatchObject({
      retryAfterSeconds: 3600
    })
    const bounded = scripted(busy)
    await rejected(createClient({ ...options, fetch: bounded.fetch, retries: 1 }).getManifest())
    expect([write, silent, late, bounded].map(({ asked }) => asked.length)).toEqual([1, 1, 1, 2])
  })

  it("comes when no answer does, and when the caller gives up", async () => {
    const server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    try {
      const address = server.address()
      const port = typeof address === "object" ? address?.port : 0
      const tried: Array<number> = []
      const onAttempt = ({ attempt }: { readonly attempt: number }) => tried.push(attempt)
      const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, onAttempt })
      const slow = await rejected(client.getManifest({}, { timeoutMs: 30 }))
      expect(slow).toBeInstanceOf(KanonConnectionError)
      expect(slow).toMatchObject({ code: "timeout" })
      // Who waits is told; asking again would only double the work.
      expect(tried).toEqual([1])
      const control = new AbortController()
      const work = rejected(client.getManifest({}, { signal: control.signal }))
      control.abort(new RangeError("enough"))
      expect(await work).toMatchObject({ name: "RangeError", message: "enough" })
      expect(await rejected(client.getManifest({}, { signal: control.signal }))).toBeInstanceOf(RangeError)
    } finally {
      server.closeAllConnections()
      server.close()
    }
    const nobody = createClient({ baseUrl: "http://127.0.0.1:1", retries: 0 })
    expect(await rejected(nobody.getManifest())).toMatchObject({ code: "network" })
    const html = scripted(() => new Response("<html>", { status: 200 }))
    expect(await rejected(createClient({ ...options, fetch: html.fetch }).getManifest())).toMatchObject({
      code: "response"
    })
  })
})

describe("lists", () => {
  it("come page by page, each item once, and no further than they are read", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(30),
        fc.integer({ min: 1, max: 7 }),
        fc.nat(12),
        fc.option(fc.nat(20), { nil: undefined }),
        async (total, limit, offset, itemsMax) => {
          const all = Array.from({ length: total }, (_, place) => ({ id: `ent_${place}` }))
          let pages = 0
          const fetch = async (url: string) => {
            pages += 1
            const query = new URL(url).searchParams
            const [from, count] = [Number(query.get("offset")), Number(query.get("limit"))]
            return json(200, { entities: all.slice(from, from + count), total })
          }
          const found: Array<{ readonly id: string }> = []
          const client = createClient({ ...options, fetch })
          for await (const one of client.each.listEntities({ limit, offset }, { itemsMax })) found.push(one)
          expect(found).toEqual(all.slice(offset, offset + (itemsMax ?? total)))
          expect(pages).toBeLessThanOrEqual(Math.ceil(found.length / limit) + 1)
        }
      )
    )
  })

  it("go on behind places that the server leaves empty, and have nothing twice", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        async (readable, limit) => {
          const all = readable.map((isReadable, place) => ({ id: `dec_${place}`, isReadable }))
          const fetch = async (url: string) => {
            const query = new URL(url).searchParams
            const [from, count] = [Number(query.get("offset")), Number(query.get("limit"))]
            const items = all.slice(from, from + count).filter((one) => one.isReadable)
            return json(200, { items, total: all.length })
          }
          const found: Array<unknown> = []
          const client = createClient({ ...options, fetch })
          for await (const one of client.each.listPolicyDecisions({ limit })) found.push(one)
          expect(found).toEqual(all.filter((one) => one.isReadable))
        }
      )
    )
  })
})

describe("event streams", () => {
  const streamOf = (parts: ReadonlyArray<Uint8Array>) =>
    new ReadableStream<Uint8Array>({
      start: (control) => {
        for (const part of parts) control.enqueue(part)
        control.close()
      }
    })
  const collect = async (parts: ReadonlyArray<Uint8Array>) => {
    const found: Array<unknown> = []
    for await (const event of readEvents(streamOf(parts))) found.push(event)
    return found
  }

  it("are read the same however they are cut and whatever ends their lines", async () => {
    const lines = [
      ": keep-alive",
      "event: token",
      'data: {"text":"é🜚"}',
      "",
      "id: 7",
      "data:two",
      "data: lines",
      "",
      "data",
      "",
      "retry: 10",
      "",
      "data: cut off"
    ]
    const wanted = [
      { type: "token", data: '{"text":"é🜚"}', id: "" },
      { type: "message", data: "two\nlines", id: "7" },
      { type: "message", data: "", id: "7" }
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.boolean(),
        fc.array(fc.nat(120), { maxLength: 12 }),
        async (end, mark, cuts) => {
          const bytes = new TextEncoder().encode(`${mark ? "\ufeff" : ""}${lines.join(end)}`)
          const places = [...new Set([0, ...cuts.filter((cut) => cut < bytes.length), bytes.length])].sort(
            (a, b) => a - b
          )
          const parts = places.slice(1).map((to, index) => bytes.subarray(places[index], to))
          expect(await collect(parts)).toEqual(wanted)
        }
      )
    )
  })

  it("are closed when the reader leaves", async () => {
    let closed = false
    const stream = new ReadableStream<Uint8Array>({
      pull: (control) => control.enqueue(new TextEncoder().encode("data: more\n\n")),
      cancel: () => {
        closed = true
      }
    })
    for await (const { data } of readEvents(stream)) {
      expect(data).toBe("more")
      break
    }
    expect(closed).toBe(true)
  })
})

describe("the client's files", () => {
  it("import nothing but each other", () => {
    const files = filesUnder("server/client")
    expect(files.length).toBeGreaterThan(4)
    const imports = files.flatMap((file) =>
      [...textOf(file).matchAll(/from "([^"]+)"/g)].flatMap(([, name = ""]) =>
        /^\.\/[a-z-]+\.js$/.test(name) ? [] : [`${file}: ${name}`]
      )
    )
    expect(imports).toEqual([])
  })
})
