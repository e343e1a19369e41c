import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const AgentsPage = (): ReactNode => (
  <Page title={strings.nav.agents}>
    <EmptyState />
  </Page>
)

export default AgentsPage
