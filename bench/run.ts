import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { findBroker } from '@bailiwick/deploy/local/broker.ts';
import { startTestServer } from '@bailiwick/test/support/database.ts';
import type { Bench, Row } from './bench.ts';
import { failuresSoFar } from './driver.ts';
import { logins } from './g1-logins.ts';
import { isolation } from './g2-isolation.ts';
import { signIn } from './g3-sign-in.ts';
import { read } from './g4-read.ts';
import { hop } from './g5-hop.ts';
import { check } from './g6-check.ts';
import { deliveries } from './g7-deliveries.ts';
import { mail } from './g8-mail.ts';
import { telemetry } from './g9-telemetry.ts';
import { memory } from './g10-memory.ts';
import { lists } from './g11-lists.ts';
import { depth } from './g12-depth.ts';
import { tenants } from './g13-tenants.ts';
import { backlog } from './g14-backlog.ts';
import { fairness } from './g15-fairness.ts';
import { audit } from './g16-audit.ts';
import { soak } from './g17-soak.ts';
import { busyEndpoint } from './g18-busy-endpoint.ts';
import { introspection } from './g19-introspect.ts';
import { idle } from './g20-idle.ts';
import { decision } from './g21-check.ts';
import { backlogBeside } from './g23-backlog-beside.ts';
import { authzen } from './g24-authzen.ts';
import { issuer } from './g25-issuer.ts';
import { verification } from './g26-verification.ts';
import { listSearches } from './g27-searches.ts';
import { counts } from './g28-counts.ts';
import { listInteractions } from './g29-console.ts';
import { scim } from './g30-scim.ts';
import { imports } from './g32-imports.ts';
import { manyCallers } from './g33-populations.ts';
import { following } from './g36-follower.ts';
import { growth } from './g39-growth.ts';
import { endlessReceivers } from './g40-endless.ts';
import { shapesBeside } from './g45-shapes.ts';
import { updatePage } from './page.ts';
import { hasRatio, plot } from './plot.ts';
import { conditions, report } from './report.ts';
import { short } from './short.ts';

// npm run bench: compares Bailiwick with a floor or a peer, in turns within one run, and prints a
// table in Markdown at the end. A slow result is no failure.
//
//   npm run bench                            all of them, more than three quarters of an hour
//   npm run bench -- G1 G4                   some
//   npm run bench -- short                   six kinds of work, in three minutes; not part of all
//   npm run bench -- --seconds 3 --rounds 9  longer turns, and more of them
//   npm run bench -- G14 --tasks 1000000     a larger backlog
//   npm run bench -- G17 --minutes 120       the full soak, instead of twelve minutes
//   npm run bench -- G33 --callers 5000      only this number of callers
//   npm run bench -- G39 --users 100000      a smaller installation than one of a million users
//   npm run bench -- G4 --profile folder     with a CPU profile of every process, for profile.ts; the numbers are then not valid
//   npm run bench -- G4 --json file          with the rows in a file, for compare.ts
//   npm run bench -- G4 --plot file.svg      with the ratios as a picture
//   npm run bench -- G4 --page               with the rows in docs/performance.json, and the opening of docs/performance.md
//   npm run bench -- page                    only that opening again, from docs/performance.json

const benches: Record<string, Bench> = {
  G1: logins,
  G2: isolation,
  G3: signIn,
  G4: read,
  G5: hop,
  G6: check,
  G7: deliveries,
  G8: mail,
  G9: telemetry,
  G10: memory,
  G11: lists,
  G12: depth,
  G13: tenants,
  G14: backlog,
  G15: fairness,
  G16: audit,
  G17: soak,
  G18: busyEndpoint,
  G19: introspection,
  G20: idle,
  G21: decision,
  G23: backlogBeside,
  G24: authzen,
  G25: issuer,
  G26: verification,
  G27: listSearches,
  G28: counts,
  G29: listInteractions,
  G30: scim,
  G32: imports,
  G33: manyCallers,
  G36: following,
  G39: growth,
  G40: endlessReceivers,
  G45: shapesBeside,
  SHORT: short,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '1.5' },
    rounds: { type: 'string', default: '3' },
    tasks: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '12' },
    callers: { type: 'string' },
    users: { type: 'string', default: '1000000' },
    profile: { type: 'string' },
    json: { type: 'string' },
    plot: { type: 'string' },
    page: { type: 'boolean', default: false },
  },
});
const options = {
  seconds: Number(values.seconds),
  rounds: Number(values.rounds),
  tasks: Number(values.tasks),
  minutes: Number(values.minutes),
  ...(values.callers !== undefined && { callers: Number(values.callers) }),
  users: Number(values.users),
};
if (!(options.tasks >= 1000)) throw new Error('--tasks is a number of 1000 or more');
if (!(options.minutes >= 6)) throw new Error('--minutes is a number of 6 or more');
if (!(options.users >= 10_000)) throw new Error('--users is a number of 10000 or more');
if (!(options.seconds > 0 && options.rounds >= 3))
  throw new Error(
    '--seconds is a number above 0, and --rounds is a number of 3 or more, because the results are medians',
  );
if (positionals.join() === 'page') {
  updatePage([], '');
  process.exit(0);
}
const all = Object.keys(benches).filter((name) => name !== 'SHORT');
const chosen = positionals.length > 0 ? positionals.map((name) => name.toUpperCase()) : all;
const unknown = chosen.filter((name) => !(name in benches));
if (unknown.length > 0)
  throw new Error(`there is no ${unknown.join(', ')}, only ${Object.keys(benches).join(', ')}`);

const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-bench-'));
process.env['BAILIWICK_TEST_BROKER'] = JSON.stringify(
  await findBroker((line) => process.stderr.write(`${line}\n`)),
);
const loadBefore = loadavg()[0] ?? 0;
const database = await startTestServer(path.join(folder, 'postgres'));
process.env['BAILIWICK_TEST_DATABASE'] = database.url;
if (values.profile !== undefined)
  process.env['NODE_OPTIONS'] = `--cpu-prof --cpu-prof-dir=${path.resolve(values.profile)}`;
const started = performance.now();
const rows: Row[] = [];
try {
  for (const name of chosen) {
    process.stderr.write(`\n${name} `);
    rows.push(...((await benches[name]?.(options)) ?? []));
  }
} finally {
  await database.remove();
  rmSync(folder, { recursive: true, force: true });
}
process.stderr.write('\n');
const run = { ...options, loadBefore, took: (performance.now() - started) / 60_000 };
process.stdout.write(report(rows, run, failuresSoFar()));
const measured = conditions(run).join(' ');
if (values.json !== undefined)
  writeFileSync(values.json, `${JSON.stringify({ measured, rows }, null, 2)}\n`);
if (values.plot !== undefined)
  writeFileSync(values.plot, plot(rows.filter(hasRatio), 'Bailiwick against others'));
if (values.page) updatePage(rows, measured);
