// The program of the built command, run again and again in this process: each command line in a place and with an
// environment of its own. Those in one environment share its modules, which take most of the time of a command, unless
// each is to have its own as if it had been started (`anew`).
import { readdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Readable } from "node:stream"
import { Script } from "node:vm"

const [, , folder = "", modules] = process.argv
const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".cjs")) ?? "")
const require = createRequire(file)
const { version } = require("kanon/package.json")
const program = new Script(readFileSync(file, "utf8"), { filename: file })

const evaluate = () => {
  const module = { exports: {} }
  return program.runInThisContext()(module.exports, require, module, file, dirname(file))
}

/** Programs by their environment, the one that was used last at the end; a few, as each holds its modules. */
const shared = new Map()
const sharedMax = 4

/** The program in this environment, which some of its modules read while they are loaded. */
const mainIn = (env) => {
  if (modules === "anew") return evaluate().main
  const told = JSON.stringify(Object.entries(env).sort())
  const main = shared.get(told) ?? evaluate().main
  shared.delete(told)
  shared.set(told, main)
  if (shared.size > sharedMax) shared.delete(shared.keys().next().value)
  return main
}

const heard = ["SIGINT", "SIGTERM", "uncaughtException"]
const { exit } = process
let turn = Promise.resolve()

/** Collects what is written, and says that it was taken. */
const taking = (pieces) => (piece, encoding, taken) => {
  pieces.push(typeof piece === "string" ? Buffer.from(piece, "utf8") : Buffer.from(piece))
  const done = typeof encoding === "function" ? encoding : taken
  if (done !== undefined) setImmediate(done)
  return true
}

const run = ({ args, cwd, env, input }) =>
  new Promise((resolve) => {
    process.chdir(cwd)
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, env)
    process.exitCode = undefined
    const [out, err] = [[], []]
    process.stdout.write = taking(out)
    process.stderr.write = taking(err)
    Object.defineProperty(process, "stdin", {
      value: Readable.from([Buffer.from(input)]),
      configurable: true
    })
    process.exit = (code) => {
      for (const name of heard) process.removeAllListeners(name)
      for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners("error")
      // Later calls are ignored, since a real process would have ended.
      process.exit = () => undefined
      const said = [out, err].map((pieces) => Buffer.concat(pieces).toString("utf8"))
      resolve({ status: code ?? process.exitCode ?? 0, stdout: said[0], stderr: said[1] })
    }
    mainIn(env)(args, version)
  })

process.on("message", (asked) => {
  turn = turn.then(() => run(asked)).then((ran) => void process.send(ran))
})
process.on("disconnect", () => exit(0))
