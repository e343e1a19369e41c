import { expect } from "vitest"
import { z } from "zod"
import { kanon } from "./cli.js"

/** Three notes, one of them with front matter that cannot be read. */
export const files = {
  "birds/kestrel.md":
    "---\ntitle: Kestrel\naliases: [Windhover]\ntags: [falcon]\ntype: bird\n---\n\nThe kestrel hovers at a height of 25 metres. It hunts [[vole|voles]].\n",
  "mammals/vole.md":
    "---\ntitle: Vole\ntype: mammal\ntags: [prey]\n---\n\n# Vole\n\nA vole weighs 30 grams.\n",
  "broken.md": "---\ntitle: [unclosed\n---\n\n# Broken\n\nFront matter that is no YAML.\n"
}

/** Runs a command that must end well and print exactly one JSON document and nothing else. */
export const read = <Schema extends z.ZodType>(
  schema: Schema,
  notes: string,
  ...args: ReadonlyArray<string>
) => {
  const { status, stderr, stdout } = kanon(["--json", ...args], { cwd: notes })
  expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: "" })
  expect(stdout.endsWith("\n")).toBe(true)
  expect(stdout.trimEnd()).not.toContain("\n")
  return schema.parse(JSON.parse(stdout))
}

/** The code and exit status of a command that must fail. */
export const failure = (notes: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = kanon([...args, "--json"], { cwd: notes })
  expect(stdout).toBe("")
  expect(stderr.trim().split("\n")).toHaveLength(1)
  const { error, message } = z
    .strictObject({ error: z.string(), message: z.string() })
    .parse(JSON.parse(stderr))
  expect(message).not.toBe("")
  return [status, error]
}
