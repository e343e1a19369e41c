import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const GraphPage = (): ReactNode => (
  <Page title={strings.nav.graph}>
    <EmptyState />
  </Page>
)

export default GraphPage
