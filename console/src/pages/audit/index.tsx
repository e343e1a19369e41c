import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const AuditPage = (): ReactNode => (
  <Page title={strings.nav.audit}>
    <EmptyState />
  </Page>
)

export default AuditPage
