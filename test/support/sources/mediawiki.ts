import * as Effect from "effect/Effect"
import { sendJson, webServer } from "./crawling.js"

interface WikiPage {
  readonly id: number
  title: string
  ns: number
  html: string
  revision: number
  changedAt: string
  isRedirect: boolean
}

/** Options of the wiki that tests turn on. */
interface WikiBehaviour {
  /** Replies that ask for a pause before the next call is answered. */
  pauses: number
  readonly login?: { readonly username: string; readonly password: string }
}

/**
 * A wiki that answers the calls of the Action API that the crawler makes, written from the documentation of MediaWiki
 * 1.39. Its clock is six years late, and each change takes a second of it.
 */
export const mediaWikiServer = (behaviour: WikiBehaviour = { pauses: 0 }) =>
  Effect.gen(function* () {
    const pages = new Map<number, WikiPage>()
    const recent: Array<{ readonly at: string; readonly pageid: number }> = []
    const log: Array<{ readonly at: string; readonly logpage: number }> = []
    const revisions = new Map<number, { readonly page: number; readonly at: string }>()
    const sessions = new Set<string>()
    let [now, nextId, nextRevision] = [Date.UTC(2020, 0, 1), 1, 100]
    const tick = (): string => {
      now += 1000
      return new Date(now).toISOString().replace(".000", "")
    }
    const byTitle = (title: string) => [...pages.values()].find((page) => page.title === title)
    const change = (page: WikiPage): void => {
      const at = tick()
      page.revision = nextRevision++
      page.changedAt = at
      revisions.set(page.revision, { page: page.id, at })
      recent.push({ at, pageid: page.id })
    }

    const listed = <Item>(
      items: ReadonlyArray<Item>,
      parameters: URLSearchParams,
      limit: string,
      place: string
    ) => {
      const from = Number(parameters.get(place) ?? 0)
      const to = from + Number(parameters.get(limit) ?? 10)
      return { items: items.slice(from, to), next: to < items.length ? to : null }
    }

    const query = (parameters: URLSearchParams): unknown => {
      const result: Record<string, unknown> = {}
      const following: Record<string, unknown> = {}
      if (parameters.get("meta") === "siteinfo") {
        result["general"] = {
          server: origin,
          articlepath: "/wiki/$1",
          script: "/w/index.php",
          sitename: "Test"
        }
        result["namespaces"] = {
          "0": { id: 0, name: "", content: true },
          "1": { id: 1, name: "Talk", canonical: "Talk" },
          "12": { id: 12, name: "Hilfe", canonical: "Help" }
        }
        result["namespacealiases"] = []
        result["statistics"] = { articles: [...pages.values()].filter(({ ns }) => ns === 0).length }
      }
      if (parameters.get("meta") === "tokens") result["tokens"] = { logintoken: "token+\\" }
      if (parameters.get("generator") === "allpages") {
        const ns = Number(parameters.get("gapnamespace"))
        const all = [...pages.values()]
          .filter((page) => page.ns === ns && !page.isRedirect)
          .sort((a, b) => (a.title < b.title ? -1 : 1))
        const { items, next } = listed(all, parameters, "gaplimit", "gapcontinue")
        result["pages"] = items.map(info)
        if (next !== null) Object.assign(following, { gapcontinue: String(next), continue: "gapcontinue||" })
      }
      if (parameters.get("pageids") !== null)
        result["pages"] = (parameters.get("pageids") ?? "").split("|").map((id) => {
          const page = pages.get(Number(id))
          return page === undefined ? { pageid: Number(id), missing: true } : info(page)
        })
      if (parameters.get("revids") !== null) {
        const revision = revisions.get(Number(parameters.get("revids")))
        const page = pages.get(revision?.page ?? 0)
        if (page !== undefined)
          result["pages"] = [
            {
              ...info(page),
              fullurl: `${origin}/wiki/${encodeURIComponent(page.title.replaceAll(" ", "_"))}`,
              revisions: [{ timestamp: revision?.at, user: "Ada" }]
            }
          ]
      }
      if (parameters.get("titles") !== null)
        result["redirects"] = (parameters.get("titles") ?? "").split("|").flatMap((title) => {
          const target = /href="\/wiki\/([^"]+)"/.exec(byTitle(title)?.html ?? "")?.[1]
          return target === undefined ? [] : [{ from: title, to: decodeURIComponent(target) }]
        })
      if (parameters.get("list") === "recentchanges|logevents") {
        const since = (items: ReadonlyArray<{ readonly at: string }>, start: string) =>
          items.filter(({ at }) => Date.parse(at) >= Date.parse(parameters.get(start) ?? ""))
        const changes = listed(since(recent, "rcstart"), parameters, "rclimit", "rccontinue")
        const events = listed(since(log, "lestart"), parameters, "lelimit", "lecontinue")
        result["recentchanges"] = changes.items
        result["logevents"] = events.items
        if (changes.next !== null) following["rccontinue"] = String(changes.next)
        if (events.next !== null) following["lecontinue"] = String(events.next)
        if (changes.next !== null || events.next !== null) {
          following["continue"] = "-||"
          following["rccontinue"] ??= String(recent.length)
          following["lecontinue"] ??= String(log.length)
        }
      }
      return {
        curtimestamp: new Date(now).toISOString().replace(".000", ""),
        ...(Object.keys(following).length === 0 ? { batchcomplete: true } : { continue: following }),
        query: result
      }
    }

    const info = ({ id, isRedirect, ns, revision, title }: WikiPage) => ({
      pageid: id,
      ns,
      title,
      lastrevid: revision,
      ...(isRedirect ? { redirect: true } : {})
    })

    const origin: string = yield* webServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://localhost")
      if (url.pathname !== "/w/api.php") {
        response.writeHead(404).end("<html><head></head></html>")
        return
      }
      const parameters = new URLSearchParams([...url.searchParams, ...new URLSearchParams(request.body)])
      if (behaviour.pauses > 0) {
        behaviour.pauses -= 1
        response.setHeader("retry-after", "0")
        return sendJson(response, { error: { code: "maxlag", info: "Waiting for a database server" } })
      }
      const { login } = behaviour
      if (parameters.get("action") === "login") {
        const isRight =
          parameters.get("lgname") === login?.username &&
          parameters.get("lgpassword") === login?.password &&
          parameters.get("lgtoken") === "token+\\" &&
          request.headers.cookie === "wiki_session=anonymous"
        if (isRight) {
          sessions.add("ada")
          response.setHeader("set-cookie", "wiki_session=ada; path=/; HttpOnly")
        }
        return sendJson(response, { login: { result: isRight ? "Success" : "Failed" } })
      }
      if (parameters.get("type") === "login") {
        response.setHeader("set-cookie", "wiki_session=anonymous; path=/; HttpOnly")
        return sendJson(response, query(parameters))
      }
      if (login !== undefined && request.headers.cookie !== "wiki_session=ada")
        return sendJson(response, {
          error: {
            code: parameters.has("assert") ? "assertuserfailed" : "readapidenied",
            info: "You need permission."
          }
        })
      if (parameters.get("action") === "parse") {
        const page = pages.get(Number(parameters.get("pageid")))
        return sendJson(
          response,
          page === undefined
            ? { error: { code: "nosuchpageid", info: "There is no page with that id." } }
            : {
                parse: {
                  title: page.title,
                  pageid: page.id,
                  revid: page.revision,
                  text: `<div class="mw-parser-output">${page.html}</div>`,
                  displaytitle: page.title,
                  categories: [{ category: "Fresh_pages" }, { category: "Hidden", hidden: true }]
                }
              }
        )
      }
      return sendJson(response, query(parameters))
    })

    return {
      origin,
      /** Creates or edits a page; returns its id. */
      edit: (title: string, html: string, { isRedirect = false, ns = 0 } = {}): number => {
        const page = byTitle(title) ?? {
          id: nextId++,
          title,
          ns,
          html,
          revision: 0,
          changedAt: "",
          isRedirect
        }
        Object.assign(page, { html, isRedirect })
        pages.set(page.id, page)
        change(page)
        return page.id
      },
      /** Moves a page; its old title becomes a redirect. */
      move: (from: string, to: string): void => {
        const page = byTitle(from)
        if (page === undefined) throw new Error(`no page ${from}`)
        page.title = to
        change(page)
        const redirect: WikiPage = {
          id: nextId++,
          title: from,
          ns: page.ns,
          html: `<a href="/wiki/${encodeURIComponent(to)}"></a>`,
          revision: 0,
          changedAt: "",
          isRedirect: true
        }
        pages.set(redirect.id, redirect)
        change(redirect)
      },
      remove: (title: string): void => {
        const page = byTitle(title)
        if (page === undefined) throw new Error(`no page ${title}`)
        pages.delete(page.id)
        const at = tick()
        recent.push({ at, pageid: 0 })
        log.push({ at, logpage: page.id })
      },
      /** Lets so many days pass. */
      wait: (days: number): void => {
        now += days * 24 * 3_600_000
      }
    }
  })
