import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"

const canonical = (value) =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(",")}]`
    : value !== null && typeof value === "object"
      ? `{${Object.keys(value)
          .sort()
          .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
          .join(",")}}`
      : JSON.stringify(value)
const sha256 = (text) => createHash("sha256").update(text).digest("hex")

const [file, workspaceId] = process.argv.slice(2)
let before = sha256(`kanon-audit:${workspaceId}`)
for (const line of readFileSync(file, "utf8").trimEnd().split("\n")) {
  const { hash, ...event } = JSON.parse(line)
  if (event.prevHash !== before || sha256(canonical(event)) !== hash) throw new Error(`broken at ${event.id}`)
  before = hash
}
console.log("whole, head", before)
