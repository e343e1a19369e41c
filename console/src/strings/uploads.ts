import { counted, inLanguage } from "../language.js"

export const englishUploads = {
  add: "Add files",
  addFolder: "Add a folder",
  drop: "Drop files or folders to add them",
  title: "Added files",
  progress: (done: number, total: number) => `${done} of ${counted(total, "file", "files")} done`,
  states: { waiting: "Waiting", sending: "Sending", reading: "Reading", done: "Added", refused: "Not added" },
  open: (name: string) => `Open ${name}`,
  close: "Close the list",
  connector: "Uploads",
  tooLarge: "The file is too large: 5 MB for text, 7 MB for other formats.",
  taken: (path: string) => `There is already a document at ${path}.`,
  unfinished: "Reading the file did not finish. Try again.",
  slow: "The server is still reading this file. Look for it in Documents later.",
  warnings: (count: number) => counted(count, "part was left out", "parts were left out")
}

export const uploadText = inLanguage("uploads", englishUploads)
