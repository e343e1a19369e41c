#!/bin/sh
# ical-generator takes the date of an all-day event in UTC, while a `Date` for a day is made at local midnight: east of
# Greenwich a fair on 15 January is written as 14 January. The end is written as it is given, so that an event of one
# day, whose start and end are the same day, has DTEND equal to DTSTART; RFC 5545 wants it to be later (the day after).
#
# Version: ical-generator 10.2.0, Node 20.20.2; no `timezone`.
# Seen: DTSTART;VALUE=DATE:20260114 with TZ=Europe/Berlin, 20260115 with TZ=UTC, and DTEND equal to it in both.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts ical-generator@10.2.0
cat > run.mjs <<'JS'
import ical from "ical-generator"

const day = new Date(2026, 0, 15)
const calendar = ical({ name: "fairs" })
calendar.createEvent({ start: day, end: day, allDay: true, summary: "Fair" })
console.log(calendar.toString().split("\r\n").filter((line) => /^DT(START|END)/.test(line)).join(" "))
JS
east=$(TZ=Europe/Berlin node run.mjs)
utc=$(TZ=UTC node run.mjs)
echo "Berlin, 15 January: $east"
echo "UTC, 15 January:    $utc"
[ "$east" = "DTSTART;VALUE=DATE:20260114 DTEND;VALUE=DATE:20260114" ]
[ "$utc" = "DTSTART;VALUE=DATE:20260115 DTEND;VALUE=DATE:20260115" ]
