import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const EvaluationPage = (): ReactNode => (
  <Page title={strings.nav.evaluation}>
    <EmptyState />
  </Page>
)

export default EvaluationPage
