import { type ReactNode, useEffect, useState } from "react"
import { useSearchParams } from "wouter"

/** Filters of a list, kept in the address, so that a link shows the same list. Empty values are absent there. */
export const useFilters = <Name extends string>(
  names: ReadonlyArray<Name>
): {
  readonly values: Readonly<Record<Name, string>>
  readonly set: (name: Name, value: string) => void
  readonly clear: () => void
  readonly isFiltered: boolean
} => {
  const [params, setParams] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? ""])) as Record<
    Name,
    string
  >
  return {
    values,
    set: (name, value) =>
      setParams(
        (before) => {
          const next = new URLSearchParams(before)
          if (value === "") next.delete(name)
          else next.set(name, value)
          return next
        },
        { replace: true }
      ),
    clear: () =>
      setParams(
        (before) => new URLSearchParams([...before].filter(([name]) => !names.some((one) => one === name))),
        { replace: true }
      ),
    isFiltered: names.some((name) => values[name] !== "")
  }
}

/** A value that follows another after a pause, so that a list is not asked for at each letter. */
export const useDelayed = <Value,>(value: Value, delayMs = 200): Value => {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return delayed
}

/** The filters above a list. */
export const FilterBar = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <search className="filter-bar">{children}</search>
)

/** A text filter; it writes into the address after a pause. */
export const TextFilter = ({
  label,
  value,
  onChange,
  placeholder,
  type = "search"
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly placeholder?: string
  readonly type?: "search" | "date"
}): ReactNode => {
  const [text, setText] = useState(value)
  const delayed = useDelayed(text)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed is written.
  useEffect(() => {
    if (delayed !== value) onChange(delayed)
  }, [delayed])
  // A cleared filter clears the field.
  useEffect(() => setText(value), [value])
  return (
    <label className="filter">
      <span>{label}</span>
      <input
        type={type}
        dir="auto"
        value={text}
        placeholder={placeholder}
        onChange={(event) => setText(event.target.value)}
      />
    </label>
  )
}

/** A filter with fixed values; the empty one is everything. */
export const SelectFilter = ({
  label,
  value,
  onChange,
  options,
  all
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  /** Name of the choice that filters nothing; left out where one value is always chosen. */
  readonly all?: string
}): ReactNode => (
  <label className="filter">
    <span>{label}</span>
    <select value={value} onChange={(event) => onChange(event.target.value)}>
      {all !== undefined && <option value="">{all}</option>}
      {options.map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
  </label>
)
