import type { Setting, SettingTable } from '@bailiwick/process';
import { migrateSettings, settingTables } from '../settings.ts';
import { shapes } from '../shapes.ts';

// Generates from the settings tables: docs/configuration.md, and the table that the chart renders
// from.

type Process = keyof typeof settingTables;

const processes: Record<Process, { script: string; intro: string }> = {
  gateway: { script: 'gateway/main.ts', intro: 'The documented JSON API.' },
  identity: { script: 'services/identity/main.ts', intro: 'Accounts, users, sessions, bots.' },
  access: {
    script: 'services/access/main.ts',
    intro: 'Tenants, groups, roles, grants, decisions, audit.',
  },
  sso: { script: 'services/sso/main.ts', intro: 'Domains and providers.' },
  notifications: {
    script: 'services/notifications/main.ts',
    intro:
      'Endpoints, fan-out, deliveries and mail. The chart runs it three times, each with roles of its own.',
  },
};
const names = Object.keys(processes) as Process[];

const settingsOf = (table: SettingTable): Setting[] => Object.values(table);
const reads = (table: SettingTable, { env }: Setting): boolean =>
  settingsOf(table).some((setting) => setting.env === env);
const readersOf = (setting: Setting): Process[] =>
  names.filter((name) => reads(settingTables[name], setting));

/** Each setting once: a variable is described alike in every process that reads it. */
const settings: readonly Setting[] = names.flatMap((name) =>
  settingsOf(settingTables[name]).filter((setting) => readersOf(setting)[0] === name),
);

const [serve, single] = [shapes.compact[0], shapes.single[0]];

/** Read by `npm start` (deploy/local/options.ts), which gives each process its settings. */
const localStart: ReadonlyArray<
  readonly [name: string, kind: string, fallback: string, about: string]
> = [
  ['PORT', 'whole number', '`8080`', "The gateway's port. 0 takes a free one."],
  [
    'BAILIWICK_INBOX_PORT',
    'whole number',
    '`8025`',
    'The port of the inbox, a page that shows mails and webhook requests. 0 takes a free one.',
  ],
  [
    'BAILIWICK_INFRA',
    'text',
    '',
    '`containers` runs database and broker in containers, even if other providers are available.',
  ],
  [
    'BAILIWICK_DATA',
    'folder',
    '`.local`',
    'Holds data, keys and logs. Safe to delete: the next start begins with an empty installation.',
  ],
  [
    'DATABASE_URL',
    'URL',
    'an embedded PostgreSQL',
    'A PostgreSQL to use instead. The login must be able to create schemas and roles.',
  ],
  ['NATS_URL', 'URL', 'a nats-server of its own', 'A NATS server with JetStream to use instead.'],
];

const kinds: Record<Setting['kind'], string> = {
  text: 'text',
  int: 'whole number',
  flag: '`true` or `false`',
  list: 'list, separated by commas',
  url: 'URL',
  file: 'file',
  directory: 'directory',
};

/** docs/configuration.md. */
export function renderConfiguration(): string {
  return `<!-- Generated from the settings tables by deploy/docs/configuration.ts: change those, then run \`npm run generate\`. -->

# Configuration

Environment variables are the only configuration of a process. A process does not start with a missing, malformed or unknown
setting (a \`BAILIWICK_\` variable that it does not read), and reports all problems at once. A secret's setting names the file that
holds it, so that the file can be mounted. A URL can contain a password, so it can come from a file too: \`DATABASE_URL_FILE\` names
the file that holds \`DATABASE_URL\`, and likewise for every variable that ends in \`_URL\`.

Each setting is listed once, and means the same in every process that reads it.

## Every process

${renderTable(settings.filter((setting) => readersOf(setting).length === names.length).map(rowOf))}
## Several processes

${renderTable(
  settings.filter(isShared).map((setting) => [...rowOf(setting), readersOf(setting).join(', ')]),
  ['Read by'],
)}
${names.map(renderProcess).join('\n')}
## Several services in one process

\`node deploy/single.ts\` holds all services. It reads the settings above, except those of calls between processes:
${listOf(ofCalls)}.

\`node deploy/serve.ts\` holds all but notifications, and signs its calls to notifications with the key of the gateway. It reads the
settings of its services, except ${listOf(ofCalls.filter((setting) => !reads(serve.settings, setting)))}.
Notifications calls it at the port below, as access and as sso.

Each service can have a database of its own here too. \`DATABASE_URL\` names one for all.

${renderTable(
  settingsOf(serve.settings)
    .filter((setting) => readersOf(setting).length === 0)
    .map(rowOf),
)}
## Migrations

\`node deploy/migrate.ts\`: Brings every service's schema up to date and ends. It reads the databases of the services:
${listOf(settings.filter((setting) => reads(migrateSettings, setting)))},
or \`DATABASE_URL\`. Their login must be able to create schemas and roles.

${renderTable(
  settingsOf(migrateSettings)
    .filter((setting) => readersOf(setting).length === 0)
    .map(rowOf),
)}
## The local start

\`npm start\` runs everything on this machine. It passes the settings above on to the processes, as far as they are set in its own
environment. It reads the following variables itself, and none of them from a file.

${renderTable(localStart)}`;
}

/** helm/bailiwick/files/settings.yaml: for each process its settings by name, one a line. */
export function renderChartSettings(): string {
  const tables: Record<string, SettingTable> = {
    ...settingTables,
    serve: serve.settings,
    single: single.settings,
    migrate: migrateSettings,
  };
  const lines = Object.entries(tables).flatMap(([name, table]) => [
    `${name}:`,
    ...Object.entries(table).map(renderChartSetting),
  ]);
  return [
    '# Generated from the settings tables by deploy/docs/configuration.ts: change those, then run `npm run generate`.',
    ...lines,
    '',
  ].join('\n');
}

/** Formatted as the formatter does it. None of the values needs quotes. */
function renderChartSetting([name, { env, orElse, kind, fallback }]: [string, Setting]): string {
  return `  ${name}: { env: ${env}, ${orElse === undefined ? '' : `orElse: ${orElse}, `}kind: ${kind}, required: ${fallback === undefined} }`;
}

const isShared = (setting: Setting): boolean => {
  const { length } = readersOf(setting);
  return length > 1 && length < names.length;
};

/** The settings of calls between processes, which one process does not read. */
const ofCalls = settings.filter(
  (setting) => !reads(single.settings, setting) && !reads(migrateSettings, setting),
);

function renderProcess(name: Process): string {
  const { script, intro } = processes[name];
  const own = settings.filter((setting) => readersOf(setting).join() === name);
  return `## ${name}\n\n\`node ${script}\`: ${intro}\n\n${renderTable(own.map(rowOf))}`;
}

const listOf = (some: readonly Setting[]): string => some.map(({ env }) => `\`${env}\``).join(', ');

function rowOf({ env, kind, fallback, about: description }: Setting): string[] {
  const fallbackText =
    fallback === undefined ? '**required**' : fallback === '' ? 'empty' : `\`${fallback}\``;
  return [env, kinds[kind], fallbackText, description];
}

/** A table of variables, with further columns after the usual ones. */
function renderTable(
  rows: ReadonlyArray<readonly string[]>,
  further: readonly string[] = [],
): string {
  const heads = ['Variable', 'Kind', 'Default', 'What it does', ...further];
  const lines = rows.map(
    ([name = '', ...cells]) => `| ${[`\`${name}\``, ...cells].map(escapeCell).join(' | ')} |`,
  );
  return [`| ${heads.join(' | ')} |`, `|${' --- |'.repeat(heads.length)}`, ...lines, ''].join('\n');
}

/** A bar would end the cell, and <process> would be an HTML tag. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
