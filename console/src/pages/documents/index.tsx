import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const DocumentsPage = (): ReactNode => (
  <Page title={strings.nav.documents}>
    <EmptyState />
  </Page>
)

export default DocumentsPage
