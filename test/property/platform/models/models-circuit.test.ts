import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { admit, type Circuit, closedCircuit, record } from "../../../../adapters/models/circuit.js"

const circuitAfter = (outcomes: ReadonlyArray<boolean>, now = 0): Circuit =>
  outcomes.reduce((circuit, success) => record(circuit, success, now), closedCircuit)

describe("the circuit of a model", () => {
  it("opens after five failures in a row, and not before", () => {
    expect(admit(circuitAfter([false, false, false, false]), 0).admitted).toBe(true)
    expect(admit(circuitAfter([false, false, false, false, false]), 0)).toEqual({
      admitted: false,
      retryAfterMs: 30_000
    })
  })

  it("opens when half of the last twenty failed", () => {
    const half = Array.from({ length: 20 }, (_, at) => at % 2 === 0)
    expect(admit(circuitAfter(half.slice(0, 19)), 0).admitted).toBe(true)
    expect(admit(circuitAfter(half), 0).admitted).toBe(false)
  })

  it("lets one probe through after thirty seconds, which decides", () => {
    const open = circuitAfter(
      Array.from({ length: 5 }, () => false),
      1000
    )
    expect(admit(open, 30_999).admitted).toBe(false)
    const probe = admit(open, 31_000)
    if (!probe.admitted) throw new Error("no probe")
    expect(admit(probe.circuit, 31_000).admitted).toBe(false)
    expect(admit(record(probe.circuit, true, 31_500), 31_500).admitted).toBe(true)
    expect(admit(record(probe.circuit, false, 31_500), 31_500)).toEqual({
      admitted: false,
      retryAfterMs: 30_000
    })
  })

  it("is never shut for good, and a provider that always answers is never shut out", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 60 }), (outcomes) => {
        const circuit = circuitAfter(outcomes)
        expect(admit(circuit, 30_000).admitted).toBe(true)
        expect(admit(circuitAfter(outcomes.map(() => true)), 0).admitted).toBe(true)
      })
    )
  })
})
