// Sign-in of MCP clients: driven by the OAuth support of both official clients, and by hand where a client misbehaves.
import { createHash, randomBytes } from "node:crypto"
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewTransport
} from "@modelcontextprotocol/client"
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { addMember, removeMember, revokeAsHost } from "../../../core/platform/identity/index.js"
import { KeyId, type Scope, type UserId, type WorkspaceId } from "../../../core/platform/kernel/index.js"
import { fetchMetadataOf } from "../../../server/sign-in/metadata.js"
import { browser, origin, request } from "../../support/browser.js"
import { startServer, type TestServer } from "../../support/server.js"

const real = Clock.make()
let ahead = 0
const clock: Clock.Clock = {
  [Clock.ClockTypeId]: real[Clock.ClockTypeId],
  currentTimeMillis: Effect.sync(() => real.unsafeCurrentTimeMillis() + ahead),
  unsafeCurrentTimeMillis: () => real.unsafeCurrentTimeMillis() + ahead,
  currentTimeNanos: real.currentTimeNanos,
  unsafeCurrentTimeNanos: () => real.unsafeCurrentTimeNanos(),
  sleep: (duration) => real.sleep(duration)
}

const documentUrl = "https://assistant.example/client.json"
const redirectUri = "http://127.0.0.1:3917/callback"
const metadata = { client_name: "Notebook Assistant", redirect_uris: [redirectUri] }

let server: TestServer
let workspace: WorkspaceId
let other: WorkspaceId
let ann: UserId
let annKey = ""
beforeAll(async () => {
  server = await startServer({
    consoleSettings: { origin, console: true },
    around: Layer.setClock(clock),
    fetchMetadata: async (url) => (url === documentUrl ? { ...metadata, client_id: documentUrl } : null)
  })
  workspace = await server.workspace("Handbook")
  other = await server.workspace("Archive")
  ann = await server.user("Ann", [workspace, other], "admin")
  annKey = await server.userKey(ann, [workspace, other])
  const key = await server.key(workspace)
  const body = { path: "crane.md", content: "# Crane\n\nThe crane lifts 40 tonnes.\n" }
  expect((await server.call("POST", "/api/v1/documents", { key, body })).status).toBe(201)
})
afterAll(() => server.close())

const mcp = new URL(`${origin}/api/mcp`)
const fetched: typeof fetch = (url, init) => server.fetch(new Request(url, init))

/** A person at the console, who reads what is asked for and agrees. */
const agree = async (
  address: URL,
  by: string,
  {
    allow = true,
    in: at = workspace,
    scopes = ["kb:read", "agents:run"]
  }: { readonly allow?: boolean; readonly in?: WorkspaceId; readonly scopes?: ReadonlyArray<Scope> } = {}
) => {
  expect(address.origin + address.pathname).toBe(`${origin}/connect`)
  const page = await browser(server, { key: by })
  const headers = { "x-workspace-id": at }
  const asked = Object.fromEntries(address.searchParams)
  const preview = await page.call("POST", "/console/clients/preview", { body: { request: asked }, headers })
  const granted = await page.call("POST", "/console/clients", {
    body: { request: asked, allow, scopes },
    headers
  })
  return { preview, granted, back: new URL(granted.body.redirectTo ?? "about:blank"), page }
}

/** The state of a client that signs in, as an application keeps it. */
const application = (documentAt?: string) => {
  const kept: { tokens?: unknown; client?: unknown; verifier?: string; address?: URL } = {}
  const provider = {
    get redirectUrl() {
      return redirectUri
    },
    clientMetadata: { ...metadata, token_endpoint_auth_method: "none" },
    ...(documentAt === undefined ? {} : { clientMetadataUrl: documentAt }),
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (address: URL) => {
      kept.address = address
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? ""
  } as unknown as OAuthClientProvider
  return { kept, provider }
}

/** Connects as each client does: refused, signed in, connected again. */
const connections = {
  "SDK 1.x, registered": async (by: string, scopes?: ReadonlyArray<Scope>) => {
    const { kept, provider } = application()
    const transport = () => new OldTransport(mcp, { authProvider: provider, fetch: fetched })
    const first = transport()
    await expect(new OldClient({ name: "a", version: "1" }).connect(first as never)).rejects.toThrow(
      /Unauthorized/u
    )
    const { back } = await agree(kept.address ?? mcp, by, scopes === undefined ? {} : { scopes })
    await first.finishAuth(back.searchParams.get("code") ?? "")
    const client = new OldClient({ name: "a", version: "1" })
    await client.connect(transport() as never)
    return { client, kept }
  },
  "client 2.x, pinned to 2026-07-28, known by its document": async (by: string) => {
    const { kept, provider } = application(documentUrl)
    const transport = () => new NewTransport(mcp, { authProvider: provider as never, fetch: fetched })
    const made = () =>
      new NewClient({ name: "b", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } })
    const first = transport()
    await expect(made().connect(first)).rejects.toThrow(/Unauthorized/u)
    const { back } = await agree(kept.address ?? mcp, by)
    await first.finishAuth(back.searchParams)
    const client = made()
    await client.connect(transport())
    return { client, kept }
  }
}

const question = "How many tonnes does the crane lift?"

describe("sign-in of MCP clients", () => {
  it.each(Object.entries(connections))(
    "leads %s from discovery to a call, and on after expiry",
    async (_, connect) => {
      const { client, kept } = await connect(annKey)
      const ask = () => client.callTool({ name: "svc_query", arguments: { question } })
      expect((await ask()).structuredContent).toMatchObject({ claims: [{ status: "supported" }] })
      const names = (await client.listTools()).tools.map(({ name }) => name)
      expect(names).toEqual(expect.arrayContaining(["search", "fetch", "svc_query"]))
      // Ann may write; the scopes that she gave do not let her assistant.
      expect(names).not.toContain("svc_create_document")
      const before = kept.tokens
      ahead += 3_601_000
      expect((await ask()).structuredContent).toMatchObject({ claims: [{ status: "supported" }] })
      expect(kept.tokens).not.toEqual(before)
      await client.close()
    }
  )

  it("lets a client change what its member verified, and nothing that another member did", async () => {
    const bea = await server.user("Bea", [workspace], "member")
    const page = await browser(server, { key: await server.userKey(bea, [workspace]) })
    const own = await browser(server, { key: annKey })
    const headers = { "x-workspace-id": workspace }
    const at = async (by: typeof page, method: string, path: string, body: object) =>
      (await by.call(method, `/console/api/v1${path}`, { body, headers })).body
    const made = async (by: typeof page, name: string) => {
      const { docId } = await at(by, "POST", "/documents", { path: `${name}.md`, content: `# ${name}\n` })
      await at(by, "POST", `/documents/${docId}/verify`, { verification: "verified" })
      return docId as string
    }
    const [hers, mine] = [await made(page, "Quay"), await made(own, "Slipway")]
    const { client } = await connections["SDK 1.x, registered"](annKey, ["kb:read", "kb:write"])
    const outcome = async (name: string, given: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: given })
      return result.isError === true ? JSON.stringify(result).match(/reviewer_required/)?.[0] : "done"
    }
    const content = "# Changed\n"
    expect(await outcome("svc_replace_document", { id: hers, content })).toBe("reviewer_required")
    expect(await outcome("svc_replace_document", { id: mine, content })).toBe("done")
    await client.close()
  })

  it("tells where to sign in on a 401 alone, and keeps keys as they are", async () => {
    const refused = await server.fetch(new Request(mcp, { method: "POST", body: "{}" }))
    expect(refused.status).toBe(401)
    expect(refused.headers.get("www-authenticate")).toBe(
      `Bearer realm="kanon", resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp"`
    )
    const rest = await server.call("GET", "/api/v1/documents", { key: "svc_at_x" })
    expect([rest.status, rest.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="kanon"'])
    const found = await request(server, "GET", "/.well-known/oauth-authorization-server")
    expect(found.body).toMatchObject({
      issuer: origin,
      code_challenge_methods_supported: ["S256"],
      client_id_metadata_document_supported: true
    })
    const closed = await startServer({ consoleSettings: { origin, mcpSignIn: false } })
    const plain = await closed.fetch(new Request(mcp, { method: "POST", body: "{}" }))
    expect([plain.status, plain.headers.get("www-authenticate")]).toEqual([401, 'Bearer realm="kanon"'])
    expect((await request(closed, "GET", "/.well-known/oauth-authorization-server")).status).toBe(404)
    await closed.close()
  })
})

const verifier = randomBytes(32).toString("base64url")
const challenge = createHash("sha256").update(verifier).digest("base64url")

const register = async (body: object = metadata) => request(server, "POST", "/oauth/register", { body })
const authorization = (clientId: string, change: Readonly<Record<string, string | undefined>> = {}) => {
  const address = new URL(`${origin}/connect`)
  const asked: Record<string, string | undefined> = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "s 1",
    resource: mcp.href,
    ...change
  }
  for (const [name, value] of Object.entries(asked))
    if (value !== undefined) address.searchParams.set(name, value)
  return address
}
const post = async (path: string, fields: Readonly<Record<string, string>>) => {
  const response = await server.fetch(
    new Request(`${origin}${path}`, { method: "POST", body: new URLSearchParams(fields) })
  )
  return {
    status: response.status,
    body: z.record(z.string(), z.any()).parse(await response.json()),
    headers: response.headers
  }
}
const exchange = (code: string | null, clientId: string, change: Readonly<Record<string, string>> = {}) =>
  post("/oauth/token", {
    grant_type: "authorization_code",
    code: code ?? "",
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    resource: mcp.href,
    ...change
  })
const refresh = (token: string, clientId: string) =>
  post("/oauth/token", { grant_type: "refresh_token", refresh_token: token, client_id: clientId })
const tools = async (token: string, more: Readonly<Record<string, string>> = {}) => {
  const params = {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {}
    }
  }
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/list",
    ...more
  }
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params })
  return (await server.fetch(new Request(mcp, { method: "POST", headers, body }))).status
}

/** Signs in by hand and returns the tokens. */
const signedIn = async (by = annKey, options: Parameters<typeof agree>[2] = {}) => {
  const id: string = (await register()).body.client_id
  const { back, page } = await agree(authorization(id), by, options)
  const { body, status } = await exchange(back.searchParams.get("code"), id)
  expect(status).toBe(200)
  return {
    id,
    page,
    access: String(body.access_token),
    renew: String(body.refresh_token),
    code: back.searchParams.get("code")
  }
}

describe("authorization", () => {
  it("shows the person who asks for what, and answers the client at its own address alone", async () => {
    const id: string = (await register()).body.client_id
    const { back, preview } = await agree(authorization(id, { scope: "kb:read kb:write" }), annKey)
    expect(preview.body).toMatchObject({
      client: { name: "Notebook Assistant", host: null },
      redirectHost: "127.0.0.1:3917",
      problem: null
    })
    expect(preview.body.scopes).toContainEqual({ scope: "kb:write", isAsked: true })
    expect(preview.body.scopes).toContainEqual({ scope: "agents:run", isAsked: false })
    expect(back.origin + back.pathname).toBe(redirectUri)
    expect([back.searchParams.get("state"), back.searchParams.get("iss")]).toEqual(["s 1", origin])
    // Another port of the same machine is the same application.
    const moved = await agree(authorization(id, { redirect_uri: "http://127.0.0.1:9/callback" }), annKey)
    expect(moved.back.port).toBe("9")
    for (const wrong of [
      "https://evil.example/callback",
      "http://127.0.0.1:3917/other",
      "http://localhost:3917/callback"
    ])
      expect((await agree(authorization(id, { redirect_uri: wrong }), annKey)).granted.status).toBe(400)
    const denied = await agree(authorization(id), annKey, { allow: false })
    expect(denied.back.searchParams.get("error")).toBe("access_denied")
  })

  it.each([
    { change: { code_challenge_method: "plain" }, error: "invalid_request" },
    { change: { code_challenge: undefined }, error: "invalid_request" },
    { change: { response_type: "token" }, error: "unsupported_response_type" },
    { change: { resource: "https://elsewhere.example/mcp" }, error: "invalid_target" },
    { change: { scope: "kb:read workspace:admin" }, error: "invalid_scope" }
  ])("refuses $change with $error", async ({ change, error }) => {
    const id: string = (await register()).body.client_id
    const { back, preview } = await agree(authorization(id, change), annKey)
    expect(preview.body.problem).not.toBeNull()
    expect([back.searchParams.get("error"), back.searchParams.get("code")]).toEqual([error, null])
  })

  it.each([
    { why: "a script", redirect_uris: ["javascript:alert(1)"] },
    { why: "plain HTTP", redirect_uris: ["http://intranet.example/callback"] },
    { why: "no address", redirect_uris: [] },
    {
      why: "too much",
      redirect_uris: Array.from({ length: 9 }, (_, at) => `https://a.example/${at}${"x".repeat(900)}`)
    },
    { why: "a secret", redirect_uris: [redirectUri], token_endpoint_auth_method: "client_secret_basic" }
  ])("registers no client with $why", async ({ why: _, ...body }) => {
    expect((await register(body)).body).toMatchObject({ error: "invalid_client_metadata" })
  })

  it("fetches documents of clients from public addresses alone, and believes only their own", async () => {
    const fetchMetadata = fetchMetadataOf()
    for (const address of [
      "https://127.0.0.1/c.json",
      "https://169.254.169.254/c.json",
      "https://localhost/c.json"
    ])
      await expect(fetchMetadata(address)).rejects.toThrow()
    for (const id of [
      "https://assistant.example/other.json",
      "http://assistant.example/client.json",
      "kc1.bm8",
      "x"
    ])
      expect((await agree(authorization(id), annKey)).preview.status).toBe(400)
    const { preview } = await agree(authorization(documentUrl), annKey)
    expect(preview.body).toMatchObject({ client: { name: "Notebook Assistant", host: "assistant.example" } })
  })

  it("needs the session of the person, and a page of the console", async () => {
    const id: string = (await register()).body.client_id
    const asked = {
      request: Object.fromEntries(authorization(id).searchParams),
      allow: true,
      scopes: ["kb:read"]
    }
    expect((await request(server, "POST", "/console/clients", { body: asked })).status).toBe(401)
    const page = await browser(server, { key: annKey })
    const forged = await request(server, "POST", "/console/clients", {
      body: asked,
      headers: { cookie: page.cookie, origin: "https://evil.example" }
    })
    expect([forged.status, forged.body.error]).toEqual([403, "csrf"])
  })
})

describe("tokens", () => {
  it("come once for a code, with its verifier, address and client", async () => {
    const id: string = (await register()).body.client_id
    const other: string = (await register({ ...metadata, client_name: "Other" })).body.client_id
    for (const [by, change] of [
      [id, { code_verifier: "a".repeat(43) }],
      [id, { redirect_uri: "http://127.0.0.1:1/callback" }],
      [id, { resource: "https://elsewhere.example/" }],
      [other, {}]
    ] as const) {
      const code = (await agree(authorization(id), annKey)).back.searchParams.get("code")
      const { body, status } = await exchange(code, by, change)
      expect([status, body.access_token]).toEqual([400, undefined])
    }
    const late = (await agree(authorization(id), annKey)).back.searchParams.get("code")
    ahead += 61_000
    expect((await exchange(late, id)).body).toMatchObject({ error: "invalid_grant" })
    const good = await signedIn()
    expect(await tools(good.access)).toBe(200)
    // A code that comes twice was stolen, or its tokens were.
    expect((await exchange(good.code, good.id)).body).toMatchObject({ error: "invalid_grant" })
    expect(await tools(good.access)).toBe(401)
  })

  it("are renewed once for a refresh token; a second use ends them all", async () => {
    const first = await signedIn()
    const second = await refresh(first.renew, first.id)
    expect(second.headers.get("cache-control")).toBe("no-store")
    expect(await tools(second.body.access_token)).toBe(200)
    expect((await refresh(second.body.refresh_token, "kc1.other")).status).toBe(400)
    expect((await refresh(first.renew, first.id)).body).toMatchObject({ error: "invalid_grant" })
    expect(await tools(second.body.access_token)).toBe(401)
    expect((await refresh(second.body.refresh_token, first.id)).status).toBe(400)
    const raced = await signedIn()
    const both = await Promise.all([1, 2].map(() => refresh(raced.renew, raced.id)))
    const given = both.filter(({ status }) => status === 200)
    expect(given.length).toBeLessThan(2)
    for (const { body } of given) expect(await tools(body.access_token)).toBe(401)
  })

  it("end when they expire or are revoked, by the client, at the console, or without a use in thirty days", async () => {
    const one = await signedIn()
    ahead += 3_601_000
    expect(await tools(one.access)).toBe(401)
    const two = await signedIn()
    expect((await post("/oauth/revoke", { token: two.renew, client_id: two.id })).status).toBe(200)
    expect([await tools(two.access), (await refresh(two.renew, two.id)).status]).toEqual([401, 400])
    const three = await signedIn()
    const { items } = (await three.page.call("GET", "/console/sessions")).body
    const own = items.find(({ method }: { readonly method: string }) => method === "client")
    expect(own).toMatchObject({ userAgent: "Notebook Assistant", actor: ann, current: false })
    expect((await three.page.call("DELETE", `/console/sessions/${own.id}`)).status).toBe(200)
    expect([await tools(three.access), (await refresh(three.renew, three.id)).status]).toEqual([401, 400])
    const four = await signedIn()
    ahead += 31 * 86_400_000
    expect((await refresh(four.renew, four.id)).status).toBe(400)
  })

  it("act as their member, in the one workspace, with the member's present role and the scopes that were given", async () => {
    const bo = await server.user("Bo", [workspace], "admin")
    const key = await server.userKey(bo, [workspace])
    const { access, page } = await signedIn(key, { scopes: ["kb:read", "kb:write"] })
    expect(await tools(access)).toBe(200)
    expect(await tools(access, { "x-workspace-id": other })).toBe(403)
    // It opens neither the REST interface nor the console.
    expect((await server.call("GET", "/api/v1/documents", { key: access })).status).toBe(401)
    expect(
      (await request(server, "GET", "/console/session", { headers: { cookie: `__Host-kanon=${access}` } }))
        .status
    ).toBe(401)
    await server.as(workspace, removeMember(bo))
    expect(await tools(access)).toBe(403)
    await server.as(workspace, addMember(bo, "member"))
    expect(await tools(access)).toBe(200)
    // The person signed in with a key: without it the assistant has nothing to act by.
    await server.as(workspace, revokeAsHost(KeyId.parse(await keyIdOf(key))))
    expect(await tools(access)).toBe(401)
    expect((await page.call("GET", "/console/sessions")).status).toBe(401)
  })
})

const keyIdOf = async (secret: string): Promise<string> => {
  await server.call("GET", "/api/v1/workspace", { key: secret })
  return server.entries.at(-1)?.keyId ?? ""
}
