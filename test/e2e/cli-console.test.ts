import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { kanon, start, vault } from "../support/cli.js"

const notes = vault({ "heron.md": "# Project Heron\n\nProject Heron closed in May 2026.\n" })

/** Runs `kanon` beside the server and reads what it prints. */
const json = (...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = kanon([...args, "--json"], { cwd: notes })
  expect(status, stderr).toBe(0)
  return JSON.parse(stdout)
}

const linkIn = (line: string): { readonly url: string; readonly token: string } => {
  const [, url = "", token = ""] = /(http:\/\/\S+?)\/#token=(\S+)/.exec(line) ?? []
  return { url, token }
}

describe("kanon console", () => {
  let server: ReturnType<typeof start>
  let url: string
  let token: string
  beforeAll(async () => {
    server = start(["console", "--vault", notes, "--port", "0", "--no-open"], { cwd: notes })
    ;({ token, url } = linkIn(await server.firstLine))
  })
  afterAll(async () => {
    server.signal("SIGTERM")
    expect((await server.ended).status).toBe(0)
  })

  const signIn = (with_: string) =>
    fetch(`${url}/console/session`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: url },
      body: JSON.stringify({ token: with_ })
    })
  const sessionWith = (cookie: string) => fetch(`${url}/console/session`, { headers: { cookie } })

  it("serves the pages and prints a link that signs in once", async () => {
    expect(await (await fetch(`${url}/`)).text()).toContain("<title>")
    expect(server.said().stderr).toContain("signs in once, within five minutes")
    const first = await signIn(token)
    expect(first.status).toBe(201)
    expect(await first.json()).toMatchObject({ method: "link", actor: "local" })
    expect((await signIn(token)).status).toBe(401)
  })

  it("lists the session by kanon sessions, and ends it", async () => {
    const { items, total } = json("sessions", "list")
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({ method: "link", actor: "local" })
    expect(kanon(["sessions", "list"], { cwd: notes }).stdout).toContain(items[0].id)
    expect(json("sessions", "revoke", items[0].id)).toEqual({ deleted: true, id: items[0].id })
    expect(json("sessions", "list")).toEqual({ items: [], total: 0 })
    const again = kanon(["sessions", "revoke", items[0].id], { cwd: notes })
    expect(again.status).toBe(1)
    expect(again.stderr).toContain("There is no such session.")
    expect(kanon(["sessions", "list"], { cwd: notes }).stdout).toBe("No sessions.\n")
  })

  it("refuses a revoked session from the next request on", async () => {
    const other = start(["console", "--vault", notes, "--port", "0", "--no-open", "--as", "ann"], {
      cwd: notes
    })
    const link = linkIn(await other.firstLine)
    // The link of one process signs in at another one over the same workspace.
    const signedIn = await signIn(link.token)
    expect(await signedIn.json()).toMatchObject({ actor: "ann", member: { name: "ann" } })
    const [cookie = ""] = (signedIn.headers.get("set-cookie") ?? "").split(";", 1)
    expect((await sessionWith(cookie)).status).toBe(200)
    const [{ id }] = json("sessions", "list").items
    json("sessions", "revoke", id)
    expect((await sessionWith(cookie)).status).toBe(401)
    other.signal("SIGTERM")
    expect((await other.ended).status).toBe(0)
  })

  it("signs in no member whom the workspace does not have", async () => {
    const unknown = `usr_${"0".repeat(25)}1`
    const refused = kanon(["console", "--vault", notes, "--port", "0", "--no-open", "--as", unknown], {
      cwd: notes
    })
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/member/)
  })
})
