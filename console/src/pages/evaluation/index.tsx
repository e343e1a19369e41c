import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { TabSet } from "../../components/tab-set.js"
import type { PageRoute } from "../../page-route.js"
import { evaluationText as text } from "../../strings/evaluation.js"
import { EvalList } from "./eval-list.js"
import { EvalPage } from "./eval-page.js"
import { Judgments } from "./judgments.js"
import { Proposed } from "./proposed.js"

/** Evaluation runs, judgments, and those that feedback suggests. */
const Evaluation: PageRoute["page"] = ({ params: { id } }): ReactNode =>
  id === undefined ? (
    <Page title={text.title} lead={text.lead}>
      <TabSet
        label={text.title}
        tabs={[
          { name: "runs", label: text.tabs.runs, content: () => <EvalList /> },
          { name: "judgments", label: text.tabs.judgments, content: () => <Judgments /> },
          { name: "proposed", label: text.tabs.proposed, content: () => <Proposed /> }
        ]}
      />
    </Page>
  ) : (
    <EvalPage key={id} id={id} />
  )

export default Evaluation
