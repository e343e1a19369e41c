import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { guardedFetch, refusalOf } from "../../../../adapters/models/guarded-fetch.js"
import { openAiCompatibleChat } from "../../../../adapters/models/index.js"
import { misbehaving, says } from "../../../support/misbehaving.js"

describe("addresses that workspaces choose", () => {
  const own = [
    "127.0.0.1",
    "localhost",
    "x.localhost",
    "10.1.2.3",
    "192.168.0.1",
    "172.20.0.1",
    "100.64.0.1",
    "[::1]",
    "[fd12::1]",
    "[::ffff:10.0.0.1]",
    "0x7f.1",
    "2130706433"
  ]
  const never = [
    "169.254.169.254",
    "0.0.0.0",
    "[::]",
    "[fe80::1]",
    "224.0.0.1",
    "255.255.255.255",
    "[fd00:ec2::254]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::169.254.169.254]",
    "[2002:a9fe:a9fe::1]",
    "168.63.129.16",
    "[::ffff:168.63.129.16]",
    "100.100.100.200",
    "192.0.0.192",
    "[fd20:ce::254]"
  ]

  it.each(own)("are refused in private networks unless they are allowed: %s", (host) => {
    expect(refusalOf(`http://${host}/v1`, { privateAddresses: false })).toContain("private network")
    expect(refusalOf(`http://${host}/v1`, { privateAddresses: true })).toBeNull()
  })

  it.each(never)("are refused on the link itself, and where nobody is: %s", (host) => {
    for (const privateAddresses of [true, false])
      expect(refusalOf(`http://${host}/v1`, { privateAddresses })).not.toBeNull()
  })

  it.each(["https://api.example.org/v1", "http://93.184.215.14/", "https://[2606:2800:21f:cb07::1]/"])(
    "are let through elsewhere: %s",
    (url) => {
      expect(refusalOf(url, { privateAddresses: false })).toBeNull()
    }
  )

  it("are looked at again when their name is, so that nothing is sent", async () => {
    const { close, received, url } = await misbehaving((_, response) => says(response, {}))
    const fetch = guardedFetch({ privateAddresses: false, responseMaxBytes: 1000 })
    const model = openAiCompatibleChat({ baseUrl: url, model: "fake", fetch, patience: { attempts: 2 } })
    const asked = model.generate({
      messages: [{ role: "user", content: "Question." }],
      schema: { name: "reply", json: { type: "object" } },
      maxOutputTokens: 100
    })
    const failure = await Effect.runPromise(Effect.flip(asked)).finally(close)
    expect([failure.retryable, failure.message]).toEqual([false, expect.stringContaining("private network")])
    expect(received).toEqual([])
  })
})
