import { randomFrom } from "../../core/answers/measures/index.js"
import type { DataConnectorKind } from "../../core/connected/livedata/index.js"

const lines = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** Statements that change, lock, leak or run something, whatever the database. */
const hostileAnywhere = lines(`
  insert into canary values (2, 'x')
  update canary set name = 'x'
  delete from canary
  drop table canary
  create table stolen (a int)
  create table stolen as select * from canary
  alter table canary add column stolen int
  create index stolen on canary (name)
  create view stolen as select * from canary
  begin
  commit
  rollback
  savepoint s1
  select 1; delete from canary
  select 1; select 2
  select 1;; select 2
  with gone as (select 1) delete from canary
  with gone as (select 1) insert into canary select 9, 'x'
  with gone as (select 1) update canary set name = 'x'
  explain select 1
  values (1)
  select 1 where 1 = (delete from canary)
`)

const hostileOf: Readonly<Record<DataConnectorKind, ReadonlyArray<string>>> = {
  postgres: lines(`
    truncate canary
    table canary
    copy canary to '/tmp/stolen'
    copy (select 1) to program 'touch /tmp/stolen'
    select * into stolen from canary
    with gone as (delete from canary returning *) select * from gone
    with gone as (update canary set name = 'x' returning *) select * from gone
    with gone as (insert into canary values (3, 'x') returning *) select * from gone
    select * from canary for update
    select * from canary for share
    select * from canary for no key update of canary skip locked
    select * from (select * from canary for update) c
    select pg_sleep(0.1)
    select pg_catalog.pg_sleep(0.1)
    select "pg_sleep"(0.1)
    select U&"pg\\005Fsleep"(0.1)
    select pg_read_file('/etc/passwd')
    select pg_ls_dir('.')
    select lo_import('/etc/passwd')
    select lo_creat(-1)
    select pg_terminate_backend(1)
    select pg_cancel_backend(1)
    select pg_advisory_lock(1)
    select set_config('transaction_read_only', 'off', true)
    select set_config('statement_timeout', '0', false)
    select current_setting('data_directory')
    select query_to_xml('delete from canary', true, true, '')
    select database_to_xml(true, true, '')
    select ts_stat('select 1')
    select ts_rewrite('a'::tsquery, 'select 1')
    select nextval('canary_seq')
    select setval('canary_seq', 9)
    select txid_current()
    select pg_notify('a', 'b')
    select dblink('', 'delete from canary')
    select pg_import_system_collations('public')
    select * from pg_authid
    select * from pg_catalog.pg_shadow
    select * from information_schema.tables
    select * from pg_stat_activity
    select 'pg_authid'::regclass
    select has_table_privilege('canary', 'select')
    select current_user
    select session_user
    select version()
    select inet_server_addr()
    select 1 operator(public.+) 2
    select public.evil()
    select evil()
    select (select pg_sleep(0.1))
    select 1 from canary where pg_sleep(0.1) is null
    select count(*) filter (where pg_sleep(0.1) is null) from canary
    select 1 order by pg_sleep(0.1)
    select * from pg_sleep(0.1)
    select * from rows from (pg_sleep(0.1)) r
    select $$a$$; delete from canary
    select $tag$;$tag$ ; drop table canary
    do $$ begin delete from canary; end $$
    prepare p as delete from canary
    execute p
    declare c cursor for select 1
    listen a
    notify a
    set transaction read write
    set role postgres
    reset all
    vacuum
    lock table canary
    grant select on canary to public
    call evil()
    explain analyze delete from canary
    merge into canary using (select 1 a) s on false when not matched then insert values (5, 'x')
    show data_directory
    refresh materialized view m
    select xmlparse(document '<a/>')
  `),
  sqlite: lines(`
    replace into canary values (1, 'x')
    attach database 'stolen' as stolen
    detach database main
    vacuum
    vacuum into 'stolen'
    pragma writable_schema = on
    pragma query_only = off
    pragma table_info(canary)
    pragma journal_mode = delete
    reindex
    analyze
    select load_extension('stolen')
    select * from sqlite_master
    select * from sqlite_schema
    select * from main.sqlite_schema
    select * from "sqlite_master"
    select * from 'sqlite_master'
    select * from 'pragma_database_list'
    select * from main.'pragma_database_list'
    select * from ('pragma_database_list')
    select * from "pragma_database_list"
    select * from [pragma_database_list]
    select * from \`pragma_database_list\`
    select name from canary where id in 'pragma_database_list'
    select * from 'dbstat'
    select * from [dbstat]
    select * from 'PRAGMA_TABLE_LIST'
    select * from [sqlite_master]
    select * from \`sqlite_master\`
    select * from sqlite_temp_master
    select * from pragma_table_info('canary')
    select * from pragma_database_list
    select * from dbstat
    select * from "dbstat"
    select * from canary c, pragma_function_list f
    select sqlite_compileoption_get(1)
    select sqlite_version()
    select randomblob(1)
    select zeroblob(10)
    select last_insert_rowid()
    select changes()
    select total_changes()
    select fts3_tokenizer('simple')
    select (select load_extension('stolen'))
    select 1 where load_extension('stolen') is null
    select count(*) filter (where zeroblob(1) is null) from canary
    select * from canary where rowid = last_insert_rowid()
    with x as (select sqlite_source_id() v) select v from x
    insert into canary values (4, 'x') returning id
    delete from canary returning id
    create virtual table stolen using fts5(a)
    create trigger stolen after insert on canary begin select 1; end
    create temp table stolen (a)
    select 1 as a; vacuum into 'stolen'
    select ?
    select @name
    select $name
    select zeroblob(1) over () from canary
  `),
  mysql: lines(`
    truncate canary
    replace into canary values (1, 'x')
    table canary
    select * from canary into outfile '/tmp/stolen'
    select name into @a from canary limit 1
    select 'x' into dumpfile '/tmp/stolen'
    select * from canary for update
    select * from canary for share
    select * from canary lock in share mode
    select * from canary procedure analyse()
    select sleep(0.1)
    select benchmark(10, md5('a'))
    select load_file('/etc/passwd')
    select get_lock('a', 1)
    select release_lock('a')
    select is_free_lock('a')
    select @@version
    select @a := 1
    select @a
    select /*! sleep(0.1), */ 1
    select /*!50000 sleep(0.1), */ 1
    select /*M! sleep(0.1), */ 1
    select 1 /*! into outfile '/tmp/stolen' */
    select * from mysql.user
    select * from \`mysql\`.\`user\`
    select * from information_schema.tables
    select * from performance_schema.threads
    select * from sys.version
    select user()
    select current_user()
    select session_user()
    select database()
    select version()
    select connection_id()
    select last_insert_id(9)
    select nextval(s)
    select next value for s
    select previous value for s
    select setval(s, 9)
    select uuid_short()
    select shop.evil()
    select evil()
    select \`evil\`()
    select evil ()
    select master_pos_wait('a', 1)
    select (select sleep(0.1))
    select 1 from canary where sleep(0.1) = 0
    select 1 order by sleep(0.1)
    select extractvalue('<a/>', '/a')
    select updatexml('<a/>', '/a', 'b')
    handler canary open
    do sleep(0.1)
    set @@max_statement_time = 0
    set session transaction read write
    set global general_log = 1
    load data infile '/etc/passwd' into table canary
    call evil()
    prepare p from 'delete from canary'
    execute immediate 'delete from canary'
    lock tables canary write
    flush tables
    grant select on *.* to x
    show grants
    show processlist
    kill 1
    use mysql
    describe canary
    rename table canary to stolen
  `)
}

/** Statements of a single line that only read. */
const legitimateAnywhere = lines(`
  select 1
  select name from artist order by name limit 5
  select 'drop table canary; --' as txt
  select name as "delete" from artist
  select count(*) as n from artist
  select count(distinct artist_id) as n from album
  select a.name, count(*) as n from artist a join album b on b.artist_id = a.artist_id group by a.name
  select a.name from artist a left join album b on b.artist_id = a.artist_id where b.album_id is null
  with t as (select name from artist) select count(*) as n from t
  with t (x) as (select name from artist) select x from t
  with a as (select 1 as x), b as (select x + 1 as y from a) select y from b
  with recursive n (i) as (select 1 union all select i + 1 from n where i < 5) select sum(i) as s from n
  select name from artist union all select title from album
  select name from artist union select title from album order by 1
  select case when artist_id > 3 then 'set' else 'into' end as c from artist
  select sum(total) over (partition by customer_id) as s from invoice
  select row_number() over (order by total desc) as r, invoice_id from invoice
  select rank() over (partition by customer_id order by total) as r from invoice
  select upper(name), lower(name), length(name), trim(name) from artist
  select replace(name, 'A', 'B') as r from artist
  select coalesce(name, 'nobody') as c from artist
  select nullif(name, 'Ann') as c from artist
  select round(avg(total), 2) as m, min(total), max(total), sum(total) from invoice
  select * from artist where artist_id in (1, 2, 3)
  select * from artist where artist_id not in (select artist_id from album)
  select * from artist where exists (select 1 from album where album.artist_id = artist.artist_id)
  select * from artist where name like 'A%' or name between 'B' and 'C'
  select * from (select name from artist) as inner_part
  select (select count(*) from album) as n
  select customer_id, sum(total) as s from invoice group by customer_id having sum(total) > 1
  select abs(-1), round(1.5), ceil(1.2), floor(1.8), sign(-2)
  select * from artist limit 2 offset 1
  select 'it''s' as txt
  select -1 as n, +1 as p, 1 - -1 as d
  select concat(name, '-', name) as c from artist
  select current_date as d
  select cast(artist_id as char(10)) as c from artist
  select distinct customer_id from invoice
  select i.*, a.name from invoice i, artist a where i.customer_id = a.artist_id
  select name from artist where name <> 'update' and name <> 'delete'
  (select name from artist limit 1) union all (select title from album limit 1)
`)

const legitimateOf: Readonly<Record<DataConnectorKind, ReadonlyArray<string>>> = {
  postgres: lines(`
    select $$drop table canary; $$ as txt
    select $body$ $$ ; $body$ as txt
    select E'a\\'; drop table canary; --' as txt
    select name::text, artist_id::bigint from artist
    select name from artist tablesample system (50)
    select string_agg(name, ', ' order by name) as names from artist
    select array_agg(name) as names from artist
    select percentile_cont(0.5) within group (order by total) as median from invoice
    select count(*) filter (where total > 5) as n from invoice
    select customer_id, sum(total) as s from invoice group by rollup (customer_id)
    select * from artist a, lateral (select count(*) as n from album b where b.artist_id = a.artist_id) l
    select * from generate_series(1, 3) as s (i)
    select date_trunc('month', now()) as m, extract(year from now()) as y
    select jsonb_build_object('a', 1) -> 'a' as j
    select '{"a": [1, 2]}'::jsonb #>> '{a,0}' as j
    select to_char(now(), 'YYYY-MM') as m
    select now() - interval '1 day' as yesterday
    select name ilike 'a%' as b from artist
    select distinct on (customer_id) customer_id, total from invoice order by customer_id, total desc
    select regexp_replace(name, 'A', 'b') as r from artist
    select unnest(array[1, 2, 3]) as u
    select (array[1, 2, 3])[1 : 2] as s
    select overlay('abc' placing 'x' from 2 for 1) as o, substring('abc' from 2) as s, position('b' in 'abc') as p
    values_alias.x from_alias
  `).slice(0, -1),
  sqlite: lines(`
    select [name] from [artist] limit 1
    select \`name\` from \`artist\`
    select json_extract('{"update":1}', '$.update') as j
    select value from json_each('[1,2,3]')
    select j.value, a.name from artist a, json_each('[1]') j
    select strftime('%Y', 'now') as y
    select date('now', '-1 day') as d
    select group_concat(name, ', ') as names from artist
    select ifnull(name, 'x') as n, iif(artist_id > 1, 'a', 'b') as i from artist
    select printf('%.2f', 1.5) as p
    select name from artist where name glob 'A*'
    select typeof(name) as t from artist
    select x'00ff' as b
    select total(total) as t from invoice
    select julianday('now') - julianday('2020-01-01') > 1 as b
  `),
  mysql: lines(`
    select \`name\` from \`artist\`
    select "text in double quotes; delete" as txt
    select 'a\\'; delete from canary' as txt
    select group_concat(name order by name separator ', ') as names from artist
    select if(artist_id > 1, 'a', 'b') as i, ifnull(name, 'x') as n from artist
    select date_format(now(), '%Y-%m') as m, year(now()) as y
    select date_sub(now(), interval 1 day) as yesterday
    select json_extract('{"a": 1}', '$.a') as j
    select extract(year from now()) as y, substring('abc' from 2) as s, trim(both 'x' from 'xax') as t
    select insert('abc', 1, 1, 'x') as i, replace('abc', 'a', 'b') as r
    select customer_id, sum(total) as s from invoice group by customer_id with rollup
    select name regexp '^A' as b from artist
    select concat_ws('-', 'a', 'b') as c # a comment
    select 1 -- a comment
    select a.name from artist a straight_join album b on a.artist_id = b.artist_id
    select * from artist force index (primary)
    select convert('1', unsigned integer) as c, cast('2020-01-01' as date) as d
    select count(*) as n from artist cross join album using (artist_id)
  `)
}

/** A few ways to write the same statement, all of which mean the same to the database. */
const rewritten = (sql: string, dialect: DataConnectorKind, seed: number): string => {
  // Tags of dollar quotes mean another thing in another case.
  if (sql.includes("$")) return sql
  const random = randomFrom(seed)
  const pick = <A>(items: ReadonlyArray<A>, otherwise: A): A =>
    items[Math.floor(random() * items.length)] ?? otherwise
  const blanks =
    dialect === "mysql"
      ? [" ", "\t", "\n", " /* a */ ", " /* ; */ ", " -- ;\n", " # drop\n"]
      : [" ", "\t", "\n", " /* a */ ", " /* ; */ ", " -- ;\n", "\r\n"]
  // Quoted parts stay as they are: in them a blank or a case means something.
  const parts = sql.split(
    /('(?:[^'\\]|\\.|'')*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|\$\w*\$.*?\$\w*\$|\/\*.*?\*\/|--.*$|#.*$)/u
  )
  const body = parts
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part
            .replaceAll(/[a-z]+/gu, (word) => (random() < 0.5 ? word.toUpperCase() : word))
            .replaceAll(/ /gu, () => (random() < 0.5 ? pick(blanks, " ") : " "))
    )
    .join("")
  const isPlain = !/--|#/u.test(sql)
  return isPlain
    ? `${pick(["", " ", "\n", "/* head */ "], "")}${body}${pick(["", ";", " ;\n", " -- end"], "")}`
    : body
}

/** A statement in the place of a table of another. */
const nested = (sql: string): string => `select * from (${sql}) as outermost`

const grown = (
  statements: ReadonlyArray<string>,
  dialect: DataConnectorKind,
  count: number
): ReadonlyArray<string> => {
  const all: Array<string> = [...statements]
  for (let seed = 0; all.length < count; seed += 1) {
    const base = statements[seed % statements.length] ?? ""
    // Case and quoting mean something to names of Unicode escapes and to what is no SELECT.
    all.push(rewritten(base, dialect, seed))
  }
  return all
}

/** At least 300 statements that must do no harm. */
export const hostileStatements = (dialect: DataConnectorKind): ReadonlyArray<string> => {
  const bases = [...hostileAnywhere, ...hostileOf[dialect]]
  const inside = bases
    .filter((sql) => /^(?:select|with)\b/u.test(sql) && !/;|--|into /u.test(sql))
    .map(nested)
  return grown([...bases, ...inside], dialect, 320)
}

/** The hostile statements as they were written. */
export const hostileBases = (dialect: DataConnectorKind): ReadonlyArray<string> => [
  ...hostileAnywhere,
  ...hostileOf[dialect]
]

/** At least 200 statements that must pass. */
export const legitimateStatements = (dialect: DataConnectorKind): ReadonlyArray<string> => {
  const own = [...legitimateAnywhere, ...legitimateOf[dialect]]
  const fit = own.filter(
    (sql) =>
      !(dialect === "mysql" && sql.includes('as "delete"')) &&
      // SQLite has no parentheses around the parts of a union.
      !(dialect === "sqlite" && sql.startsWith("("))
  )
  return grown(fit, dialect, 210)
}

/** Tables that the statements name, and a canary that nothing may touch. */
export const guardTables: ReadonlyArray<string> = lines(`
  create table artist (artist_id integer primary key, name varchar(120))
  create table album (album_id integer primary key, title varchar(160), artist_id integer)
  create table invoice (invoice_id integer primary key, customer_id integer, total numeric(10,2))
  create table canary (id integer primary key, name varchar(40))
  insert into artist (artist_id, name) values (1,'Ann'),(2,'Bo'),(3,'Cy'),(4,'Dee'),(5,'Ed'),(6,'Flo')
  insert into album (album_id, title, artist_id) values (1,'One',1),(2,'Two',1),(3,'Three',2)
  insert into invoice (invoice_id, customer_id, total) values (1,1,9.50),(2,1,3.25),(3,2,7.00)
  insert into canary (id, name) values (1, 'alive')
`)
