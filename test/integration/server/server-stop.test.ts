import { once } from "node:events"
import { setTimeout as pause } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "vitest"
import { listen } from "../../../server/listen.js"

const limits = { headersTimeoutMs: 60_000, bodyTimeoutMs: 60_000, sendTimeoutMs: 60_000, shutdownMs: 60_000 }

/**
 * Keeps each of many connections alive and asks one thing after the other over it, now and then after a pause, until
 * the server closes it. Reports how each connection ended.
 */
const keptAlive = `
  const { parentPort, workerData } = require("node:worker_threads")
  const { Agent, get } = require("node:http")
  const { setTimeout: pause } = require("node:timers/promises")
  const { port, count } = workerData
  const ask = (agent) => new Promise((resolve) => {
    const request = get({ agent, port, host: "127.0.0.1", path: "/" }, (response) => {
      let text = ""
      response.setEncoding("utf8").on("data", (part) => { text += part })
      response.on("error", (error) => resolve(error.code))
      response.on("end", () => resolve(text !== "whole" ? "cut" : response.headers.connection))
    })
    request.on("error", (error) => resolve(error.code))
  })
  const one = async (_, at) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = 0; ; turn++) {
      if (turn === 1) parentPort.postMessage("answered")
      const ended = await ask(agent)
      if (ended !== "keep-alive") return ended
      if (at % 2 === 0) await pause((turn + at) % 30)
    }
  }
  Promise.all(Array.from({ length: count }, one)).then((ends) => parentPort.postMessage(ends))
`

describe("a stop under load", () => {
  it.each([28, 50])("resets none of %i connections that are kept alive", async (count) => {
    const serve = async () => {
      await pause(5)
      return new Response("whole")
    }
    const own = await listen(serve, { host: "127.0.0.1", port: 0, ...limits })
    const client = new Worker(keptAlive, { eval: true, workerData: { port: own.port, count } })
    const ended = new Promise<unknown>((resolve) => {
      client.on("message", (message) => Array.isArray(message) && resolve(message))
    })
    for (let answered = 0; answered < count; answered++) await once(client, "message")
    await pause(50)
    const stopped = own.close()
    // The last answer of each connection says that it is the last.
    expect(await ended).toEqual(Array.from({ length: count }, () => "close"))
    await stopped
    await client.terminate()
  })
})
