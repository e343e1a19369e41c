#!/usr/bin/env node
import { createRequire } from "node:module"

const { version }: { readonly version: string } = createRequire(import.meta.url)("kanon/package.json")
const words = process.argv.slice(2)

// The one question that needs nothing else is answered before anything else is loaded.
if (words.length === 1 && words[0] === "--version") process.stdout.write(`${version}\n`)
else {
  const { main } = await import("./app.js")
  main(words, version)
}
