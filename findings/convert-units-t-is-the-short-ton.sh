#!/bin/sh
# convert-units reads the symbol `t`, which the SI uses for the tonne of 1,000 kg, as the American short ton of 907 kg;
# the tonne is `mt`, and there is no long ton. "40 t" out of a data sheet becomes 36,287 kg without an error.
#
# Version: convert-units 2.3.4, Node 20.20.2.
# Seen: 40 t = 36287.36 kg, described as "Ton" of the system "imperial"; 40 mt = 40000 kg.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
printf '{"private":true,"type":"module"}\n' > package.json
npm install --silent --no-audit --no-fund --ignore-scripts convert-units@2.3.4
cat > run.mjs <<'JS'
import assert from "node:assert/strict"
import convert from "convert-units"

const short = convert(40).from("t").to("kg")
const metric = convert(40).from("mt").to("kg")
const { singular, system } = convert().describe("t")
console.log(`40 t = ${short} kg (${singular}, ${system}); 40 mt = ${metric} kg`)
assert.equal(Math.round(short), 36287)
assert.equal(metric, 40000)
assert.deepEqual([singular, system], ["Ton", "imperial"])
JS
node run.mjs
