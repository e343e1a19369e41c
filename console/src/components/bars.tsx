import type { ReactNode } from "react"
import { formatNumber } from "../language.js"

/** Horizontal bars with their numbers, the longest as wide as its column. */
export const Bars = ({
  label,
  rows
}: {
  readonly label: string
  readonly rows: ReadonlyArray<{ readonly name: string; readonly value: number; readonly tone?: string }>
}): ReactNode => {
  const max = Math.max(1, ...rows.map(({ value }) => value))
  return (
    <ul className="bars" aria-label={label}>
      {rows.map(({ name, tone = "accent", value }) => (
        <li key={name}>
          <span className="bar-name">{name}</span>
          <svg className={`bar ${tone}`} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect width="100" height="8" rx="2" className="bar-ground" />
            <rect width={(100 * value) / max} height="8" rx="2" className="bar-value" />
          </svg>
          <span className="bar-number">{formatNumber(value)}</span>
        </li>
      ))}
    </ul>
  )
}

/** Reliability: what a confidence promised against how often it was right, one dot a bin, sized by its answers. */
export const Reliability = ({
  bins,
  label
}: {
  readonly label: string
  readonly bins: ReadonlyArray<{
    readonly count: number
    readonly confidence: number | null
    readonly accuracy: number | null
  }>
}): ReactNode => (
  <svg className="reliability" viewBox="-14 -4 122 122" role="img" aria-label={label}>
    <path d="M0 0V100H100" className="axis" />
    <path d="M0 100L100 0" className="ideal" />
    {[0, 50, 100].map((at) => (
      <g key={at}>
        <text x={at} y="111" textAnchor="middle">
          {at / 100}
        </text>
        <text x="-4" y={103 - at} textAnchor="end">
          {at / 100}
        </text>
      </g>
    ))}
    {bins.flatMap(({ accuracy, confidence, count }) =>
      accuracy === null || confidence === null || count === 0
        ? []
        : [
            <circle
              key={confidence}
              cx={confidence * 100}
              cy={100 - accuracy * 100}
              r={2 + Math.min(6, Math.sqrt(count) / 2)}
            />
          ]
    )}
  </svg>
)
