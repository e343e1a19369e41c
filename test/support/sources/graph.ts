import * as Effect from "effect/Effect"
import { sendJson, webServer } from "./crawling.js"

interface Item {
  readonly id: string
  name: string
  parent: string
  readonly isFolder: boolean
  text: string
  permissions: ReadonlyArray<unknown>
}

/**
 * Microsoft Graph with one site and its library "Documents", written from its documentation: three changes to a page.
 * The site is `https://team.example/sites/Team`.
 */
export const graphServer = () =>
  Effect.gen(function* () {
    const items = new Map<string, Item>()
    let log: Array<string> = []
    const state = {
      /** Changes before this place are forgotten. */ forgotten: 0,
      downloads: [] as Array<string>
    }
    let serial = 1
    const root = { id: "root", name: "root", root: {}, folder: {}, parentReference: {} }
    const shown = (item: Item) => ({
      id: item.id,
      name: item.name,
      parentReference: { id: item.parent, driveId: "b!1" },
      ...(item.isFolder ? { folder: { childCount: 1 } } : { file: { mimeType: "text/markdown" } }),
      cTag: `c:${item.text}`,
      webUrl: `https://team.example/${item.id}`,
      createdDateTime: "2026-01-01T00:00:00Z",
      lastModifiedDateTime: "2026-01-02T00:00:00Z",
      lastModifiedBy: { user: { displayName: "Ada" } }
    })
    const origin: string = yield* webServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
      if (pathname === "/token") {
        const { client_secret, scope } = Object.fromEntries(new URLSearchParams(request.body))
        return client_secret === "secret" && scope?.endsWith("/.default") === true
          ? sendJson(response, { access_token: "token", expires_in: 3599, token_type: "Bearer" })
          : sendJson(response, { error: "invalid_client" }, 401)
      }
      if (pathname.startsWith("/download/")) {
        state.downloads.push(request.headers.authorization ?? "without a token")
        return void response.end(items.get(pathname.slice("/download/".length))?.text)
      }
      if (request.headers.authorization !== "Bearer token") return sendJson(response, {}, 401)
      const path = decodeURIComponent(pathname.replace("/v1.0", ""))
      if (path === "/sites/team.example:/sites/Team") return sendJson(response, { id: "team.example,1,2" })
      if (path === "/sites/team.example,1,2/drives")
        return sendJson(response, { value: [{ id: "b!1", name: "Documents" }] })
      if (path === "/$batch") {
        const { requests } = JSON.parse(request.body) as { requests: Array<{ id: string; url: string }> }
        const responses = requests.map(({ id, url }) => {
          const item = items.get(/items\/([^/]+)\/permissions$/.exec(url)?.[1] ?? "")
          return item === undefined
            ? { id, status: 404, body: {} }
            : { id, status: 200, body: { value: item.permissions } }
        })
        return sendJson(response, { responses: responses.reverse() })
      }
      if (path === "/drives/b!1/root/delta") {
        const token = searchParams.get("token")
        const isListing = token === null || token.startsWith("list-")
        const all = isListing ? [root, ...[...items.values()].map(shown)] : []
        const from = Number(token?.replace(/^\w+-/, "") ?? 0)
        if (!isListing && from < state.forgotten)
          return sendJson(response, { error: { code: "resyncRequired" } }, 410)
        const changed = isListing
          ? all
          : log.map((id) => {
              const item = items.get(id)
              return item === undefined ? { id, deleted: { state: "deleted" } } : shown(item)
            })
        const to = Math.min(from + 3, changed.length)
        const link = (next: string) => `${origin}/v1.0/drives/b!1/root/delta?token=${next}`
        return sendJson(response, {
          value: changed.slice(from, to),
          ...(to < changed.length
            ? { "@odata.nextLink": link(`${isListing ? "list" : "feed"}-${to}`) }
            : { "@odata.deltaLink": link(`feed-${isListing ? log.length : to}`) })
        })
      }
      const [, id = "", content] = /^\/drives\/b!1\/items\/([^/]+)(\/content)?$/.exec(path) ?? []
      const item = items.get(id)
      if (id === "root") return sendJson(response, root)
      if (item === undefined) return sendJson(response, {}, 404)
      if (content === undefined) return sendJson(response, shown(item))
      // The file is at another server.
      response
        .writeHead(302, { location: `${origin.replace("127.0.0.1", "localhost")}/download/${id}` })
        .end()
    })
    const put = (
      name: string,
      text: string,
      about: Partial<Pick<Item, "parent" | "isFolder" | "permissions">> = {}
    ): string => {
      const known = [...items.values()].find((one) => one.name === name)
      const item: Item = known ?? {
        id: `item-${serial++}`,
        name,
        parent: "root",
        isFolder: false,
        text,
        permissions: [],
        ...about
      }
      item.text = text
      items.set(item.id, item)
      log.push(item.id)
      return item.id
    }
    return {
      url: origin,
      tokenUrl: `${origin}/token`,
      state,
      put,
      folder: (name: string, parent = "root") => put(name, "", { isFolder: true, parent }),
      change: (id: string, to: Partial<Pick<Item, "name" | "permissions">>, isTold = true): void => {
        const item = items.get(id)
        if (item !== undefined) Object.assign(item, to)
        if (isTold) log.push(id)
      },
      remove: (name: string): void => {
        for (const { id, name: own } of items.values())
          if (own === name) {
            items.delete(id)
            log.push(id)
          }
      },
      /** Forgets what changed until now. */
      forget: (): void => {
        log = [...log, ...log]
        state.forgotten = log.length
      }
    }
  })
