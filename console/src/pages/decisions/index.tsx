import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { TabSet } from "../../components/tab-set.js"
import type { PageRoute } from "../../page-route.js"
import { decisionText as text } from "../../strings/decisions.js"
import { DecisionList } from "./decision-list.js"
import { DecisionPage } from "./decision-page.js"
import { Month } from "./month.js"

/** The page `/decisions`: the log of the policy gate and its last 30 days, or one decision. */
const Decisions: PageRoute["page"] = ({ params: { id } }): ReactNode =>
  id === undefined ? (
    <Page title={text.title} lead={text.lead} wide>
      <TabSet
        label={text.title}
        tabs={[
          { name: "log", label: text.tabs.log, content: () => <DecisionList /> },
          { name: "month", label: text.tabs.month, content: () => <Month /> }
        ]}
      />
    </Page>
  ) : (
    <DecisionPage key={id} id={id} />
  )

export default Decisions
