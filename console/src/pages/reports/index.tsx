import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const ReportsPage = (): ReactNode => (
  <Page title={strings.nav.reports}>
    <EmptyState />
  </Page>
)

export default ReportsPage
