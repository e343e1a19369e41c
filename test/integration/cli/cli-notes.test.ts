import { stripVTControlCharacters } from "node:util"
import * as Cause from "effect/Cause"
import { describe, expect, it } from "vitest"
import { warningLine } from "../../../server/cli/progress.js"

const program = (message: unknown, cause: Cause.Cause<unknown> = Cause.empty): unknown =>
  JSON.parse(warningLine(true, message, cause))

describe("a warning on the command line", () => {
  it("is one line of words with its cause, and no stack", () => {
    const cause = Cause.die(new Error("disk\nfull"))
    expect(program(["Jobs: no heartbeat.", cause])).toEqual({ warning: "Jobs: no heartbeat. disk full" })
    expect(program("Jobs: no heartbeat.", cause)).toEqual({ warning: "Jobs: no heartbeat. disk full" })
    expect(stripVTControlCharacters(warningLine(false, ["Down."], Cause.empty))).toBe("Note: Down.")
  })

  it("cannot be forged or act on the terminal, whatever a server has said", () => {
    const said = "Down.\u001b[2J\u202e\r\nkanon: all is well"
    expect(program([said])).toEqual({ warning: "Down. kanon: all is well" })
    const circular: Record<string, unknown> = { size: 1n }
    circular["self"] = circular
    expect(warningLine(true, [circular], Cause.empty).split("\n")).toHaveLength(1)
  })
})
