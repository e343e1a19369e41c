import { type ReactNode, useEffect, useRef, useState } from "react"
import { Link, useLocation, useRouter } from "wouter"
import type { InboxPage } from "../../../server/console/inbox-model.js"
import { basePath } from "../api/connection.js"
import { useOwn } from "../api/hooks.js"
import { useSession, useSessionState } from "../api/session.js"
import { useKeys } from "../components/keyboard.js"
import { formatNumber } from "../language.js"
import { type NavItem, navigation } from "../routes.js"
import { strings } from "../strings.js"
import { workspacePath } from "./address.js"
import { Icon } from "./icons.js"
import { LanguageChoice } from "./language-choice.js"
import { Palette } from "./palette.js"
import { type Theme, useTheme } from "./theme.js"

const texts = strings.shell
const inboxPollMs = 60_000

/** Navigation, account and palette around the page. */
export const Shell = ({ children }: { readonly children: ReactNode }): ReactNode => {
  const [isOpen, setOpen] = useState(false)
  const [hasPalette, setPalette] = useState(false)
  const [path] = useLocation()
  const { base } = useRouter()
  const content = useRef<HTMLElement>(null)
  useKeys({ "mod+k": () => setPalette(true), "/": () => setPalette(true) })
  const shownPath = useRef(path)
  useEffect(() => {
    if (shownPath.current === path) return
    shownPath.current = path
    setOpen(false)
    // A new page is read from its top, also by a screen reader.
    content.current?.focus({ preventScroll: true })
    scrollTo({ top: 0 })
  }, [path])
  return (
    <div className="shell">
      <a
        className="skip-link"
        href={`${base}${path}#content`}
        onClick={(event) => {
          event.preventDefault()
          content.current?.focus()
        }}
      >
        {strings.skip}
      </a>
      <header className="top-bar">
        <button
          type="button"
          className="button quiet menu-button"
          aria-expanded={isOpen}
          aria-controls="side"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="menu" />
          <span className="visually-hidden">{isOpen ? strings.nav.closeMenu : strings.nav.menu}</span>
        </button>
        <Link href="/" className="brand">
          <span className="brand-mark" aria-hidden="true" />
          {strings.product}
        </Link>
      </header>
      <div id="side" className={isOpen ? "side open" : "side"}>
        <Link href="/" className="brand">
          <span className="brand-mark" aria-hidden="true" />
          {strings.product}
        </Link>
        <WorkspaceSwitch />
        <button type="button" className="palette-button" onClick={() => setPalette(true)}>
          <Icon name="search" />
          <span>{texts.palette}</span>
          <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘K" : "Ctrl K"}</kbd>
        </button>
        <nav aria-label={strings.nav.label}>
          {navigation.map(({ items, title }) => (
            <NavGroup key={title} title={title} items={items} path={path} />
          ))}
        </nav>
        <Account />
      </div>
      {isOpen && (
        <button
          type="button"
          className="side-shade"
          aria-label={strings.nav.closeMenu}
          onClick={() => setOpen(false)}
        />
      )}
      <main ref={content} id="content" className="content" tabIndex={-1}>
        <SeenAs />
        {children}
      </main>
      {hasPalette && <Palette onClose={() => setPalette(false)} />}
    </div>
  )
}

const isAt = ({ also = [], href }: NavItem, path: string): boolean =>
  [href, ...also].some((one) => path === one || (one !== "/" && path.startsWith(`${one}/`)))

/** A group of pages that the session may open. One with a name is closed until somebody opens it, or works in it. */
const NavGroup = ({
  items,
  path,
  title
}: {
  readonly title: keyof typeof strings.nav.groups | null
  readonly items: ReadonlyArray<NavItem>
  readonly path: string
}): ReactNode => {
  const { scopes: held } = useSession()
  const slot = `kanon.nav.${title}`
  // Administrators govern and operate; others open what they need.
  const [isOpen, setOpen] = useState(() => {
    const kept = localStorage.getItem(slot)
    return kept === null ? held.includes("workspace:admin") : kept === "open"
  })
  const shown = items.filter(({ scopes }) => scopes?.some((one) => held.includes(one)) ?? true)
  if (shown.length === 0) return null
  const list = (
    <ul aria-label={title === null ? undefined : strings.nav.groups[title]}>
      {shown.map((item) => (
        <NavEntry key={item.name} item={item} path={path} />
      ))}
    </ul>
  )
  if (title === null) return <div className="nav-group">{list}</div>
  return (
    <details
      className="nav-group"
      data-testid={`nav-group-${title}`}
      open={isOpen || shown.some((item) => isAt(item, path))}
      onToggle={(event) => {
        setOpen(event.currentTarget.open)
        localStorage.setItem(slot, event.currentTarget.open ? "open" : "closed")
      }}
    >
      <summary className="nav-title">{strings.nav.groups[title]}</summary>
      {list}
    </details>
  )
}

const NavEntry = ({ item, path }: { readonly item: NavItem; readonly path: string }): ReactNode => {
  const { href, name } = item
  const isHere = isAt(item, path)
  const pathName = href.slice(1) === "" ? name : href.slice(1)
  const label = strings.nav[name]
  return (
    // The page's name and its path differ for evaluation: both are found.
    <li data-testid={pathName === name ? undefined : `nav-${pathName}`}>
      <Link
        href={href}
        data-testid={`nav-${name}`}
        aria-current={isHere ? "page" : undefined}
        className="nav-link"
      >
        <Icon name={name} />
        <span>{typeof label === "string" ? label : name}</span>
        {name === "inbox" && <InboxCount />}
      </Link>
    </li>
  )
}

const InboxCount = (): ReactNode => {
  const { data } = useOwn<InboxPage>("inbox", { limit: 1 }, { everyMs: inboxPollMs })
  const count = data?.counts.mine ?? 0
  return (
    <span
      className="nav-count"
      data-testid="inbox-count"
      data-mine={count}
      data-total={data?.counts.total ?? 0}
      hidden={count === 0}
    >
      <span aria-hidden="true">{formatNumber(count)}</span>
      <span className="visually-hidden">{texts.inboxCount(count)}</span>
    </span>
  )
}

const WorkspaceSwitch = (): ReactNode => {
  const { workspaceId, workspaces } = useSession()
  const [, go] = useLocation()
  return (
    <label className="workspace-switch">
      <span className="visually-hidden">{texts.workspace}</span>
      <select
        data-testid="workspace-switch"
        value={workspaceId}
        onChange={(event) => {
          // The open page belongs to the other workspace.
          go(`~${basePath}${workspacePath(event.target.value, workspaces)}/`)
        }}
      >
        {workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Says as whom an administrator sees the workspace; Escape ends it. */
const SeenAs = (): ReactNode => {
  const { seeAs, seenAs } = useSessionState()
  useKeys(seenAs === null ? {} : { Escape: () => seeAs(null) })
  if (seenAs === null) return null
  return (
    <div className="note warn row spread" role="status" data-testid="seen-as">
      <span>
        <strong>{texts.seenAs(seenAs.displayName)}</strong> {texts.seenAsHint}
      </span>
      <button
        type="button"
        className="button small"
        data-testid="seen-as-end"
        aria-keyshortcuts="Escape"
        onClick={() => seeAs(null)}
      >
        {texts.seenAsEnd} <kbd>Esc</kbd>
      </button>
    </div>
  )
}

const Account = (): ReactNode => {
  const { member } = useSession()
  const { signOut } = useSessionState()
  const [theme, setTheme] = useTheme()
  const themes: ReadonlyArray<Theme> = ["system", "light", "dark"]
  return (
    <div className="account">
      <p className="account-name">
        <Icon name="person" />
        <bdi dir="auto" title={member === null ? texts.withKey : texts.signedInAs(member.name)}>
          {member?.name ?? texts.withKey}
        </bdi>
      </p>
      {member === null && <p className="account-hint muted">{strings.reasons.noMember}</p>}
      <div className="account-row">
        <label>
          <span className="visually-hidden">{texts.theme}</span>
          <select
            value={theme}
            onChange={(event) => setTheme(themes.find((one) => one === event.target.value) ?? "system")}
          >
            {themes.map((one) => (
              <option key={one} value={one}>
                {texts.themes[one]}
              </option>
            ))}
          </select>
        </label>
        <LanguageChoice />
        <button
          type="button"
          className="button quiet small"
          data-testid="sign-out"
          onClick={() => void signOut()}
        >
          {texts.signOut}
        </button>
      </div>
    </div>
  )
}
