import { type Setting, type SettingTable } from '@bailiwick/settings';
import { migrateSettings, settingTables, singleSettings } from '../settings.ts';

// Generates from the settings tables: docs/configuration.md, and the table that the chart renders
// from.

type Section = { title: string; script: string; intro: string; table: SettingTable };

const sections: readonly Section[] = [
  {
    title: 'gateway',
    script: 'gateway/main.ts',
    intro: 'The documented JSON API.',
    table: settingTables.gateway,
  },
  {
    title: 'identity',
    script: 'services/identity/main.ts',
    intro: 'Accounts, users, sessions, bots.',
    table: settingTables.identity,
  },
  {
    title: 'access',
    script: 'services/access/main.ts',
    intro: 'Tenants, groups, roles, grants, decisions, audit.',
    table: settingTables.access,
  },
  {
    title: 'sso',
    script: 'services/sso/main.ts',
    intro: 'Domains and providers.',
    table: settingTables.sso,
  },
  {
    title: 'notifications',
    script: 'services/notifications/main.ts',
    intro:
      'Endpoints, fan-out, deliveries and mail. The chart runs it three times, each with roles of its own.',
    table: settingTables.notifications,
  },
  {
    title: 'one process',
    script: 'deploy/single.ts',
    intro: 'All services in one process. It does not read the settings of calls between processes.',
    table: singleSettings,
  },
  {
    title: 'migrations',
    script: 'deploy/migrate.ts',
    intro:
      "Brings every service's schema up to date and ends. The login must be able to create schemas and roles.",
    table: migrateSettings,
  },
];

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

Settings marked * are shared: several processes read the variable, with the same meaning.

${sections.map(renderSection).join('\n')}
## The local start

\`npm start\` runs everything on this machine. It passes the settings above on to the processes, as far as they are set in its own
environment. It reads the following variables itself, and none of them from a file.

${renderRows(localStart)}`;
}

/** helm/bailiwick/files/settings.yaml: for each process its settings by name, one a line. */
export function renderChartSettings(): string {
  const tables = { ...settingTables, single: singleSettings, migrate: migrateSettings };
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

function renderSection({ title, script, intro, table }: Section): string {
  const rows = Object.values(table).map((setting) => {
    const fallback =
      setting.fallback === undefined
        ? '**required**'
        : setting.fallback === ''
          ? 'empty'
          : `\`${setting.fallback}\``;
    return [
      setting.env,
      kinds[setting.kind],
      fallback,
      `${setting.about}${isShared(setting.env) ? ' *' : ''}`,
    ] as const;
  });
  return `## ${title}\n\n\`node ${script}\`: ${intro}\n\n${renderRows(rows)}`;
}

function isShared(env: string): boolean {
  return (
    Object.values(settingTables).filter((table: SettingTable) =>
      Object.values(table).some((setting) => setting.env === env),
    ).length > 1
  );
}

function renderRows(
  rows: ReadonlyArray<readonly [name: string, kind: string, fallback: string, about: string]>,
): string {
  const lines = rows.map(
    ([name, ...cells]) => `| ${[`\`${name}\``, ...cells].map(escapeCell).join(' | ')} |`,
  );
  return [
    '| Variable | Kind | Default | What it does |',
    '| --- | --- | --- | --- |',
    ...lines,
    '',
  ].join('\n');
}

/** A bar would end the cell, and <process> would be an HTML tag. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
