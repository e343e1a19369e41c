import { useCallback, useEffect, useState } from "react"

/** The state of a call: its last result stays while the next one loads. */
export interface CallState<Output> {
  readonly data: Output | undefined
  /** A KanonApiError or KanonConnectionError; null after a success. */
  readonly error: unknown
  readonly isLoading: boolean
  /** Calls again with the same input. */
  readonly reload: () => void
}

/** Calls when `key` changes; null waits. A call whose input is no longer wanted is aborted. */
export const useCall = <Output>(
  key: string | null,
  call: (signal: AbortSignal) => Promise<Output>
): CallState<Output> => {
  const [state, setState] = useState<{ data?: Output; error: unknown; isLoading: boolean }>({
    error: null,
    isLoading: key !== null
  })
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the input of `call`.
  useEffect(() => {
    if (key === null) return
    const control = new AbortController()
    setState((last) => ({ ...last, isLoading: true }))
    call(control.signal).then(
      (data) => {
        if (!control.signal.aborted) setState({ data, error: null, isLoading: false })
      },
      (error: unknown) => {
        if (!control.signal.aborted) setState((last) => ({ ...last, error, isLoading: false }))
      }
    )
    return () => control.abort()
  }, [key, round])
  const reload = useCallback(() => setRound((last) => last + 1), [])
  return { data: state.data, error: state.error, isLoading: state.isLoading, reload }
}
