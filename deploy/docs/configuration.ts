import type { Setting, SettingTable } from '@bailiwick/shared/config.ts';
import { migrateSettings, settingTables, singleSettings } from '../settings.ts';

// What is generated from the settings tables: the page for people, and the table the chart renders from.

type Section = { title: string; script: string; intro: string; table: SettingTable };

const sections: readonly Section[] = [
  {
    title: 'gateway',
    script: 'gateway/main.ts',
    intro: 'The documented JSON surface.',
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
    intro: 'All services in one process. What only calls between processes need is not read.',
    table: singleSettings,
  },
  {
    title: 'migrations',
    script: 'deploy/migrate.ts',
    intro:
      "Brings every service's schema up to date and ends. The login has to be one that may create schemas and roles.",
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
    'The port of the page that shows what is mailed and posted. 0 takes a free one.',
  ],
  [
    'BAILIWICK_INFRA',
    'text',
    '',
    '`containers` runs database and broker in containers, whatever else could be had.',
  ],
  [
    'BAILIWICK_DATA',
    'folder',
    '`.local`',
    'Holds data, keys and logs. Safe to delete: the next start begins afresh.',
  ],
  [
    'DATABASE_URL',
    'URL',
    'an embedded PostgreSQL',
    'A PostgreSQL to use instead. The login needs the right to create schemas and roles.',
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

Every process is configured by environment variables alone. What is missing, malformed or unknown (a \`BAILIWICK_\` variable that
the process does not read) stops its start, with all problems at once. Secrets are named by the file that holds them, so that
they can be mounted, and so can a URL, which may hold a password: \`DATABASE_URL_FILE\` names the file that holds \`DATABASE_URL\`, and
likewise with every variable that ends in \`_URL\`.

Settings marked * are shared: several processes read the variable and mean the same by it.

${sections.map(renderSection).join('\n')}
## The local start

\`npm start\` runs everything on this machine. Of the settings above it passes on whatever is set in its own environment; these
it reads itself, none of them from a file.

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

/** As the formatter would have it. None of the values needs quotes. */
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

/** A bar would end the cell, and <process> would be taken for an HTML tag. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
