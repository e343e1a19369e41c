import { createVerify } from "node:crypto"
import * as Effect from "effect/Effect"
import { sendJson, webServer } from "./crawling.js"

interface Grant {
  readonly type: "user" | "group" | "domain" | "anyone"
  readonly name?: string
  readonly allowFileDiscovery?: boolean
}

interface Item {
  readonly id: string
  name: string
  readonly mimeType: string
  parents: ReadonlyArray<string>
  trashed: boolean
  text: string
  revision: number
  grants: ReadonlyArray<Grant>
}

const folder = "application/vnd.google-apps.folder"

/**
 * Google Drive and its server of tokens, written from their documentation: two files or changes to a page. `accepts`
 * says which grants get a token.
 */
export const googleDriveServer = () =>
  Effect.gen(function* () {
    const items = new Map<string, Item>([
      [
        "root",
        {
          id: "root",
          name: "My Drive",
          mimeType: folder,
          parents: [],
          trashed: false,
          text: "",
          revision: 1,
          grants: []
        }
      ]
    ])
    const log: Array<string> = []
    /** The refresh token that is accepted; each use replaces it. */
    const state = {
      publicKey: "",
      refresh: "refresh-1",
      tokens: new Set<string>(),
      isRevoked: false,
      asked: 0
    }
    let serial = 1
    const shown = ({ grants, id, mimeType, name, parents, revision, text, trashed }: Item) => ({
      id,
      name,
      mimeType,
      ...(id === "root" ? {} : { parents }),
      trashed,
      modifiedTime: new Date(Date.UTC(2026, 0, 1) + revision * 1000).toISOString(),
      createdTime: "2026-01-01T00:00:00.000Z",
      ...(mimeType.startsWith("application/vnd.google-apps.") ? {} : { md5Checksum: `md5-${text}` }),
      webViewLink: `https://drive.example/${id}`,
      lastModifyingUser: { displayName: "Ada" },
      permissionIds: grants.map(permissionId)
    })
    const permissionId = ({ allowFileDiscovery, name = "", type }: Grant) =>
      type === "anyone" ? (allowFileDiscovery === true ? "anyone" : "anyoneWithLink") : `${type}-${name}`
    const accepts = (body: URLSearchParams): boolean => {
      if (state.isRevoked) return false
      if (body.get("grant_type") === "refresh_token") return body.get("refresh_token") === state.refresh
      if (body.get("grant_type") === "client_credentials") return body.get("client_secret") === "secret"
      const [head = "", claims = "", signature = ""] = (body.get("assertion") ?? "").split(".")
      const text = `${head}.${claims}`
      return createVerify("RSA-SHA256").update(text).verify(state.publicKey, signature, "base64url")
    }
    const page = (all: ReadonlyArray<unknown>, query: URLSearchParams, name: string) => {
      const from = Number(query.get("pageToken") ?? 0)
      const to = from + 2
      return { [name]: all.slice(from, to), ...(to < all.length ? { nextPageToken: String(to) } : {}) }
    }
    const url: string = yield* webServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
      if (pathname === "/token") {
        state.asked += 1
        const body = new URLSearchParams(request.body)
        if (!accepts(body)) return sendJson(response, { error: "invalid_grant" }, 400)
        const token = `token-${serial++}`
        state.tokens.add(token)
        const rotates = body.get("grant_type") === "refresh_token"
        if (rotates) state.refresh = `refresh-${serial++}`
        return sendJson(response, {
          access_token: token,
          expires_in: 3600,
          ...(rotates ? { refresh_token: state.refresh } : {})
        })
      }
      const token = (request.headers.authorization ?? "").replace("Bearer ", "")
      if (!state.tokens.has(token)) return sendJson(response, {}, 401)
      const path = pathname.replace("/drive/v3/", "")
      if (path === "changes/startPageToken") return sendJson(response, { startPageToken: String(log.length) })
      if (path === "changes") {
        const from = Number(searchParams.get("pageToken"))
        if (Number.isNaN(from)) return sendJson(response, {}, 400)
        const to = Math.min(from + 2, log.length)
        const changes = log.slice(from, to).map((fileId) => {
          const item = items.get(fileId)
          return item === undefined
            ? { changeType: "file", fileId, removed: true }
            : { changeType: "file", fileId, removed: false, file: shown(item) }
        })
        return sendJson(response, {
          changes,
          ...(to < log.length ? { nextPageToken: String(to) } : { newStartPageToken: String(to) })
        })
      }
      const listed = [...items.values()].filter(({ id, trashed }) => id !== "root" && !trashed)
      if (path === "files") return sendJson(response, page(listed.map(shown), searchParams, "files"))
      const [, id = "", part] = /^files\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? []
      const item = items.get(id)
      if (item === undefined) return sendJson(response, {}, 404)
      if (part === "permissions")
        return sendJson(
          response,
          page(
            item.grants.map((grant) => ({
              id: permissionId(grant),
              type: grant.type,
              ...(grant.type === "domain" ? { domain: grant.name } : { emailAddress: grant.name }),
              allowFileDiscovery: grant.allowFileDiscovery
            })),
            searchParams,
            "permissions"
          )
        )
      if (part === "export" || searchParams.get("alt") === "media") return void response.end(item.text)
      return sendJson(response, shown(item))
    })
    const put = (
      name: string,
      text: string,
      about: {
        readonly mimeType?: string
        readonly parent?: string
        readonly grants?: ReadonlyArray<Grant>
      } = {}
    ): string => {
      const known = [...items.values()].find((item) => item.name === name)
      const item: Item = known ?? {
        id: `file-${serial++}`,
        name,
        mimeType: about.mimeType ?? "text/markdown",
        parents: [about.parent ?? "root"],
        trashed: false,
        text,
        revision: 0,
        grants: about.grants ?? []
      }
      Object.assign(item, { text, revision: item.revision + 1 })
      items.set(item.id, item)
      log.push(item.id)
      return item.id
    }
    const change = (id: string, to: Partial<Pick<Item, "name" | "parents" | "trashed" | "grants">>): void => {
      const item = items.get(id)
      if (item !== undefined) Object.assign(item, to)
      log.push(id)
    }
    return {
      url,
      tokenUrl: `${url}/token`,
      state,
      put,
      change,
      folder: (name: string, parent = "root") => put(name, "", { mimeType: folder, parent }),
      remove: (name: string): void => {
        for (const { id, name: own } of items.values())
          if (own === name) {
            items.delete(id)
            log.push(id)
          }
      },
      rename: (from: string, to: string): void => {
        for (const { id, name } of items.values()) if (name === from) change(id, { name: to })
      }
    }
  })
