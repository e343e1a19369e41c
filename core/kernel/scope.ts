/** The scopes that a key may have: the contract's eight, and `workspace:admin`, which implies none of them. */
export const scopes = [
  "agents:run",
  "runs:read",
  "kb:read",
  "kb:write",
  "data:read",
  "data:run",
  "reports:read",
  "reports:write",
  "workspace:admin"
] as const
/** A scope that a key may have; no scope includes another. */
export type Scope = (typeof scopes)[number]
