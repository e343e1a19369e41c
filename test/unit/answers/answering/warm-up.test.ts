import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import { warmUpAnswers } from "../../../../core/answers/answering/index.js"
import { answerTo } from "../../../support/answers.js"
import { passageOf } from "../../../support/passages.js"

const cpuOf = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { system, user } = process.cpuUsage(before)
  return (user + system) / 1000
}

it("a warmed process answers its first question for a fraction of what the warm-up costs, and others get turns", async () => {
  let turns = 0
  const ticking = setInterval(() => {
    turns += 1
  }, 0)
  const before = process.cpuUsage()
  await Effect.runPromise(warmUpAnswers)
  const { system, user } = process.cpuUsage(before)
  clearInterval(ticking)
  expect(turns).toBeGreaterThan(10)
  const page = passageOf({
    title: "Crane",
    path: "crane.md",
    text: "The harbour crane lifts 40 tonnes. It was built in 1968 by Ida Falk."
  })
  const first = cpuOf(() => answerTo("How many tonnes does the harbour crane lift?", [page]))
  expect(first).toBeLessThan((user + system) / 1000 / 2)
})

it("an interrupted warm-up ends", async () => {
  const warming = Effect.runFork(warmUpAnswers)
  await Effect.runPromise(Fiber.interrupt(warming))
})
