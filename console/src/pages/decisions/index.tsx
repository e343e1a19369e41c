import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const DecisionsPage = (): ReactNode => (
  <Page title={strings.nav.decisions}>
    <EmptyState />
  </Page>
)

export default DecisionsPage
