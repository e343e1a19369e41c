import type { ReactNode } from "react"
import { Page } from "../../components/page.js"
import { EmptyState } from "../../components/states.js"
import { strings } from "../../strings.js"

const InboxPage = (): ReactNode => (
  <Page title={strings.nav.inbox}>
    <EmptyState />
  </Page>
)

export default InboxPage
