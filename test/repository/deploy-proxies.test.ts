import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { temporaryFolder } from "../support/folders.js"
import { freePort, type LoopbackServer, listenOnLoopback } from "../support/loopback.js"
import { notTested } from "../support/not-tested.js"
import { textOf } from "../support/tree.js"

/** The paths that came through, as they were sent on. */
const passed: Array<string> = []
let upstream: LoopbackServer
const folder = temporaryFolder("proxies")
const children: Array<ChildProcess> = []

beforeAll(async () => {
  upstream = await listenOnLoopback((request, response) => {
    passed.push(request.url ?? "")
    response.end("from inside")
  })
})
afterAll(() => {
  for (const child of children) child.kill("SIGKILL")
  return upstream.close()
})

/** Sends a path byte for byte; returns the status, 0 where the connection ended without one. */
const statusOf = async (port: number, path: string): Promise<number> => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => undefined)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: kanon.example.org\r\nConnection: close\r\n\r\n`, "latin1")
  const answer = await text(socket).catch(() => "")
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
}

/**
 * Returns a path as a lenient reader could resolve it: decoded twice, with backslashes as slashes and dot segments
 * resolved.
 */
const lenient = (path: string): string => {
  const decode = (one: string) =>
    one.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  const [plain = ""] = decode(decode(path)).split(/[?#]/, 1)
  return new URL(plain.replaceAll("\\", "/").replaceAll(/\/{2,}/g, "/"), "http://kanon.test").pathname
}

const dots = ["..", "%2e%2e", ".%2e", "%2E.", "%252e%252e", "..;", "."]
const slashes = ["/", "\\", "%2f", "%5c", "%5C", "//"]
const hostile = [
  ...["metrics", "healthz", "readyz"].flatMap((inside) => [
    `/${inside}`,
    `//${inside}`,
    `/./${inside}`,
    `/API/../${inside}`,
    `http://kanon.example.org/${inside}`,
    ...dots.flatMap((dot) =>
      slashes.flatMap((slash) => [`/api/${dot}${slash}${inside}`, `/api${slash}${dot}${slash}${inside}`])
    )
  ]),
  "/api/v1/../../metrics",
  "/api/v1/%2e%2e/%2e%2e/metrics"
]

/** Starts a proxy and waits until it answers. */
const proxied = async (port: number, program: string, args: ReadonlyArray<string>): Promise<void> => {
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, HOME: folder }
  })
  children.push(child)
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      said += part
    })
  const ended = new Promise<never>((_, reject) => child.once("exit", () => reject(new Error(said))))
  await Promise.race([ended, expect.poll(() => statusOf(port, "/")).toBe(404)])
  ended.catch(() => undefined)
}

const proxies: ReadonlyArray<readonly [string, (port: number) => Promise<void>]> = [
  [
    "nginx",
    async (port) => {
      const server = textOf("deploy/nginx.conf")
        .replace("127.0.0.1:7420", `127.0.0.1:${upstream.port}`)
        .replace("listen 443 ssl http2;", `listen 127.0.0.1:${port};`)
        .replace(/^ *ssl_certificate.*$/gm, "")
      const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      const places = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
      mkdirSync(join(folder, "logs"))
      writeFileSync(
        join(folder, "nginx.conf"),
        `daemon off; pid ${join(folder, "nginx.pid")}; error_log stderr; worker_processes 1;
        events { worker_connections 64; } http { access_log off; ${places.join(" ")} ${server} }`
      )
      await proxied(port, "nginx", ["-p", folder, "-c", join(folder, "nginx.conf")])
    }
  ],
  [
    "caddy",
    async (port) => {
      const site = textOf("deploy/Caddyfile")
        .replace("127.0.0.1:7420", `127.0.0.1:${upstream.port}`)
        .replace(/^kanon\.example\.org \{$/m, `http://kanon.example.org:${port} {\n\tbind 127.0.0.1`)
      writeFileSync(join(folder, "Caddyfile"), `{\n\tadmin off\n}\n${site}`)
      await proxied(port, "caddy", ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")])
    }
  ]
]

describe("the proxy configurations", () => {
  it.each(proxies)("let nothing but /api/ out whatever the spelling, in %s", async (program, start) => {
    if (spawnSync(program, ["version", "-v"]).error !== undefined)
      return notTested(`deploy/ in ${program}`, `Install it: apt-get install ${program}.`)
    const port = await freePort()
    await start(port)
    passed.length = 0
    expect(await statusOf(port, "/api/v1/search?q=..%2f%5c%2e%2e")).toBe(200)
    expect(await statusOf(port, "/api/v1/documents/a..b")).toBe(200)
    expect(passed).toEqual(["/api/v1/search?q=..%2f%5c%2e%2e", "/api/v1/documents/a..b"])
    for (const path of hostile) {
      passed.length = 0
      const status = await statusOf(port, path)
      const out = passed.map((one) => [one, lenient(one).startsWith("/api/")])
      expect([path, out.filter(([, inApi]) => inApi === false)]).toEqual([path, []])
      // A path that a proxy resolves itself is outside of /api/ for the proxy, too.
      expect([path, passed.length > 0 ? 200 : [0, 400, 404].includes(status) ? 200 : status]).toEqual([
        path,
        200
      ])
    }
  })
})
