// Sends requests whose bodies never come, all at once: `URL KEY FILE`, with a line `METHOD PATH body` for each operation
// that takes one. Prints `METHOD PATH STATUS CODE` for each.
import { readFileSync } from "node:fs"
import { request } from "node:http"

const [url, key, file] = process.argv.slice(2)
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": 10 }

const askFor = (method, path) =>
  new Promise((resolve) => {
    const outgoing = request(`${url}${path}`, { agent: false, headers, method })
    outgoing.once("error", ({ message }) => resolve(`${method} ${path} ${message}`))
    outgoing.once("response", async (incoming) => {
      let text = ""
      for await (const part of incoming.setEncoding("utf8")) text += part
      outgoing.destroy()
      resolve(`${method} ${path} ${incoming.statusCode} ${JSON.parse(text).error}`)
    })
    outgoing.flushHeaders()
  })

const wanted = readFileSync(file, "utf8")
  .split("\n")
  .map((line) => line.split(" "))
  .filter(([, , body]) => body === "body")
for (const line of await Promise.all(wanted.map(([method, path]) => askFor(method, path))))
  process.stdout.write(`${line}\n`)
