// Runs SQL on a SQLite file: `FILE SQL`.
import Sqlite from "better-sqlite3"

const [file, sql] = process.argv.slice(2)
new Sqlite(file).exec(sql).close()
