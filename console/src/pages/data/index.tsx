import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { TabSet } from "../../components/tab-set.js"
import type { PageRoute } from "../../page-route.js"
import { dataText as text } from "../../strings/data.js"
import { Calls } from "./calls.js"
import { Databases } from "./databases.js"
import { Queries } from "./queries.js"

/** Live data: named queries, their executions, and the databases. */
const Data: PageRoute["page"] = (): ReactNode => (
  <Page title={text.title} lead={text.lead}>
    <TabSet
      label={text.title}
      tabs={[
        { name: "queries", label: text.tabs.queries, content: () => <Queries /> },
        { name: "calls", label: text.tabs.calls, content: () => <Calls /> },
        { name: "databases", label: text.tabs.connectors, content: () => <Databases /> }
      ]}
    />
  </Page>
)

export default Data
