import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const RequestsPage = (): ReactNode => (
  <Page title={strings.nav.requests}>
    <EmptyState />
  </Page>
)

export default RequestsPage
