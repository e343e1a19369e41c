/**
 * Converts files of other formats to Markdown: HTML, PDF, DOCX, PPTX, XLSX, CSV, EML, EPUB, ODT and plain text. Each
 * conversion runs in a child process with limits on time and memory; libraries are loaded when they are needed.
 */
import { availableParallelism } from "node:os"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pool from "effect/Pool"
import * as Scope from "effect/Scope"
import {
  ConversionFailed,
  type ConvertedFile,
  type ConvertibleFile,
  convertibleBytesMax,
  defaultFormatMemoryMb,
  defaultFormatTimeoutMs,
  FormatConverter
} from "../../core/files/documents/index.js"
import {
  chosenLayer,
  mergeServices,
  type ServiceLayer,
  serviceLayer
} from "../../core/platform/kernel/index.js"
import { FormatTasks } from "./format-tasks.js"
import { ConversionCrashed, startProcess } from "./process.js"
import { archiveTasks } from "./tasks.js"

export {
  ConversionFailed,
  type ConversionFailure,
  type ConvertedAttachment,
  type ConvertedFile,
  type ConvertibleFile,
  convertibleBytesMax,
  FormatConverter
} from "../../core/files/documents/index.js"
export { convertibleMediaType, isConvertible } from "../../core/files/markdown/index.js"

/** Limits of time, memory and processes for the format converter. */
export interface ConverterOptions {
  /** Milliseconds that the conversion of one file may take; 30,000 by default. */
  readonly formatTimeoutMs?: number
  /** Mebibytes of memory that the conversion of one file may take; 512 by default. */
  readonly formatMemoryMb?: number
  /** Child processes at the most: as many as there are processors, up to 4, by default. */
  readonly processes?: number
}

/** Seconds after which a process that has nothing to do ends. */
const idleSeconds = 10
/** A process is replaced after so many files, or when it holds half of its memory: what libraries leak goes with it. */
const filesPerProcess = 2000

/** The converter as a service. Processes start with the first file, and end with the scope. */
export const formatConverter = (
  options: ConverterOptions = {}
): ServiceLayer<FormatConverter | FormatTasks, never, Scope.Scope> =>
  chosenLayer(
    Effect.map(makeTasks(options), (tasks) =>
      mergeServices(
        serviceLayer(FormatTasks, Effect.succeed(tasks)),
        serviceLayer(FormatConverter, Effect.succeed(converterOf(tasks)))
      )
    )
  )

const converterOf = ({ run }: FormatTasks["Type"]): FormatConverter["Type"] => ({
  convert: (file) =>
    file.bytes.byteLength > convertibleBytesMax ? Effect.fail(tooLarge) : run("convert", file)
})

/** Processes that a file may end before it counts as the cause. */
const crashesMax = 3

/** Archives are read one at a time, in processes of their own. */
const archiveLimits = { timeoutMs: 120_000, memoryMb: 1536 }

const makeTasks = ({
  formatMemoryMb = defaultFormatMemoryMb,
  formatTimeoutMs = defaultFormatTimeoutMs,
  processes = Math.min(4, availableParallelism())
}: ConverterOptions): Effect.Effect<FormatTasks["Type"], never, Scope.Scope> =>
  Effect.gen(function* () {
    const oneArchive = yield* Effect.makeSemaphore(1)
    const pool = yield* Pool.makeWithTTL({
      acquire: Effect.map(
        startProcess({ timeoutMs: formatTimeoutMs, memoryMb: formatMemoryMb }),
        (process) => ({ process, files: 0 })
      ),
      min: 0,
      max: processes,
      timeToLive: `${idleSeconds} seconds`,
      timeToLiveStrategy: "usage"
    })
    const runOnce: FormatTasks["Type"]["run"] = (name, input) =>
      archiveTasks.has(name)
        ? Effect.flatMap(startProcess(archiveLimits), (process) => process.run(name, input)).pipe(
            Effect.scoped,
            oneArchive.withPermits(1)
          )
        : Effect.flatMap(Pool.get(pool), (worker) => {
            worker.files += 1
            const retire = Effect.suspend(() =>
              worker.process.isAlive() &&
              worker.files < filesPerProcess &&
              worker.process.memoryBytes() < (formatMemoryMb / 2) * 1024 * 1024
                ? Effect.void
                : Pool.invalidate(pool, worker)
            )
            return Effect.ensuring(worker.process.run(name, input), retire)
          }).pipe(Effect.scoped)
    return FormatTasks.of({
      // Something else on this host may have ended the process, such as the kernel when memory is short.
      run: (name, input) =>
        Effect.retry(runOnce(name, input), {
          times: crashesMax - 1,
          while: (failure) => failure instanceof ConversionCrashed
        })
    })
  })

const tooLarge = new ConversionFailed({
  code: "file_too_large",
  message: `A file that is converted has at most ${convertibleBytesMax / 1024 / 1024} MiB.`
})

/** A converter for programs without Effect. `convert` rejects with `ConversionFailed`. */
export interface Converter {
  readonly convert: (file: ConvertibleFile) => Promise<ConvertedFile>
  /** Ends the child processes. */
  readonly close: () => Promise<void>
}

/** Opens a converter. An idle one keeps no program from ending. */
export const openConverter = async (options: ConverterOptions = {}): Promise<Converter> => {
  const scope = Effect.runSync(Scope.make())
  const converter = await Effect.map(makeTasks(options), converterOf).pipe(
    Scope.extend(scope),
    Effect.runPromise
  )
  return {
    convert: async (file) => {
      const result = await Effect.runPromise(Effect.either(converter.convert(file)))
      if (result._tag === "Left") throw result.left
      return result.right
    },
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
