import { QueryClient, QueryClientProvider } from "@tanstack/react-query"
import { lazy, type ReactNode, StrictMode, Suspense } from "react"
import { createRoot } from "react-dom/client"
import { Route, Router, Switch, useLocation } from "wouter"
import { KanonProvider } from "../../react/provider.js"
import { basePath, client } from "./api/connection.js"
import { SessionProvider, useSessionState } from "./api/session.js"
import { ConfirmProvider } from "./components/dialog.js"
import { ErrorBoundary, ErrorNote } from "./components/error.js"
import { Loading, Skeleton } from "./components/states.js"
import { ToastProvider } from "./components/toast.js"
import { loadPage } from "./load-page.js"
import { NotFound } from "./pages/not-found.js"
import { routes } from "./routes.js"
import { InWorkspace } from "./shell/address.js"
import { Shell } from "./shell/shell.js"
import { SignInOver, SignInPage } from "./shell/sign-in.js"
import { UploadProvider } from "./uploads/provider.js"

// `kanon/client` retries what may be repeated; a second layer would only delay the message.
const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true, networkMode: "always" },
    mutations: { retry: false, networkMode: "always" }
  }
})

const App = (): ReactNode => (
  <QueryClientProvider client={queries}>
    <SessionProvider>
      <Router base={basePath}>
        <ToastProvider>
          <ConfirmProvider>
            <SignedIn />
          </ConfirmProvider>
        </ToastProvider>
      </Router>
    </SessionProvider>
  </QueryClientProvider>
)

const JoinPage = lazy(() => loadPage(() => import("./pages/join/index.js")))

const SignedIn = (): ReactNode => {
  const [path] = useLocation()
  const { failure, offer, retry, session, workspaceId } = useSessionState()
  // An invitation is opened by people without a session, and by those whose session is another one.
  if (path === "/join") {
    return (
      <Suspense fallback={<Skeleton />}>
        <JoinPage />
      </Suspense>
    )
  }
  if (session === null) {
    if (offer !== null) return <SignInPage offer={offer} failure={failure} />
    return (
      <main className="sign-in-page">
        {failure === null ? <Loading /> : <ErrorNote error={failure} onRetry={retry} />}
      </main>
    )
  }
  return (
    <>
      <KanonProvider client={client}>
        <UploadProvider key={workspaceId}>
          <InWorkspace>
            <Shell>
              <ErrorBoundary key={workspaceId}>
                <Suspense fallback={<Skeleton />}>
                  <Switch>
                    {routes.map(({ page: Shown, path }) => (
                      <Route key={String(path)} path={path}>
                        {(params) => <Shown params={params} />}
                      </Route>
                    ))}
                    <Route>
                      <NotFound />
                    </Route>
                  </Switch>
                </Suspense>
              </ErrorBoundary>
            </Shell>
          </InWorkspace>
        </UploadProvider>
      </KanonProvider>
      {offer !== null && <SignInOver offer={offer} />}
    </>
  )
}

/** Shows the application in the page. */
export const show = (): void => {
  const place = document.getElementById("root")
  if (place === null) throw new Error("index.html has no #root.")
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>
  )
}
