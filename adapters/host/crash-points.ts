import { writeSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type CrashPointName, CrashPoints, crashPoints } from "../../core/platform/kernel/index.js"

/** The armed crash point: `KANON_CRASH_AT=name` or `name:n` for its n-th visit, together with `KANON_TEST=1`. */
interface Armed {
  readonly text: string
  readonly name: string
  visitsLeft: number
}

let armed: Armed | null = null

/** Two variables are required, so that a stray one in a shell profile cannot kill a process. */
const armedName = (): string | undefined =>
  process.env["KANON_TEST"] === "1" ? process.env["KANON_CRASH_AT"] : undefined

const readArmed = (): Armed | null => {
  const text = armedName()
  if (text === undefined || text === "") return null
  if (armed?.text === text) return armed
  const [name = "", count = "1"] = text.split(":")
  const visitsLeft = Number(count)
  if (!Object.hasOwn(crashPoints, name)) throw new Error(`There is no crash point ${name}.`)
  if (!Number.isSafeInteger(visitsLeft) || visitsLeft < 1) throw new Error(`${text} names no visit.`)
  armed = { text, name, visitsLeft }
  return armed
}

/** Kills this process at once when this crash point is armed; for adapter code that is not an Effect. */
export const visitCrashPoint = (name: CrashPointName): void => {
  const point = readArmed()
  if (point?.name !== name) return
  point.visitsLeft -= 1
  if (point.visitsLeft > 0) return
  writeSync(2, `crash point ${name}\n`)
  process.kill(process.pid, "SIGKILL")
  // Blocks until the signal takes effect.
  for (;;);
}

/** Arms the crash point named in the environment, if any. */
export const crashPointsFromEnvironment: Layer.Layer<never> = Layer.unwrapEffect(
  Effect.sync(() => (readArmed() === null ? Layer.empty : Layer.succeed(CrashPoints, visitCrashPoint)))
)
