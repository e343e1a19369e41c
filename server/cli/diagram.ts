import type { CalibrationMeasures, ReliabilityBin } from "../../core/answers/calibration/index.js"

const barColumns = 40

/** A reliability diagram in letters: a bar for the share of right answers, a mark where the mean confidence is. */
export const reliabilityLines = (bins: ReadonlyArray<ReliabilityBin>): ReadonlyArray<string> => [
  "  confidence  answers  right (bar), confidence (|)",
  ...bins.map(({ accuracy, confidence, count, from, to }) => {
    const label = `  ${from.toFixed(1)} to ${to.toFixed(1)}`
    const filled = Math.round((accuracy ?? 0) * barColumns)
    const mark = confidence === null ? -1 : Math.min(barColumns - 1, Math.round(confidence * barColumns))
    const bar = Array.from({ length: barColumns }, (_, at) => (at === mark ? "|" : at < filled ? "#" : "."))
    return `${label.padEnd(12)}${String(count).padStart(9)}  ${count === 0 ? "" : bar.join("")}`
  })
]

const size = { width: 480, height: 520, left: 56, top: 40, side: 392 } as const

/** The same as an SVG document: bars of accuracy against the diagonal, dots at the mean confidence, counts below. */
export const reliabilitySvg = ({ bins, brier, ece }: CalibrationMeasures): string => {
  const { height, left, side, top, width } = size
  const x = (share: number): string => (left + share * side).toFixed(1)
  const y = (share: number): string => (top + (1 - share) * side).toFixed(1)
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1].flatMap((share) => [
    `<line x1="${x(share)}" y1="${y(0)}" x2="${x(share)}" y2="${y(1)}" stroke="#e3e3e3"/>`,
    `<line x1="${x(0)}" y1="${y(share)}" x2="${x(1)}" y2="${y(share)}" stroke="#e3e3e3"/>`,
    `<text x="${x(share)}" y="${top + side + 18}" text-anchor="middle">${share}</text>`,
    `<text x="${left - 8}" y="${Number(y(share)) + 4}" text-anchor="end">${share}</text>`
  ])
  const bars = bins.flatMap(({ accuracy, confidence, count, from, to }) =>
    accuracy === null || confidence === null
      ? []
      : [
          `<rect x="${x(from + 0.005)}" y="${y(accuracy)}" width="${((to - from - 0.01) * side).toFixed(1)}" height="${(accuracy * side).toFixed(1)}" fill="#4a7fb5"><title>${count} answers, ${(100 * accuracy).toFixed(0)} % right at a confidence of ${confidence.toFixed(2)}</title></rect>`,
          `<circle cx="${x(confidence)}" cy="${y(accuracy)}" r="4" fill="#c2410c"/>`,
          `<text x="${x((from + to) / 2)}" y="${top + side + 36}" text-anchor="middle" fill="#666">${count}</text>`
        ]
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12" role="img" aria-label="Reliability diagram">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="24" font-size="14">Reliability: ECE ${ece.toFixed(3)}, Brier ${brier.toFixed(3)}</text>`,
    ...ticks,
    ...bars,
    `<line x1="${x(0)}" y1="${y(0)}" x2="${x(1)}" y2="${y(1)}" stroke="#333" stroke-dasharray="5 4"/>`,
    `<text x="${left + side / 2}" y="${height - 28}" text-anchor="middle">confidence, and how many answers</text>`,
    `<text transform="translate(16 ${top + side / 2}) rotate(-90)" text-anchor="middle">share of right answers</text>`,
    "</svg>",
    ""
  ].join("\n")
}
