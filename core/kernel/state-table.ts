/** One way from a state to the next. */
export interface Step<State extends string, Trigger extends string> {
  readonly from: State
  readonly on: Trigger
  readonly to: State
  /** Under which condition; what does not meet it is refused. */
  readonly when?: string
  /** With what it is refused then, in words for the documentation. */
  readonly otherwise?: string
  /** What else the step does, in words for the documentation. */
  readonly also?: string
  /** False where it leaves no trace at all: no version, no revision, no audit event. */
  readonly changes?: false
}

/**
 * A state machine as data: the code follows it, `docs/state-machines.md` is printed from it, and the tests hold
 * both against it. What no step allows is refused.
 */
export interface StateTable<State extends string, Trigger extends string> {
  readonly name: string
  readonly states: ReadonlyArray<State>
  /** In which states a subject may come to be. */
  readonly initial: ReadonlyArray<State>
  /** What each trigger means. */
  readonly triggers: Readonly<Record<Trigger, string>>
  readonly steps: ReadonlyArray<Step<State, Trigger>>
  /** What a trigger meets where no step begins; a machine that knows every trigger in every state needs none. */
  readonly refusedWith?: "InvalidTransition" | "NotOpen"
}

/** The step that a trigger takes from a state; null when there is none. */
export const stepOf = <State extends string, Trigger extends string>(
  { steps }: Pick<StateTable<State, Trigger>, "steps">,
  from: State,
  on: Trigger
): Step<State, Trigger> | null => steps.find((step) => step.from === from && step.on === on) ?? null

/** The states that nothing leads out of. */
export const terminalOf = <State extends string, Trigger extends string>({
  states,
  steps
}: Pick<StateTable<State, Trigger>, "states" | "steps">): ReadonlyArray<State> =>
  states.filter((state) => steps.every(({ from, to }) => from !== state || to === state))

/** The same step from each of these states. */
export const stepsFrom = <State extends string, Trigger extends string>(
  states: ReadonlyArray<State>,
  step: Omit<Step<State, Trigger>, "from">
): ReadonlyArray<Step<State, Trigger>> => states.map((from) => ({ from, ...step }))
