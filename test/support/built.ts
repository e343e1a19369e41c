import { setTimeout } from "node:timers/promises"
import { inject } from "vitest"
import { builtIn } from "./built-note.js"

// Loaded before every test file that may run what is built: it waits until that is there.
const lookAgainMs = 100
let built = builtIn(inject("consumer"))
while (built === null) {
  await setTimeout(lookAgainMs)
  built = builtIn(inject("consumer"))
}
if (built.error !== null) throw new Error(`Nothing was built: ${built.error}`)
