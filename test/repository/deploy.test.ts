import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { ServerSettings } from "../../server/config.js"
import { notTested } from "../support/not-tested.js"
import { textOf } from "../support/tree.js"

const settings = ServerSettings.parse({})
const container = textOf("deploy/Containerfile")
const unit = textOf("deploy/kanon.service")
const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("what is there to deploy", () => {
  it("is a unit without rights that systemd understands", () => {
    for (const line of [
      "User=kanon",
      "NoNewPrivileges=yes",
      "ProtectSystem=strict",
      "CapabilityBoundingSet="
    ])
      expect(unit.split("\n")).toContain(line)
    // A stop takes ten seconds at most; systemd is not to be faster.
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(10)
    expect(/^WantedBy=/m.test(unit)).toBe(true)
    if (!hasAnalyze) {
      notTested("the systemd unit", "systemd-analyze is not installed; only its text was checked.")
      return
    }
    // The path of kanon and the user do not exist on this machine.
    const known = /Unknown|Failed to parse|Invalid|ignoring/i
    const { stderr } = spawnSync("systemd-analyze", ["verify", "deploy/kanon.service"], { encoding: "utf8" })
    expect(stderr.split("\n").filter((line) => line.includes("kanon.service") && known.test(line))).toEqual(
      []
    )
  })

  it("is an image of two stages with a health check that runs as nobody special", () => {
    const stages = [...container.matchAll(/^FROM \S+:(\S+)( AS build)?$/gm)]
    expect(stages).toHaveLength(2)
    // Both stages have the same base image, because native modules fit one release of Node.
    expect(stages[0]?.[1]).toBe(stages[1]?.[1])
    const last = container.slice(container.lastIndexOf("FROM "))
    expect(last).toMatch(/^USER node$/m)
    expect(last).toMatch(/^HEALTHCHECK .*\\\n {2}CMD \[/m)
    expect(last).toMatch(/^ENTRYPOINT \["kanon"\]$/m)
    expect(last).not.toMatch(/^RUN .*apt-get/m)
    expect(last).toContain(`KANON_PORT || ${settings.port}`)
    expect(last).toContain(`EXPOSE ${settings.port}`)
  })

  it("lets through a proxy what the server takes", () => {
    const megabytes = settings.bodyLimitBytes / 1024 / 1024
    const [nginx, caddy] = [textOf("deploy/nginx.conf"), textOf("deploy/Caddyfile")]
    expect(nginx).toContain(`client_max_body_size ${megabytes}m;`)
    expect(caddy).toContain(`max_size ${megabytes}MiB`)
    for (const text of [nginx, caddy]) {
      expect(text).toContain(`127.0.0.1:${settings.port}`)
      expect(text).toMatch(/X-Request-Id/)
    }
    expect(nginx).toContain("proxy_buffering off;")
    expect(caddy).toContain("flush_interval -1")
  })
})
