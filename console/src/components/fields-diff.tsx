import { diffWordsWithSpace } from "diff"
import type { ReactNode } from "react"
import { fieldName, valueText } from "../strings/fields.js"
import { Person } from "./text.js"

type Change = { readonly from: unknown; readonly to: unknown }

/** Text beyond this is shown before and after, not word by word. */
const comparedMax = 8_000

/** Differences by field: texts word by word, lists by what was added and removed, other values before and after. */
export const FieldsDiff = ({
  diff,
  testId
}: {
  readonly diff: Readonly<Record<string, Change>>
  readonly testId?: string
}): ReactNode => {
  const fields = Object.entries(diff)
  return (
    <dl className="fields-diff" data-testid={testId}>
      {fields.map(([field, change]) => (
        <div key={field}>
          <dt>{fieldName(field)}</dt>
          <dd dir="auto">
            <Difference field={field} change={change} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

const Difference = ({
  field,
  change: { from, to }
}: {
  readonly field: string
  readonly change: Change
}): ReactNode => {
  if (Array.isArray(from) || Array.isArray(to)) return <ListDifference from={listOf(from)} to={listOf(to)} />
  if (isText(from) && isText(to) && from.length + to.length < comparedMax && from !== "" && to !== "")
    return <WordsDifference from={from} to={to} />
  return (
    <>
      {isGiven(from) && (
        <>
          <del>
            <Value field={field} value={from} />
          </del>{" "}
          <span aria-hidden="true">→</span>{" "}
        </>
      )}
      <ins>
        <Value field={field} value={to} />
      </ins>
    </>
  )
}

const isGiven = (value: unknown): boolean => value !== null && value !== undefined && value !== ""

const Value = ({ field, value }: { readonly field: string; readonly value: unknown }): ReactNode =>
  field === "ownerId" && typeof value === "string" ? <Person id={value} /> : valueText(field, value)

const isText = (value: unknown): value is string => typeof value === "string" && /\s/.test(value)

const listOf = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))) : []

const ListDifference = ({
  from,
  to
}: {
  readonly from: ReadonlyArray<string>
  readonly to: ReadonlyArray<string>
}): ReactNode => {
  const kept = to.filter((one) => from.includes(one))
  return (
    <span className="list-diff">
      {from
        .filter((one) => !to.includes(one))
        .map((one) => (
          <del key={`-${one}`}>{one}</del>
        ))}
      {to
        .filter((one) => !from.includes(one))
        .map((one) => (
          <ins key={`+${one}`}>{one}</ins>
        ))}
      {kept.map((one) => (
        <span key={one}>{one}</span>
      ))}
    </span>
  )
}

/** Two texts in one, with what was taken out and put in marked. */
export const WordsDifference = ({ from, to }: { readonly from: string; readonly to: string }): ReactNode => (
  <span className="words-diff">
    {diffWordsWithSpace(from, to).map(({ added, removed, value }, index) => {
      // Parts have no identity beside their place.
      const key = `${index}`
      if (added) return <ins key={key}>{value}</ins>
      if (removed) return <del key={key}>{value}</del>
      return <span key={key}>{value}</span>
    })}
  </span>
)
