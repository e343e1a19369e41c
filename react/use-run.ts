import { useCallback, useEffect, useState } from "react"
import type { GetRunResult, RunStep } from "../server/client/index.js"
import type { RunDecision } from "./approval.js"
import { useKanon } from "./provider.js"

/** State of an agent run that is being followed: its steps and how it ended. */
export interface RunState {
  readonly run: GetRunResult["run"] | undefined
  readonly steps: ReadonlyArray<RunStep>
  readonly error: unknown
  readonly isLoading: boolean
  /** Reads the run again, and follows it if it goes on: after a decision, for example. */
  readonly reload: () => void
  /** Allows or denies a waiting tool call, and follows the run on. */
  readonly decide: (decision: RunDecision) => Promise<void>
}

const isOver = (status: string): boolean => !["queued", "running"].includes(status)

/** A run with its steps, followed live while the component is mounted. Null waits. */
export const useRun = (id: string | null): RunState => {
  const client = useKanon()
  const [state, setState] = useState<Omit<RunState, "decide" | "reload">>({
    run: undefined,
    steps: [],
    error: null,
    isLoading: id !== null
  })
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks for another reading.
  useEffect(() => {
    if (id === null) return
    const control = new AbortController()
    const { signal } = control
    const read = async () => {
      const { run, steps } = await client.getRun({ id }, { signal })
      if (!signal.aborted) setState({ run, steps, error: null, isLoading: false })
      return run.status
    }
    const follow = async () => {
      while (!isOver(await read()))
        for await (const _event of client.streamRun({ id }, { signal })) await read()
    }
    follow().catch((error: unknown) => {
      if (!signal.aborted) setState((last) => ({ ...last, error, isLoading: false }))
    })
    return () => control.abort()
  }, [client, id, round])
  const reload = useCallback(() => setRound((last) => last + 1), [])
  const decide = useCallback(
    async (decision: RunDecision) => {
      if (id === null) return
      await client.approveRunStep({ id, ...decision })
      reload()
    },
    [client, id, reload]
  )
  return { ...state, reload, decide }
}
