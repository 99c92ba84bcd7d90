import { code, slugOf, table } from '../markdown.ts';
import { type Api, type Call, callsOf } from './api.ts';
import { type LinkTo, recordsIn, recordTable } from './fields.ts';
import { errorsSection, operationSection } from './operation.ts';

export type ReferencePage = { path: string; label: string; text: string };

const recordsPage = 'api/records.md';
const pathOf = (area: string) => `api/${area.toLowerCase()}.md`;
const labelOf = (area: string) => area.charAt(0).toUpperCase() + area.slice(1);
const anchorOf = (record: string) => slugOf(`${record} record`);

/** The pages of the API: an overview, one for each area, and the records that areas share. */
export function referencePages(api: Api): ReferencePage[] {
  const calls = callsOf(api);
  const areas = api.tags.map(({ name, description }) => ({
    name,
    description,
    calls: calls.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const homes = recordHomes(api, areas);
  const link: LinkTo = (record) => `/${homes.get(record) ?? recordsPage}#${anchorOf(record)}`;
  const recordsOn = (page: string) =>
    [...homes].filter(([, home]) => home === page).map(([record]) => record);
  return [
    overview(api, areas, link),
    ...areas.map((area) => areaPage(api, area, link, recordsOn(pathOf(area.name)))),
    {
      path: recordsPage,
      label: 'Shared records',
      text: [
        '# Shared records',
        'Records that several areas of the API return.',
        ...recordsOn(recordsPage).map((record) => recordSection(api, record, link, '##')),
      ].join('\n\n'),
    },
  ];
}

type Area = { name: string; description: string; calls: readonly Call[] };

/** The page of each record: its area's, or the shared one where several areas return it. */
function recordHomes(api: Api, areas: readonly Area[]): Map<string, string> {
  const error = '#/components/schemas/ErrorResponse';
  const homes = new Map(
    ['ErrorResponse', ...recordsIn(api, { $ref: error })].map((record) => [record, recordsPage]),
  );
  for (const { name, calls } of areas)
    for (const record of new Set(calls.flatMap((call) => [...returnedRecords(api, call)]))) {
      const home = homes.get(record);
      homes.set(record, home === undefined || home === pathOf(name) ? pathOf(name) : recordsPage);
    }
  return new Map([...homes].sort(([a], [b]) => a.localeCompare(b)));
}

function returnedRecords(api: Api, { operation }: Call): Set<string> {
  return recordsIn(api, operation.responses['200']?.content?.['application/json']?.schema ?? {});
}

function overview(api: Api, areas: readonly Area[], link: LinkTo): ReferencePage {
  const rows = areas.map(({ name, description, calls }) => [
    `[${labelOf(name)}](/${pathOf(name)})`,
    description,
    String(calls.length),
  ]);
  return {
    path: 'api/index.md',
    label: 'API',
    text: [
      '# API reference',
      api.info.description,
      '## Areas',
      table(['Area', 'About', 'Operations'], rows),
      errorsSection(api, link),
    ].join('\n\n'),
  };
}

function areaPage(
  api: Api,
  { name, description, calls }: Area,
  link: LinkTo,
  records: readonly string[],
): ReferencePage {
  const rows = calls.map(({ operation: { operationId, description } }) => [
    `[${code(operationId)}](#${slugOf(operationId)})`,
    description.split('\n\n')[0] ?? '',
  ]);
  return {
    path: pathOf(name),
    label: labelOf(name),
    text: [
      `# ${labelOf(name)}`,
      description,
      table(['Operation', 'Task'], rows),
      ...calls.map((call) => operationSection(api, call, link)),
      ...(records.length > 0
        ? ['## Records', ...records.map((record) => recordSection(api, record, link, '###'))]
        : []),
    ].join('\n\n'),
  };
}

function recordSection(api: Api, record: string, link: LinkTo, level: string): string {
  const schema = api.components.schemas[record] ?? {};
  return [
    `${level} ${record} record`,
    schema.description ?? '',
    recordTable(api, schema, link),
  ].join('\n\n');
}
