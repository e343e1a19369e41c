import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  cohenKappa,
  comparePaired,
  compareRuns,
  correctJudgedRate,
  groupLetters,
  holm,
  krippendorffAlpha,
  predictionPoweredMean,
  randomFrom,
  scoreRun
} from "../../../../core/answers/measures/index.js"
import { naiveAlpha } from "../../../support/naive-metrics.js"
import { runs } from "../../../support/runs.js"

interface SignificanceCase {
  readonly name: string
  readonly a: ReadonlyArray<number>
  readonly b: ReadonlyArray<number>
  readonly n: number
  readonly meanDiff: number
  readonly wins: number
  readonly ties: number
  readonly losses: number
  readonly t: number | null
  readonly pT: number | null
  readonly dz: number | null
  readonly tInterval95: readonly [number, number] | null
  readonly pRandomizationExact: number
  readonly bootstrapExact95?: readonly [number, number]
}

const golden: {
  readonly significance: ReadonlyArray<SignificanceCase>
  readonly holm: ReadonlyArray<{
    readonly p: ReadonlyArray<number>
    readonly adjusted: ReadonlyArray<number>
  }>
} = JSON.parse(readFileSync(new URL("../../../fixtures/golden/evaluation.json", import.meta.url), "utf8"))

const near = (value: number | null | undefined, expected: number | null): void => {
  if (expected === null) expect(value).toBeNull()
  else expect(Math.abs((value ?? Number.NaN) - expected)).toBeLessThan(1e-9)
}

const byTopic = (values: ReadonlyArray<number>) => new Map(values.map((value, at) => [`t${at}`, value]))

describe("a paired comparison", () => {
  it.each(golden.significance)("equals the golden values: $name", (one) => {
    for (const compared of [comparePaired(one.a, one.b), comparePaired(byTopic(one.a), byTopic(one.b))]) {
      expect([compared.n, compared.wins, compared.ties, compared.losses]).toEqual([
        one.n,
        one.wins,
        one.ties,
        one.losses
      ])
      near(compared.meanDiff, one.meanDiff)
      near(compared.t.t, one.t)
      near(compared.t.p, one.pT)
      near(compared.dz, one.dz)
      for (const at of [0, 1]) near(compared.t.interval?.[at] ?? null, one.tInterval95?.[at] ?? null)
      near(compared.randomisation.p, one.pRandomizationExact)
      expect(compared.randomisation.exact).toBe(true)
      for (const at of one.bootstrapExact95 === undefined ? [] : [0, 1])
        near(compared.bootstrap[at], one.bootstrapExact95?.[at] ?? null)
    }
  })

  it("refuses runs over other topics, no topics, and values that are no numbers", () => {
    expect(() => comparePaired([1, 2], [1])).toThrow(/same topics/)
    expect(() => comparePaired(new Map([["a", 1]]), new Map([["b", 1]]))).toThrow(/same topics/)
    expect(() => comparePaired(new Map([["a", 1]]), [1])).toThrow(/same topics/)
    expect(() => comparePaired([], [])).toThrow(/no topic/)
    expect(() => comparePaired([1], [Number.NaN])).toThrow(/finite/)
  })

  it("draws a p near the exact one above 16 topics, and the same for the same seed", () => {
    const zero = Array.from({ length: 20 }, () => 0)
    // Only the two outermost of 2^20 sign patterns reach the mean of 20 equal differences.
    expect(
      comparePaired(
        zero,
        zero.map(() => 1),
        { draws: 1000 }
      ).randomisation
    ).toEqual({
      p: 1 / 1001,
      exact: false
    })
    const swinging = zero.map((_, i) => (i % 2 === 0 ? 1 : -1))
    expect(comparePaired(zero, swinging, { draws: 1000 }).randomisation.p).toBe(1)
    const random = randomFrom(4)
    const values = zero.map(() => random() - 0.4)
    expect(comparePaired(zero, values, { seed: 3 })).toEqual(comparePaired(zero, values, { seed: 3 }))
  })

  it("turns round when the runs change places, and moves by any shift", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })), {
          minLength: 2,
          maxLength: 10
        }),
        (pairs) => {
          const [a, b] = [pairs.map(([x]) => x / 20), pairs.map(([, y]) => y / 20)]
          const [there, back] = [comparePaired(a, b), comparePaired(b, a)]
          near(there.meanDiff, -back.meanDiff)
          expect([there.wins, there.losses]).toEqual([back.losses, back.wins])
          expect(there.randomisation).toEqual(back.randomisation)
          near(there.t.p, back.t.p)
        }
      ),
      { numRuns: runs(50) }
    )
  })

  it("treats topics of one cluster as one observation", () => {
    const random = randomFrom(5)
    const clusters = Array.from({ length: 40 }, (_, at) => `c${Math.floor(at / 10)}`)
    const shift = [0.3, -0.2, 0.25, 0.1]
    const run = clusters.map((_, at) => (shift[Math.floor(at / 10)] ?? 0) + 0.01 * random())
    const zero = run.map(() => 0)
    const [naive, clustered] = [comparePaired(zero, run), comparePaired(zero, run, { clusters })]
    expect([naive.units, clustered.units]).toEqual([40, 4])
    expect(naive.randomisation.p).toBeLessThan(0.01)
    expect(clustered.randomisation.p).toBeGreaterThan(0.2)
    expect(clustered.t.p ?? 0).toBeGreaterThan(0.2)
    // One topic a cluster changes nothing.
    const alone = comparePaired(zero, run, { clusters: run.map((_, at) => `c${at}`) })
    expect(alone).toEqual(naive)
  })

  it("finds a difference of the size it names in about four of five topic sets", () => {
    const random = randomFrom(6)
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    const draw = (shift: number) => Array.from({ length: 30 }, () => shift + normal())
    const zero = draw(0).map(() => 0)
    const mde = (Math.sqrt(1 / 30) * 2.9) as number
    const found = Array.from({ length: 300 }, () => comparePaired(zero, draw(mde), { draws: 200 }).t.p ?? 1)
    const share = found.filter((p) => p < 0.05).length / found.length
    expect(share).toBeGreaterThan(0.7)
    expect(share).toBeLessThan(0.9)
    expect(comparePaired(zero, draw(0)).mde ?? 0).toBeGreaterThan(0.35)
  })

  // It takes one second alone; on a core that other tests share, the CPU time of one try can be twice that.
  it("takes under two seconds for 10,000 topics with 100,000 judgments", { retry: 2 }, () => {
    const random = randomFrom(7)
    const topics = Array.from({ length: 10_000 }, (_, at) => `q${at}`)
    const qrels = new Map(
      topics.map((topic) => [topic, new Map(Array.from({ length: 10 }, (_, at) => [`d${at}`, at % 4]))])
    )
    const drawn = () =>
      new Map(
        topics.map((topic) => [
          topic,
          Array.from({ length: 20 }, (_, at) => ({ id: `d${at}`, score: random() }))
        ])
      )
    const [a, b] = [drawn(), drawn()]
    const before = process.cpuUsage()
    const values = [a, b].map((run) => {
      const { perTopic } = scoreRun(run, qrels, { metrics: ["ndcg@10"] })
      return new Map([...perTopic].map(([topic, scores]) => [topic, scores["ndcg@10"] ?? 0]))
    })
    const [left = new Map(), right = new Map()] = values
    const { n } = comparePaired(left, right)
    const { system, user } = process.cpuUsage(before)
    expect(n).toBe(10_000)
    expect((system + user) / 1e6).toBeLessThan(2)
  })
})

describe("several comparisons", () => {
  it.each(golden.holm)("are corrected by Holm's method: $p", ({ adjusted, p }) => {
    for (const [at, value] of holm(p).entries()) near(value, adjusted[at] ?? null)
  })

  it("mark the runs that cannot be told apart", () => {
    const random = randomFrom(8)
    const noise = (level: number) =>
      new Map(Array.from({ length: 60 }, (_, at) => [`t${at}`, level + 0.05 * random()]))
    const table = compareRuns(
      new Map([
        ["weak", noise(0.2)],
        ["good", noise(0.5)],
        ["alike", noise(0.5)]
      ])
    )
    const groupOf = (name: string) => table.runs.find((run) => run.name === name)?.group
    expect(groupOf("good")).toBe(groupOf("alike"))
    expect(groupOf("weak")).not.toBe(groupOf("good"))
    for (const { meanDiff, simultaneous, t } of table.pairs) {
      expect(simultaneous[0]).toBeLessThanOrEqual(t.interval?.[0] ?? meanDiff)
      expect(simultaneous[1]).toBeGreaterThanOrEqual(t.interval?.[1] ?? meanDiff)
    }
  })

  it("share a letter exactly where they are not apart", () => {
    const names = ["a", "b", "c", "d", "e"]
    const allPairs = names.flatMap((a, at) => names.slice(at + 1).map((b) => [a, b] as const))
    fc.assert(
      fc.property(fc.subarray(allPairs), (apart) => {
        const letters = groupLetters(names, apart)
        for (const [a, b] of allPairs) {
          const shared = [...(letters.get(a) ?? "")].some((letter) => letters.get(b)?.includes(letter))
          expect(shared).toBe(!apart.some(([x, y]) => x === a && y === b))
        }
      }),
      { numRuns: runs(100) }
    )
  })
})

describe("agreement of judges", () => {
  it("gives Cohen's kappa of the textbook table", () => {
    // 20 both yes, 5 only the first, 10 only the second, 15 both no: kappa 0.4.
    const rows = [
      ...Array.from({ length: 20 }, () => [1, 1] as const),
      ...Array.from({ length: 5 }, () => [1, 0] as const),
      ...Array.from({ length: 10 }, () => [0, 1] as const),
      ...Array.from({ length: 15 }, () => [0, 0] as const)
    ]
    near(
      cohenKappa(
        rows.map(([a]) => a),
        rows.map(([, b]) => b)
      ),
      0.4
    )
    expect(cohenKappa(["x"], ["x"])).toBe(1)
    expect(() => cohenKappa([1], [])).toThrow(/same items/)
  })

  it("gives Krippendorff's alpha of his own example", () => {
    // Krippendorff 2011, example C: four observers, twelve units.
    const observers = [
      [1, 2, 3, 3, 2, 1, 4, 1, 2, null, null, null],
      [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, null, 3],
      [null, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, null],
      [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, null]
    ]
    const units = Array.from({ length: 12 }, (_, at) => observers.map((labels) => labels[at]))
    expect(krippendorffAlpha(units, { level: "nominal" })).toBeCloseTo(0.743, 3)
    expect(krippendorffAlpha(units, { level: "ordinal" })).toBeCloseTo(0.815, 3)
    expect(krippendorffAlpha(units, { level: "interval" })).toBeCloseTo(0.849, 3)
  })

  it("equals the definition over all pairs", () => {
    const label = fc.option(fc.nat(3), { nil: null })
    fc.assert(
      fc.property(
        fc.array(fc.array(label, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
        (units) => {
          fc.pre(units.some((unit) => unit.filter((one) => one !== null).length > 1))
          near(
            krippendorffAlpha(units, { level: "nominal" }),
            naiveAlpha(units, (a, b) => (a === b ? 0 : 1))
          )
          near(
            krippendorffAlpha(units, { level: "interval" }),
            naiveAlpha(units, (a, b) => (a - b) ** 2)
          )
        }
      ),
      { numRuns: runs(100) }
    )
  })

  it("corrects a judged rate so that the interval covers the truth about 95 times in 100", () => {
    const random = randomFrom(9)
    const hits = (n: number, p: number) =>
      Array.from({ length: n }, () => random() < p).filter(Boolean).length
    const [truth, sensitivity, specificity, n] = [0.6, 0.9, 0.75, 400]
    const trials = Array.from({ length: 400 }, () => {
      const positives = hits(n, truth)
      const positive = hits(positives, sensitivity) + (n - positives) - hits(n - positives, specificity)
      return correctJudgedRate({
        judged: { positive, n },
        calibration: {
          truePositive: hits(60, sensitivity),
          positives: 60,
          trueNegative: hits(60, specificity),
          negatives: 60
        }
      })
    })
    const covered = (interval: readonly [number, number] | null) =>
      interval !== null && interval[0] <= truth && truth <= interval[1]
    const share = trials.filter(({ interval }) => covered(interval)).length / trials.length
    expect(share).toBeGreaterThan(0.91)
    const mean = (values: ReadonlyArray<number>) => values.reduce((a, b) => a + b, 0) / values.length
    expect(Math.abs(mean(trials.map(({ corrected }) => corrected ?? 0)) - truth)).toBeLessThan(0.02)
    expect(Math.abs(mean(trials.map(({ raw }) => raw)) - truth)).toBeGreaterThan(0.03)
    const blind = { truePositive: 5, positives: 10, trueNegative: 5, negatives: 10 }
    expect(correctJudgedRate({ judged: { positive: 5, n: 10 }, calibration: blind }).corrected).toBeNull()
  })

  it("estimates a mean from few labels and many scores more tightly than from the labels alone", () => {
    const random = randomFrom(10)
    const item = () => {
      const label = random() < 0.4 ? 1 : 0
      return { label, predicted: label === 1 ? 0.6 + 0.4 * random() : 0.5 * random() }
    }
    const labelled = Array.from({ length: 80 }, item)
    const unlabelled = Array.from({ length: 4000 }, () => item().predicted)
    const { estimate, interval, lambda } = predictionPoweredMean(labelled, unlabelled)
    expect(Math.abs(estimate - 0.4)).toBeLessThan(0.06)
    expect(lambda).toBeGreaterThan(0.5)
    expect(interval[1] - interval[0]).toBeLessThan(2 * 1.96 * Math.sqrt((0.4 * 0.6) / 80))
  })
})
