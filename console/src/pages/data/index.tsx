import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const DataPage = (): ReactNode => (
  <Page title={strings.nav.data}>
    <EmptyState />
  </Page>
)

export default DataPage
