import type { ReactNode } from "react"
import type { CreateDataConnectorResult, ListDataConnectorsResult } from "../../../../server/client/index.js"
import { dataText } from "../../strings/data.js"

const text = dataText.connectors

export type Database = ListDataConnectorsResult["items"][number]

/** The result of testing a database. */
export const Probe = ({
  probe
}: {
  readonly probe: NonNullable<CreateDataConnectorResult["probe"]>
}): ReactNode => (
  <p className={probe.ok && probe.readOnlyProven ? "note good" : "note warn"} role="status" dir="auto">
    {probe.ok ? text.probe.ok : text.probe.failed}{" "}
    {probe.ok && (probe.readOnlyProven ? text.probe.readOnly : text.probe.notProven)} {probe.serverVersion}{" "}
    {probe.message}
  </p>
)
