import * as Effect from "effect/Effect"
import type { YieldWrap } from "effect/Utils"
import { z } from "zod"
import type { Engine, EngineOperation } from "../../core/engine/engine/index.js"
import type { FaultTag } from "../../core/platform/kernel/index.js"
import { defined } from "../../core/platform/kernel/index.js"
import { type Failure, wrongUsage } from "./failure.js"
import {
  type ActingInput,
  actingFlags,
  argumentsOf,
  type CommonInput,
  commonFlags,
  commonInput,
  type FieldSpecs,
  flagsOf,
  type Parameter,
  readValues
} from "./flags.js"
import type { Place } from "./place.js"
import { actingAs, call, type Result, withWorkspace } from "./session.js"

/** The words of a command line: values by flag, and the arguments. */
export interface Words {
  readonly flags: ReadonlyMap<string, ReadonlyArray<string>>
  readonly arguments: ReadonlyArray<string>
}

/** A command, or a group of commands. */
export interface Command {
  readonly name: string
  readonly description: string
  /** By name, with the dashes. */
  readonly options: ReadonlyMap<string, Parameter>
  readonly arguments: ReadonlyArray<Parameter>
  /** Empty unless this is a group. */
  readonly commands: ReadonlyArray<Command>
  /** Command of a group that runs when none is named. */
  readonly defaultCommand?: string
  readonly run: (words: Words) => Effect.Effect<void, Failure>
}

/** Commands under one name. */
export const group = (
  name: string,
  description: string,
  commands: ReadonlyArray<Command>,
  defaultCommand?: string
): Command => ({
  name,
  description,
  options: new Map(),
  arguments: [],
  commands,
  run: () => wrongUsage(`${name} needs a command.`),
  ...defined({ defaultCommand })
})

/** Fields of the input that are arguments, and descriptions of the fields. */
interface Fields<Input extends z.ZodObject> {
  readonly description: string
  /** The fields that are arguments, in their order. */
  readonly arguments?: FieldSpecs<Input>
  /** Descriptions of flags beyond their schemas. */
  readonly flags?: FieldSpecs<Input>
}

/** Work of a command: an effect, or the generator of one. */
interface Running<A> {
  readonly [Symbol.iterator]: () => Iterator<YieldWrap<Effect.Effect<unknown, Failure>>, A, unknown>
}

/** The input of commands that take the common options only. */
export const noInput = z.object({})

/** A command with an input of its own: each field is a flag, unless it is an argument. */
export const command = <Input extends z.ZodObject>(
  name: string,
  row: Fields<Input> & {
    readonly input: Input
    readonly run: (input: CommonInput & z.output<Input>) => Running<void>
  }
): Command => {
  const parameters = parametersOf(row.input, row, [])
  return {
    name,
    description: row.description,
    commands: [],
    ...parameters,
    run: (words) =>
      Effect.gen(function* () {
        const values = yield* valuesOf(parameters, words)
        const common = commonInput.safeParse(values)
        if (!common.success) return yield* refused(parameters, common.error)
        const own = row.input.safeParse(values)
        if (!own.success) return yield* refused(parameters, own.error)
        yield* row.run({ ...common.data, ...own.data })
      })
  }
}

/** Context in which a command runs its operation. */
export interface OperationContext<Input extends z.ZodObject, Output extends z.ZodType> {
  readonly engine: Engine
  readonly input: z.output<Input>
  readonly place: Place
  /** Whether a program reads the result. */
  readonly json: boolean
  /** Runs the operation. */
  readonly perform: Effect.Effect<z.input<Output>, Failure>
}

type Printed<Input extends z.ZodObject, Output extends z.ZodType> =
  | {
      /** The result for people. */
      readonly print: (output: z.input<Output>, input: z.output<Input>) => string
    }
  | {
      /** For commands that read more than the operation's result. */
      readonly run: (context: OperationContext<Input, Output>) => Running<Result>
    }

type Given = Readonly<Record<string, unknown>>

/**
 * A command that runs one operation. The fields of the operation's input are flags with names, types, ranges, defaults
 * and descriptions from its schema, unless `arguments` makes them arguments, `omit` leaves them out or `form` replaces
 * them. `--json` prints the operation's output.
 */
export const operationCommand = <
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Tag extends FaultTag,
  Form extends z.ZodObject = Input
>(
  name: string,
  operation: EngineOperation<Input, Output, Tag>,
  row: Fields<Form> & {
    readonly omit?: ReadonlyArray<keyof z.input<Input>>
    /** Whether `--as` names who does it. */
    readonly acting?: boolean
    /** Completes or refuses what was given, before the workspace is opened. */
    readonly prepare?: (given: Given) => Running<Given>
    /** The fields of the command, where they are not those of the operation. */
    readonly form?: Form
    /** Makes the operation's input of the form, before the workspace is opened, or refuses it. */
    readonly toInput?: (given: z.output<Form>) => Running<Given>
  } & Printed<Input, Output>
): Command => {
  const fields: z.ZodObject = row.form ?? operation.input
  const parameters = parametersOf(fields, row, row.omit ?? [], row.acting === true)
  const all = [...parameters.arguments, ...parameters.options.values()]
  return {
    name,
    description: row.description,
    commands: [],
    ...parameters,
    run: (words) =>
      Effect.gen(function* () {
        const given = yield* valuesOf(parameters, words)
        const checkedCommon = commonActing.safeParse(given)
        if (!checkedCommon.success) return yield* refused(parameters, checkedCommon.error)
        const common: ActingInput = checkedCommon.data
        const own = Object.fromEntries(
          Object.entries(given).filter(([field]) => Object.hasOwn(fields.shape, field))
        )
        const form = row.form?.safeParse(own)
        if (form?.success === false) return yield* refused(parameters, form.error)
        const prepared =
          form !== undefined && row.toInput !== undefined
            ? yield* row.toInput(form.data)
            : yield* row.prepare?.(own) ?? Effect.succeed(own)
        yield* withWorkspace(common, function* ({ engine, place }) {
          const calls = yield* call(async () => actingAs(engine, common))
          const resolved: Record<string, unknown> = { ...prepared }
          for (const { field, resolve } of all) {
            const value = prepared[field]
            if (resolve !== undefined && typeof value === "string")
              resolved[field] = yield* resolve(engine, value)
          }
          const perform = call((signal) => calls.call(operation, resolved, { signal }))
          const checked = operation.input.safeParse(resolved)
          // Invalid input is passed on, since the operation reports its problems best.
          if (!checked.success) return yield* Effect.as(perform, undefined)
          const input = checked.data
          if ("run" in row) return yield* row.run({ engine, input, json: common.json, perform, place })
          const output = yield* perform
          return { output, text: () => row.print(output, input) }
        })
      })
  }
}

const commonActing = commonInput.extend({ as: z.string().optional() })

interface Parameters {
  readonly options: ReadonlyMap<string, Parameter>
  readonly arguments: ReadonlyArray<Parameter>
}

const parametersOf = <Input extends z.ZodObject>(
  input: Input,
  row: Fields<Input>,
  omitted: ReadonlyArray<PropertyKey>,
  isActing = false
): Parameters => {
  const named = argumentsOf(input, row.arguments ?? {})
  const without = [...named.map(({ field }) => field), ...omitted.map(String)]
  const own = flagsOf(input, row.flags ?? {}, without)
  return { options: new Map([...commonFlags, ...(isActing ? actingFlags : []), ...own]), arguments: named }
}

/** Returns the values given for the parameters of a command, by field. */
const valuesOf = ({ arguments: named, options }: Parameters, words: Words) =>
  readValues([
    ...[...options].map(([name, one]) => [one, words.flags.get(name) ?? []] as const),
    ...named.map((one, place) => {
      const given = one.repeats ? words.arguments.slice(place) : words.arguments.slice(place, place + 1)
      return [one, given] as const
    })
  ])

const refused = ({ options }: Parameters, { issues: [issue] }: z.ZodError): Failure => {
  const [flag = ""] = [...options].find(([, { field }]) => field === issue?.path[0]) ?? []
  return wrongUsage(`${flag} ${issue?.message ?? "is wrong."}`)
}
