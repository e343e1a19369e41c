import type { ReactNode } from "react"

/** Strokes on a field of 20 by 20. */
const paths = {
  menu: "M3 5.5h14M3 10h14M3 14.5h14",
  down: "m5 7.5 5 5 5-5",
  right: "m7.5 5 5 5-5 5",
  close: "m5 5 10 10M15 5 5 15",
  person: "M10 10a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4ZM3.8 17c.5-3.2 3-5 6.2-5s5.700 1.800 6.2 5",
  ask: "M3.500 4.500h13v9h-7l-4 3v-3h-2zM7 8h6M7 10.500h4",
  search: "M9 14.500a5.500 5.500 0 1 0 0-11 5.500 5.500 0 0 0 0 11Zm4-1.500 3.800 3.800",
  documents: "M5 2.800h6.500L15.500 7v10.200H5zM11.300 3v4.200h4M7.500 10.500h5.500M7.500 13.500h5.500",
  entities:
    "M10 2.800 16.500 6.400v7.200L10 17.200l-6.500-3.600V6.400zM10 10l6.300-3.500M10 10v7M10 10 3.700 6.500",
  graph:
    "M5.500 7.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm9 2a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm-7 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7.400 6l5.200 1.200M6 7.500l1.300 5M13 9.300l-4.200 3.600",
  connectors: "M7 3v4M13 3v4M5 7h10v3a5 5 0 0 1-10 0zM10 15v3",
  inbox: "M3 11.500 5.500 4h9l2.500 7.500V16H3zM3 11.500h4l1 2h4l1-2h4",
  requests:
    "M6 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm8 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM6 7v6M14 13V8.500a3 3 0 0 0-3-3h-1M11.500 3.500l-2 2 2 2",
  decisions: "M10 3v14M4 17h12M4 6h12M4 6l-2 5h4zM16 6l-2 5h4z",
  audit: "M5 3h10v14l-2.500-1.500L10 17l-2.500-1.500L5 17zM7.500 7h5M7.500 10.500h5",
  reports: "M4 16.500V9M8 16.500V4M12 16.500V11M16 16.500V7",
  agents: "M5 7.500h10v7H5zM10 4.500v3M7.800 10.500v1.200M12.200 10.500v1.200M3 10v2M17 10v2",
  data: "M4 5.500C4 4 6.700 3 10 3s6 1 6 2.500-2.700 2.500-6 2.500-6-1-6-2.500Zm0 0v9c0 1.500 2.700 2.500 6 2.500s6-1 6-2.500v-9M4 10c0 1.500 2.700 2.500 6 2.500s6-1 6-2.500",
  evaluation: "M3.500 16.500h13M5 13l3.500-4 3 2.500L16 5M12.500 5H16v3.500",
  jobs: "M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM10 6v4l2.800 2",
  settings: "M3 6h8M15 6h2M3 14h2M9 14h8M13 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z"
} as const

/** A line icon beside a text; it is decoration only. */
export const Icon = ({ name }: { readonly name: string }): ReactNode => (
  <svg className="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <path d={paths[name as keyof typeof paths] ?? ""} />
  </svg>
)
