import { describe, expect, it } from "vitest"
import { errorToMessage, faultFrom } from "../../../../adapters/sqlite/work-thread-messages.js"
import {
  Conflict,
  DataBusy,
  DataFull,
  DataReadOnly,
  DataTooNew,
  DataUnavailable,
  InvalidInput,
  KanonError,
  NotFound,
  VaultUnavailable
} from "../../../../core/platform/kernel/index.js"

const faults = [
  new Conflict({ message: "taken", existingId: "doc_1" }),
  new DataBusy({ message: "busy", retryAfterSeconds: 1 }),
  new DataFull({}),
  new DataReadOnly(),
  new DataUnavailable({ outcome: "unknown", retryAfterSeconds: 2 }),
  new DataTooNew({ schema: 12, newestKnown: 9, madeBy: "9.9.9", program: "0.1.0" }),
  new InvalidInput({ issues: [{ path: ["a", 0], code: "odd", message: "is odd" }] }),
  new NotFound({ what: "document" }),
  new VaultUnavailable({ code: "EACCES", message: "Permission denied." })
]

describe("what goes wrong in a thread", () => {
  it.each(faults.map((fault) => [fault._tag, fault] as const))(
    "crosses as the very fault: %s",
    (_, fault) => {
      const crossed = structuredClone(errorToMessage(fault))
      if (!("fault" in crossed)) throw new Error("It crossed as something else.")
      const arrived = faultFrom(crossed.fault)
      expect(arrived).toEqual(fault)
      const [there, here] = [new KanonError(fault), new KanonError(arrived)]
      expect([here.code, here.message]).toEqual([there.code, there.message])
    }
  )

  it("crosses as an error with its name and place, when it is none", () => {
    const broken = new TypeError("no such thing")
    expect(structuredClone(errorToMessage(broken))).toEqual({
      defect: { name: "TypeError", message: "no such thing", stack: broken.stack }
    })
    expect(errorToMessage("words")).toMatchObject({ defect: { name: "Error", message: "words" } })
  })
})
