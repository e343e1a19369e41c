import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const JobsPage = (): ReactNode => (
  <Page title={strings.nav.jobs}>
    <EmptyState />
  </Page>
)

export default JobsPage
