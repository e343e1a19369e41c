import { inLanguage } from "../language.js"

/** Texts of the page on which a person lets an assistant in. */
export const englishConnect = {
  title: "Connect an assistant",
  asks: (name: string) => `${name} asks to use this workspace as you.`,
  unverified: "This name is not verified.",
  verified: (host: string) => `Its name is published at ${host}.`,
  goesTo: (host: string) => `Your answer goes to ${host}.`,
  workspace: (name: string) =>
    `It gets access to the workspace ${name} only. Switch the workspace above to choose another one.`,
  what: "What it may do",
  scopes: {
    "kb:read": "Search and read documents and entities",
    "kb:write": "Write documents, notes and change requests",
    "agents:run": "Ask questions and start agents",
    "runs:read": "Read runs of agents and decisions",
    "data:read": "See queries of live data and their records",
    "data:run": "Run queries of live data",
    "reports:read": "Read reports",
    "reports:write": "Make reports"
  } as Readonly<Record<string, string>>,
  ends: "It can never do more than you can. Revoke its access at any time under Settings, Sessions.",
  allow: "Allow",
  deny: "Do not allow",
  none: "Choose at least one thing that it may do.",
  back: "Go back to the assistant",
  sent: "You can go back to the assistant now."
}

export const connectText = inLanguage("connect", englishConnect)
