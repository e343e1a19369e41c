import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { describe, expect, it } from "vitest"
import { connectionErrorLine, isConnectionError } from "../../../server/cli/connection-errors.js"
import { withoutPassword } from "../../../server/config.js"
import { freePort } from "../../support/loopback.js"

const failedWith = async (port: number): Promise<Error> => {
  const [error] = (await once(connect(port, "127.0.0.1"), "error").catch((thrown: unknown) => [thrown])) as [
    Error
  ]
  return error
}

describe("an uncaught error", () => {
  it("of a connection to another machine is one that a server survives", async () => {
    const refused = await failedWith(await freePort())
    expect(refused).toMatchObject({ code: "ECONNREFUSED" })
    expect(isConnectionError(refused)).toBe(true)
    const left = new AbortController()
    left.abort()
    expect(isConnectionError(left.signal.reason)).toBe(true)
    for (const code of [
      "ECONNRESET",
      "EPIPE",
      "ERR_SSL_WRONG_VERSION_NUMBER",
      "CERT_HAS_EXPIRED",
      "HPE_INVALID_CONSTANT"
    ])
      expect(isConnectionError(Object.assign(new Error("x"), { code })), code).toBe(true)
  })

  it("of our own socket, of a file or of our code ends the process", async () => {
    const first = createServer().listen(0, "127.0.0.1")
    await once(first, "listening")
    const second = createServer().listen((first.address() as AddressInfo).port, "127.0.0.1")
    const [taken] = (await once(second, "error")) as [Error]
    first.close()
    expect(isConnectionError(taken)).toBe(false)
    expect(isConnectionError(Object.assign(new Error("x"), { code: "EPIPE", path: "/data/file" }))).toBe(
      false
    )
    for (const error of [
      new TypeError("x is not a function"),
      new RangeError("x"),
      "text",
      null,
      { code: "EPIPE" }
    ])
      expect(isConnectionError(error)).toBe(false)
  })

  it("is logged by its code and place, without its message", () => {
    const error = Object.assign(new Error("connect ECONNREFUSED 10.0.0.5:5432"), { code: "ECONNREFUSED" })
    const line = connectionErrorLine(error)
    expect(JSON.parse(line)).toMatchObject({ level: "warning", code: "ECONNREFUSED", at: expect.any(Array) })
    expect(line).not.toContain("10.0.0.5")
  })
})

describe("an address of a database", () => {
  it.each([
    ["postgres://kanon:s3cret@db.internal:5432/kanon", "postgres://kanon:***@db.internal:5432/kanon"],
    ["postgres://db.internal/kanon?password=s3cret", "postgres://db.internal/kanon?password=***"],
    ["postgres://kanon@db.internal/kanon", "postgres://kanon@db.internal/kanon"],
    ["s3cret", "[no address]"]
  ])("is shown without its password: %s", (address, expected) => {
    expect(withoutPassword(address)).toBe(expected)
  })
})
