import * as Effect from "effect/Effect"
import { sendJson, webServer } from "./crawling.js"

interface Admitted {
  readonly emails?: ReadonlyArray<string>
  readonly groups?: ReadonlyArray<string>
}

interface Page {
  readonly id: string
  title: string
  readonly space: string
  /** Id of the page above. */
  parent: string | null
  storage: string
  version: number
  readonly labels: ReadonlyArray<string>
  /** Those whom a restriction admits; null for none. */
  admits: Admitted | null
  readonly files: Map<string, { readonly text: string; readonly version: number }>
}

/**
 * A site that answers the searches that the crawler makes, written from the documentation of the REST API of
 * Confluence. The first request of each crawl is asked to wait.
 */
export const confluenceServer = (authorization: string) =>
  Effect.gen(function* () {
    const pages = new Map<string, Page>()
    let [nextId, pauses] = [1000, 1]

    const restrictionsOf = ({ admits }: Page) => {
      const listed = (results: ReadonlyArray<unknown>) => ({ results, start: 0, size: results.length })
      const user = listed((admits?.emails ?? []).map((email) => ({ type: "known", email })))
      const group = listed((admits?.groups ?? []).map((name) => ({ type: "group", name })))
      return { read: { operation: "read", restrictions: { user, group } } }
    }
    const aboveOf = (page: Page): ReadonlyArray<Page> => {
      const parent = page.parent === null ? undefined : pages.get(page.parent)
      return parent === undefined ? [] : [...aboveOf(parent), parent]
    }
    const ancestorsOf = (page: Page): ReadonlyArray<{ readonly title: string }> => {
      const parent = page.parent === null ? undefined : pages.get(page.parent)
      return parent === undefined ? [] : [...ancestorsOf(parent), { title: parent.title }]
    }
    const shown = (page: Page, expand: ReadonlyArray<string>) => ({
      id: page.id,
      type: "page",
      title: page.title,
      _links: { webui: `/spaces/${page.space}/pages/${page.id}` },
      ...(expand.includes("space") ? { space: { key: page.space } } : {}),
      ...(expand.includes("version")
        ? {
            version: {
              number: page.version,
              when: "2024-05-06T07:08:09.000+02:00",
              by: { displayName: "Ada Lovelace" }
            }
          }
        : {}),
      ...(expand.includes("ancestors") ? { ancestors: ancestorsOf(page) } : {}),
      ...(expand.includes("restrictions.read.restrictions.user")
        ? {
            restrictions: restrictionsOf(page),
            ancestors: aboveOf(page).map((above) => ({
              title: above.title,
              restrictions: restrictionsOf(above)
            }))
          }
        : {}),
      ...(expand.includes("history") ? { history: { createdDate: "2023-01-02T03:04:05.000Z" } } : {}),
      ...(expand.includes("body.storage") ? { body: { storage: { value: page.storage } } } : {}),
      ...(expand.includes("children.attachment.version")
        ? {
            children: {
              attachment: {
                results: [...page.files].map(([title, { version }]) => ({
                  title,
                  version: { number: version },
                  _links: { download: `/download/attachments/${page.id}/${encodeURIComponent(title)}` }
                }))
              }
            }
          }
        : {}),
      ...(expand.includes("metadata.labels")
        ? { metadata: { labels: { results: page.labels.map((name) => ({ name })) } } }
        : {})
    })
    const found = (cql: string): ReadonlyArray<Page> => {
      const all = [...pages.values()]
      const id = /^id = (\d+)$/.exec(cql)?.[1]
      if (id !== undefined) return all.filter((page) => page.id === id)
      const some = /^id in \(([\d,]*)\)$/.exec(cql)?.[1]?.split(",")
      if (some !== undefined) return all.filter((page) => some.includes(page.id))
      const named = /space = "([^"]*)" and title = "([^"]*)"/.exec(cql)
      if (named !== null) return all.filter(({ space, title }) => space === named[1] && title === named[2])
      const spaces = /space in \(([^)]*)\)/.exec(cql)?.[1]
      return all.filter(({ space }) => spaces === undefined || spaces.includes(`"${space}"`))
    }

    const origin: string = yield* webServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://localhost")
      if (request.headers.authorization !== authorization) return sendJson(response, { statusCode: 401 }, 401)
      if (pauses > 0) {
        pauses -= 1
        response.setHeader("retry-after", "0")
        return sendJson(response, { statusCode: 429 }, 429)
      }
      if (url.pathname === "/wiki/rest/api/user")
        return sendJson(response, {
          displayName: url.searchParams.get("accountId") === "u1" ? "Grace Hopper" : "Nobody"
        })
      const [, pageId = "", file = ""] =
        /^\/wiki\/download\/attachments\/(\d+)\/(.+)$/.exec(url.pathname) ?? []
      const attached = pages.get(pageId)?.files.get(decodeURIComponent(file))
      if (attached !== undefined) {
        response.end(attached.text)
        return
      }
      if (url.pathname !== "/wiki/rest/api/content/search")
        return sendJson(response, { statusCode: 404 }, 404)
      const parameters = url.searchParams
      const [start, limit] = [Number(parameters.get("start") ?? 0), Number(parameters.get("limit") ?? 25)]
      const all = found(parameters.get("cql") ?? "")
      const results = all.slice(start, start + limit)
      const next = new URLSearchParams(parameters)
      next.set("start", String(start + limit))
      return sendJson(response, {
        results: results.map((page) => shown(page, (parameters.get("expand") ?? "").split(","))),
        start,
        limit,
        size: results.length,
        totalSize: all.length,
        _links: {
          base: `${origin}/wiki`,
          context: "/wiki",
          ...(start + limit < all.length ? { next: `/rest/api/content/search?${next}` } : {})
        }
      })
    })

    return {
      url: `${origin}/wiki`,
      put: (
        title: string,
        storage: string,
        {
          labels = [],
          parent = null,
          space = "DOC"
        }: {
          readonly labels?: ReadonlyArray<string>
          readonly parent?: string | null
          readonly space?: string
        } = {}
      ): string => {
        const known = [...pages.values()].find((page) => page.title === title && page.space === space)
        const page = known ?? {
          id: String(nextId++),
          title,
          space,
          parent,
          storage,
          version: 0,
          labels,
          admits: null,
          files: new Map()
        }
        Object.assign(page, { storage, version: page.version + 1 })
        pages.set(page.id, page)
        return page.id
      },
      attach: (id: string, title: string, text: string): void => {
        const files = pages.get(id)?.files
        files?.set(title, { text, version: (files.get(title)?.version ?? 0) + 1 })
      },
      /** Restricts a page, or lifts its restriction. */
      restrict: (id: string, admits: Admitted | null): void => {
        const page = pages.get(id)
        if (page !== undefined) page.admits = admits
      },
      move: (id: string, parent: string | null): void => {
        const page = pages.get(id)
        if (page !== undefined) page.parent = parent
      },
      rename: (from: string, to: string): void => {
        for (const page of pages.values())
          if (page.title === from) Object.assign(page, { title: to, version: page.version + 1 })
      },
      remove: (title: string): void => {
        for (const page of pages.values()) if (page.title === title) pages.delete(page.id)
      }
    }
  })
