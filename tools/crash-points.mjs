// Prints every crash point with what is done and what is not done there.
import { crashPoints } from "../core/platform/kernel/crash-point.js"

const width = Math.max(...Object.keys(crashPoints).map((name) => name.length))
for (const [name, sentence] of Object.entries(crashPoints)) console.log(`${name.padEnd(width)}  ${sentence}`)
