// Reads lines `FILE<tab>EXPRESSION` and prints the value of `it.EXPRESSION` for the JSON in the file, a line each: one
// process for a whole shell script.
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"

for await (const line of createInterface({ input: process.stdin })) {
  const [file, expression] = line.split("\t")
  let value
  try {
    value = new Function("it", `return it.${expression}`)(JSON.parse(readFileSync(file, "utf8")))
  } catch (error) {
    process.stderr.write(`walk-values: ${expression} of ${file}: ${error}\n`)
  }
  process.stdout.write(`${value}\n`)
}
