/** One transition of a state machine. */
export interface Step<State extends string, Trigger extends string> {
  readonly from: State
  readonly on: Trigger
  readonly to: State
  /** Condition of the transition; without it the trigger is refused. */
  readonly when?: string
  /** The fault when the condition is not met, in words for the documentation. */
  readonly otherwise?: string
  /** Side effects of the transition, in words for the documentation. */
  readonly also?: string
  /** False when the transition leaves no trace: no version, no revision, no audit event. */
  readonly changes?: false
}

/**
 * A state machine as data: the code uses it, `docs/state-machines.md` is generated from it, and tests check both
 * against it. A trigger without a step is refused.
 */
export interface StateTable<State extends string, Trigger extends string> {
  readonly name: string
  readonly states: ReadonlyArray<State>
  /** States in which a subject can be created. */
  readonly initial: ReadonlyArray<State>
  /** Description of each trigger. */
  readonly triggers: Readonly<Record<Trigger, string>>
  readonly steps: ReadonlyArray<Step<State, Trigger>>
  /** The fault for a trigger without a step; not needed when every state accepts every trigger. */
  readonly refusedWith?: "InvalidTransition" | "NotOpen"
}

/** Returns the step of a trigger from a state; null when there is none. */
export const stepOf = <State extends string, Trigger extends string>(
  { steps }: Pick<StateTable<State, Trigger>, "steps">,
  from: State,
  on: Trigger
): Step<State, Trigger> | null => steps.find((step) => step.from === from && step.on === on) ?? null

/** Returns the states without outgoing steps. */
export const terminalOf = <State extends string, Trigger extends string>({
  states,
  steps
}: Pick<StateTable<State, Trigger>, "states" | "steps">): ReadonlyArray<State> =>
  states.filter((state) => steps.every(({ from, to }) => from !== state || to === state))

/** Returns the same step from each of these states. */
export const stepsFrom = <State extends string, Trigger extends string>(
  states: ReadonlyArray<State>,
  step: Omit<Step<State, Trigger>, "from">
): ReadonlyArray<Step<State, Trigger>> => states.map((from) => ({ from, ...step }))
