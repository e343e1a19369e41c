/** German texts of what every visit loads first. */
export { answer } from "./answer.js"
export { common } from "./common.js"
export { uploads } from "./uploads.js"
